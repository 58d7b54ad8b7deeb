/* duel_chart: see duel_chart.h. A line for the estimate after each block, a bar at each look for
   the interval that was valid there (a band when every block was a look), lines at no slowdown and
   at the margin. Percent, up = B slower. */
#include "present/duel_chart.h"

#include "base/alloc.h"
#include "present/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

struct range {
    double low, high;
};

static void widen(struct range *r, double percent)
{
    if (!isfinite(percent))
        return;
    r->low = fmin(r->low, percent);
    r->high = fmax(r->high, percent);
}

/* All that is drawn, 0 and the margin, and some room. The first blocks alone say little and are not
   allowed to squeeze the rest. */
static struct range range_of(const struct duel *d, const struct duel_series *s)
{
    double margin = duel_percent_of_slowdown(d->rules.margin);
    struct range r = {0, margin};
    for (size_t i = 0; i < s->course_n; i++) {
        const struct duel_point *p = &s->course[i];
        widen(&r, duel_percent_of_slowdown(p->low));
        widen(&r, duel_percent_of_slowdown(p->high));
        if (p->n >= 3 || s->course_n < 3)
            widen(&r, duel_percent_of_slowdown(p->estimate));
    }
    double room = 0.08 * (r.high - r.low) + 0.05;
    return (struct range){r.low - room, r.high + room};
}

static char *name_of(const struct duel *d, const struct duel_series *s)
{
    return xasprintf("duel-%s-%s", s->route < 0 ? "all" : route_get(d->routes[s->route])->name,
                     s->metric == METRIC_CPU ? "cpu" : "throughput");
}

static void write_data(FILE *to, const struct duel_series *s)
{
    fputs("# blocks, estimate %\n", to);
    for (size_t i = 0; i < s->course_n; i++)
        if (isfinite(s->course[i].estimate))
            fprintf(to, "%zu %.6g\n", s->course[i].n,
                    duel_percent_of_slowdown(s->course[i].estimate));
    fputs("\n\n# looks: blocks, estimate %, low, high\n", to);
    for (size_t i = 0; i < s->course_n; i++)
        if (isfinite(s->course[i].low))
            fprintf(to, "%zu %.6g %.6g %.6g\n", s->course[i].n,
                    duel_percent_of_slowdown(s->course[i].estimate),
                    duel_percent_of_slowdown(s->course[i].low),
                    duel_percent_of_slowdown(s->course[i].high));
}

static bool any_look(const struct duel_series *s)
{
    for (size_t i = 0; i < s->course_n; i++)
        if (isfinite(s->course[i].low))
            return true;
    return false;
}

/* For a single-quoted string of gnuplot: names come from manifests. */
static void write_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) {
        fputs(*text == '\'' ? "'" : "", to);
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, to);
    }
    fputc('\'', to);
}

static void write_axes(FILE *to, const struct duel *d, const struct duel_series *s)
{
    struct range y = range_of(d, s);
    size_t last = d->rules.blocks > s->n ? d->rules.blocks : s->n;
    fprintf(to,
            "set border 3 linecolor rgb '#777777'\n"
            "set tics nomirror out scale 0.5 textcolor rgb '#333333'\n"
            "set grid ytics linecolor rgb '#dddddd' linewidth 1 dashtype 1\n"
            "set xlabel 'blocks'\nset ylabel 'slowdown of B, %%'\n"
            "set xrange [0:%zu]\nset yrange [%.6g:%.6g]\n"
            "set arrow 1 from graph 0,first 0 to graph 1,first 0 nohead linecolor rgb '#000000'\n",
            last + 1, y.low, y.high);
    if (d->rules.margin > 0)
        fprintf(to,
                "set arrow 2 from graph 0,first %.6g to graph 1,first %.6g nohead dashtype 2 "
                "linecolor rgb '#d55e00'\nset label 'margin' at graph 0.99,first %.6g right "
                "offset 0,0.6 textcolor rgb '#d55e00'\n",
                duel_percent_of_slowdown(d->rules.margin),
                duel_percent_of_slowdown(d->rules.margin),
                duel_percent_of_slowdown(d->rules.margin));
}

static void write_script(FILE *to, const struct duel *d, const struct duel_series *s,
                         const char *name, const char *title)
{
    size_t terminals;
    fprintf(to,
            "if (!exists(\"term\")) term = '%s'\n"
            "if (!exists(\"output\")) output = '%s.svg'\n"
            "reset\nset terminal @term\nset output output\nset termoption noenhanced\n"
            "set encoding utf8\n"
            "set object 1 rectangle from screen 0,0 to screen 1,1 behind "
            "fillcolor rgb '#ffffff' fillstyle solid noborder\nset title ",
            chart_terminals(&terminals)->term, name);
    write_quoted(to, title);
    fputc('\n', to);
    write_axes(to, d, s);
    fprintf(to, "set key outside bottom center horizontal samplen 3\nplot ");
    if (any_look(s) && d->rules.anytime)
        fprintf(to,
                "'%s.dat' index 1 using 1:3:4 with filledcurves fillcolor rgb '#cfe3f2' title "
                "'interval', \\\n     ",
                name);
    else if (any_look(s))
        fprintf(to,
                "'%s.dat' index 1 using 1:2:3:4 with yerrorbars linewidth 1.6 pointtype 7 "
                "linecolor rgb '#0072b2' title 'interval at a look', \\\n     ",
                name);
    fprintf(to,
            "'%s.dat' index 0 using 1:2 with lines linewidth 2 linecolor rgb '#0072b2' title "
            "'estimate'\nunset output\n",
            name);
}

static void add_chart(struct charts *c, const struct duel *d, const struct duel_series *s)
{
    size_t size;
    struct chart *chart = xgrow(&c->item, &c->n, sizeof *chart);
    chart->name = name_of(d, s);
    chart->title = xasprintf("%s: B = %s against A = %s", duel_series_title(d, s),
                             d->side[DUEL_B].name, d->side[DUEL_A].name);
    chart->note = xstrdup(s->course_n ? "" : "no block was measured");
    if (!s->course_n)
        return;
    FILE *data = open_memstream(&chart->data, &size);
    write_data(data, s);
    fclose(data);
    FILE *script = open_memstream(&chart->script, &size);
    write_script(script, d, s, chart->name, chart->title);
    fclose(script);
}

void duel_charts_make(struct charts *c, const struct duel *d)
{
    locale_t before = figure_locale_begin();
    *c = (struct charts){0};
    for (size_t i = 0; i < d->series_n; i++)
        add_chart(c, d, &d->series[i]);
    figure_locale_end(before);
}
