/* reproduce_chart: a chart a published table. A line of it is a cell: a grey bar for the tolerance
   around what was published, a tick for each published ratio (a table may have several runs of a
   cell), and a dot with its interval for the ratio here, coloured and shaped by its word. */
#include "present/reproduce.h"

#include "base/alloc.h"
#include "present/axis.h"
#include "present/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_MAX = 40
};

static const struct {
    enum published_word word;
    const char *rgb;
    int point; /* gnuplot's: filled circle, filled triangle, hollow circle */
} looks[] = {
    {WORD_HOLDS, "#009e73", 7}, {WORD_DIFFERS, "#d55e00", 9}, {WORD_CANT_TELL, "#555555", 6}};

enum {
    LOOKS = sizeof looks / sizeof looks[0]
};

struct lines {
    const struct published_outcome *o;
    size_t table;
    size_t row[LINES_MAX]; /* the first row of each line's cell */
    size_t n;
    struct axis x;
};

static bool belongs(const struct lines *l, size_t i, size_t line)
{
    const struct published_row *a = &l->o->document->rows[i];
    const struct published_row *b = &l->o->document->rows[l->row[line]];
    return a->table == l->table && a->base != i && published_same_cell(&a->cell, &b->cell);
}

static void find_lines(struct lines *l)
{
    for (size_t i = 0; i < l->o->document->rows_n; i++) {
        bool known = false;
        if (l->o->document->rows[i].table != l->table || l->o->document->rows[i].base == i)
            continue;
        for (size_t k = 0; k < l->n; k++)
            known |= belongs(l, i, k);
        if (!known && l->n < LINES_MAX)
            l->row[l->n++] = i;
    }
}

static bool is_drawn(const struct published_finding *f)
{
    return isfinite(f->throughput.estimate);
}

static void choose_axis(struct lines *l)
{
    double low = 1, high = 1;
    for (size_t line = 0; line < l->n; line++)
        for (size_t i = 0; i < l->o->document->rows_n; i++) {
            const struct published_finding *f = &l->o->rows[i];
            if (!belongs(l, i, line))
                continue;
            low = fmin(low, f->window.low);
            high = fmax(high, f->window.high);
            if (is_drawn(f)) {
                low = fmin(low, fmin(f->throughput.estimate, f->throughput.low));
                high = fmax(high, fmax(f->throughput.estimate, f->throughput.high));
            }
        }
    if (low * AXIS_RATIO_LIMIT < 1 || high > AXIS_RATIO_LIMIT)
        axis_decades(&l->x, low, high);
    else
        axis_ratio(&l->x, low, high);
}

static double height_of(const struct lines *l, size_t line)
{
    return (double)(l->n - line);
}

static void write_data(FILE *to, const struct lines *l)
{
    const struct published *p = l->o->document;
    fputs("# tolerance: low, high, line\n", to);
    for (size_t line = 0; line < l->n; line++) {
        double low = INFINITY, high = 0;
        for (size_t i = 0; i < p->rows_n; i++)
            if (belongs(l, i, line)) {
                low = fmin(low, l->o->rows[i].window.low);
                high = fmax(high, l->o->rows[i].window.high);
            }
        fprintf(to, "%.6g %.6g %g\n", low, high, height_of(l, line));
    }
    fputs("\n\n# published: ratio, line\n", to);
    for (size_t line = 0; line < l->n; line++)
        for (size_t i = 0; i < p->rows_n; i++)
            if (belongs(l, i, line))
                fprintf(to, "%.6g %g\n", l->o->rows[i].ratio, height_of(l, line));
    for (size_t k = 0; k < LOOKS; k++) {
        fprintf(to, "\n\n# %s: ratio, low, high, line\n", published_word_name(looks[k].word));
        for (size_t line = 0; line < l->n; line++) {
            const struct published_finding *f = &l->o->rows[l->row[line]];
            bool sure = isfinite(f->throughput.low);
            if (is_drawn(f) && f->word == looks[k].word)
                fprintf(to, "%.6g %.6g %.6g %g\n", f->throughput.estimate,
                        sure ? f->throughput.low : f->throughput.estimate,
                        sure ? f->throughput.high : f->throughput.estimate, height_of(l, line));
        }
    }
}

/* For a single-quoted string of gnuplot. */
static void write_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) {
        fputs(*text == '\'' ? "'" : "", to);
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, to);
    }
    fputc('\'', to);
}

static void write_axes(FILE *to, const struct lines *l)
{
    fprintf(to,
            "set border 1 linecolor rgb '#777777'\nset tics nomirror out scale 0.5 textcolor rgb "
            "'#333333'\nset grid xtics linecolor rgb '#dddddd' linewidth 1 dashtype 1\n"
            "set logscale x\nset xrange [%.6g:%.6g]\nset yrange [0.4:%g]\n"
            "set xlabel 'ratio of requests/s to the base of the row'\n"
            "set arrow 1 from 1,graph 0 to 1,graph 1 nohead linecolor rgb '#000000'\nset xtics (",
            l->x.low, l->x.high, (double)l->n + 0.6);
    for (size_t i = 0; i < l->x.ticks_n; i++)
        fprintf(to, "%s'%g' %.6g", i ? ", " : "", l->x.ticks[i], l->x.ticks[i]);
    fputs(")\nset ytics (", to);
    for (size_t line = 0; line < l->n; line++) {
        const struct published_row *row = &l->o->document->rows[l->row[line]];
        char workers[20] = "", name[120];
        if (row->workers)
            snprintf(workers, sizeof workers, " x%u", row->workers);
        snprintf(name, sizeof name, "%s%s %s c=%u", row->server, workers, row->page,
                 row->cell.connections);
        fputs(line ? ", " : "", to);
        write_quoted(to, name);
        fprintf(to, " %g", height_of(l, line));
    }
    fputs(")\n", to);
}

static size_t drawn(const struct lines *l, enum published_word word)
{
    size_t n = 0;
    for (size_t line = 0; line < l->n; line++) {
        const struct published_finding *f = &l->o->rows[l->row[line]];
        n += is_drawn(f) && f->word == word;
    }
    return n;
}

static void write_script(FILE *to, const struct lines *l, const struct chart *c)
{
    size_t terminals;
    fprintf(to,
            "if (!exists(\"term\")) term = '%s'\nif (!exists(\"output\")) output = '%s.svg'\n"
            "reset\nset terminal @term\nset output output\nset termoption noenhanced\n"
            "set encoding utf8\nset object 1 rectangle from screen 0,0 to screen 1,1 behind "
            "fillcolor rgb '#ffffff' fillstyle solid noborder\nset title ",
            chart_terminals(&terminals)->term, c->name);
    write_quoted(to, c->title);
    fputc('\n', to);
    write_axes(to, l);
    fprintf(to,
            "set key outside bottom center horizontal samplen 2\n"
            "plot '%s.dat' index 0 using 1:3:($2-$1):(0) with vectors nohead linewidth 9 "
            "linecolor rgb '#dde3e8' title 'published, within 20 %%', \\\n"
            "     '%s.dat' index 1 using 1:2 with points pointtype 2 linewidth 1.5 linecolor rgb "
            "'#000000' title 'published'",
            c->name, c->name);
    for (size_t k = 0; k < LOOKS; k++)
        if (drawn(l, looks[k].word)) {
            fprintf(to,
                    ", \\\n     '%s.dat' index %zu using 1:4:2:3 with xerrorbars linewidth 1.8 "
                    "pointtype %d pointsize 0.9 linecolor rgb '%s' title ",
                    c->name, k + 2, looks[k].point, looks[k].rgb);
            char *title = xasprintf("here: %s", published_word_name(looks[k].word));
            write_quoted(to, title);
            free(title);
        }
    fputs("\nunset output\n", to);
}

static void add_chart(struct charts *c, const struct published_outcome *o, size_t table)
{
    struct lines l = {.o = o, .table = table};
    size_t size;
    find_lines(&l);
    if (!l.n)
        return; /* every row is a reference */
    choose_axis(&l);
    struct chart *chart = xgrow(&c->item, &c->n, sizeof *chart);
    chart->name = xasprintf("reproduce-%s", o->document->tables[table].id);
    chart->title =
        xasprintf("%s (%s)", o->document->tables[table].id, reproduce_flags(o->document, table));
    chart->note = xstrdup("");
    FILE *data = open_memstream(&chart->data, &size);
    write_data(data, &l);
    fclose(data);
    FILE *script = open_memstream(&chart->script, &size);
    write_script(script, &l, chart);
    fclose(script);
}

void reproduce_charts_make(struct charts *c, const struct published_outcome *o)
{
    locale_t before = figure_locale_begin();
    *c = (struct charts){0};
    for (size_t i = 0; i < o->document->tables_n; i++)
        add_chart(c, o, i);
    figure_locale_end(before);
}
