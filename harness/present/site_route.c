/* site_route: a route's page: ratios, CPU per request, absolute figures by kind of machine, counts;
   each chart a picture that site.js replaces by one that can be zoomed. */
#include "present/site_parts.h"

#include "present/figure.h"
#include "present/html.h"
#include "present/page_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 40
};

struct view {
    FILE *to;
    const struct site *s;
    const struct site_page *p;
};

static void write_legend(const struct view *v)
{
    fputs("<div class=\"legend\">", v->to);
    for (size_t i = 0; i < v->s->servers.n; i++) {
        fputs("<span>", v->to);
        page_mark(v->to, i);
        html_write(v->to, "%s</span>", v->s->servers.item[i]);
    }
    fputs("<span class=\"soft\">band: interval; dashed: change point with its size</span></div>",
          v->to);
}

/* site.js finds a figure's data by its number. */
static void write_figure(const struct view *v, size_t chart)
{
    const struct site_chart *c = &v->p->charts[chart];
    fprintf(v->to, "<figure class=\"plot trend\" data-chart=\"%zu\"><figcaption>", chart);
    if (c->group != SITE_NONE)
        html_write(v->to, "%s<span class=\"soft\"> %s</span>",
                   site_group_title(&v->p->groups[c->group]), site_metric_name(c->metric));
    else
        html_write(v->to, "%s", site_metric_name(c->metric));
    fputs("</figcaption>", v->to);
    site_plot(v->to, v->s, v->p, c);
    fputs("</figure>\n", v->to);
}

static bool is_main(const struct view *v, const struct site_chart *c)
{
    return c->group == SITE_NONE ||
           strcmp(v->p->groups[c->group].generator, v->p->groups[0].generator) == 0;
}

/* The charts of a metric and kind: of the first generator, or of the others. */
static size_t write_some(const struct view *v, enum site_metric m, size_t machine, bool main)
{
    size_t n = 0;
    for (size_t i = 0; i < v->p->charts_n; i++) {
        const struct site_chart *c = &v->p->charts[i];
        if (c->metric != m || c->machine != machine || is_main(v, c) != main)
            continue;
        if (n++ == 0)
            fputs(main ? "<div class=\"plots\">"
                       : "<details><summary>By other generators, and closing connections"
                         "</summary><div class=\"plots\">",
                  v->to);
        write_figure(v, i);
    }
    fputs(n == 0 ? "" : main ? "</div>" : "</div></details>", v->to);
    return n;
}

static void write_relative(const struct view *v, enum site_metric m, const char *id,
                           const char *title, const char *words)
{
    html_write(v->to, "<h2 id=\"%s\">%s</h2><p class=\"soft\">%s</p>", id, title, words);
    size_t n = write_some(v, m, SITE_NONE, true);
    n += write_some(v, m, SITE_NONE, false);
    if (n == 0)
        fputs("<p>Nothing yet: no run has valid cells of two servers here.</p>", v->to);
}

static bool has_any(const struct view *v, size_t machine)
{
    for (size_t i = 0; i < v->p->charts_n; i++)
        if (v->p->charts[i].machine == machine)
            return true;
    return false;
}

static void write_machine(const struct view *v, size_t machine, bool open)
{
    const struct site_machine *m = &v->s->machines[machine];
    html_write(v->to, open ? "<details open><summary>%s" : "<details><summary>%s",
               machine_title(m->machine));
    html_write(v->to, " <span class=\"soft\">%s, %s</span></summary>",
               figure_many(m->runs, "run").text, m->machine->key);
    for (int k = SITE_RATE; k <= SITE_CPU; k++) {
        write_some(v, (enum site_metric)k, machine, true);
        write_some(v, (enum site_metric)k, machine, false);
    }
    fputs("</details>", v->to);
}

static void write_absolute(const struct view *v)
{
    bool open = true;
    fputs(
        "<h2 id=\"absolute\">Absolute figures, by kind of machine</h2><p class=\"soft\">requests/s "
        "and server CPU time per request, medians of a run's valid blocks. They move with the "
        "machine's neighbours: trust the ratios.</p>",
        v->to);
    for (size_t i = 0; i < v->s->machines_n; i++) {
        if (!has_any(v, i))
            continue;
        write_machine(v, i, open);
        open = false;
    }
}

static void write_counts(const struct view *v)
{
    size_t n = 0;
    fputs("<h2 id=\"counts\">Counted exactly</h2>", v->to);
    for (size_t i = 0; i < v->p->charts_n; i++) {
        if (v->p->charts[i].metric < SITE_INSTRUCTIONS)
            continue;
        fputs(n++ == 0
                  ? "<p class=\"soft\">What a request costs in things that no neighbour moves: "
                    "every step is real.</p><div class=\"plots\">"
                  : "",
              v->to);
        write_figure(v, i);
    }
    fputs(n ? "</div>" : "<p>No run brought counts (<code>parity trend add --counts</code>).</p>",
          v->to);
}

static void write_cell(const struct view *v, const struct history_run *run, const char *server,
                       const struct site_group *g)
{
    for (size_t i = 0; i < run->series_n; i++) {
        const struct history_series *s = &run->series[i];
        if (strcmp(s->server, server) != 0 || strcmp(s->route, v->p->route) != 0 ||
            strcmp(s->generator, g->generator) != 0 || s->connections != g->connections ||
            s->keepalive != g->keepalive)
            continue;
        const struct interval *r = &s->ratio[METRIC_THROUGHPUT];
        if (s->verdict != VERDICT_VALID || !isfinite(r->estimate)) {
            html_write(v->to, "<td class=\"num soft\">%s</td>",
                       s->verdict != VERDICT_VALID           ? verdict_name(s->verdict)
                       : strcmp(server, run->reference) == 0 ? "reference"
                                                             : "no ratio");
            return;
        }
        fprintf(v->to, "<td class=\"num\">%s", figure_ratio(r->estimate, r->low, r->high).text);
        if (isfinite(r->low)) {
            fprintf(v->to, " <span class=\"range\">%s", figure_ratio(r->low, r->low, r->high).text);
            fprintf(v->to, " &ndash; %s</span>", figure_ratio(r->high, r->low, r->high).text);
        }
        fputs("</td>", v->to);
        return;
    }
    fputs("<td class=\"num\">&ndash;</td>", v->to);
}

static void write_table(const struct view *v)
{
    size_t main = site_group_main(v->p);
    if (main == SITE_NONE)
        return;
    fputs("<h2 id=\"table\">In figures</h2>", v->to);
    char caption[200];
    snprintf(caption, sizeof caption, "requests/s relative to the reference: %s; the newest runs",
             site_group_title(&v->p->groups[main]));
    page_table_begin(v->to, caption);
    fputs("<thead><tr><th scope=\"col\">started (UTC)</th><th scope=\"col\">commit</th>", v->to);
    for (size_t i = 0; i < v->s->servers.n; i++)
        html_write(v->to, "<th scope=\"col\" class=\"num\">%s</th>", v->s->servers.item[i]);
    fputs("<th scope=\"col\">report</th></tr></thead><tbody>", v->to);
    for (size_t i = v->p->runs_n; i-- > 0 && v->p->runs_n - i <= ROWS_MAX;) {
        const struct history_run *run = &v->s->history->runs[v->p->runs[i]];
        fprintf(v->to, "<tr><th scope=\"row\">%.10s %.5s</th><td>", run->time, run->time + 11);
        site_commit(v->to, run);
        fputs("</td>", v->to);
        for (size_t k = 0; k < v->s->servers.n; k++)
            write_cell(v, run, v->s->servers.item[k], &v->p->groups[main]);
        fputs("<td>", v->to);
        site_report(v->to, run);
        fputs("</td></tr>\n", v->to);
    }
    fputs("</tbody>", v->to);
    page_table_end(v->to);
}

void site_route(FILE *to, const struct site *s, const struct site_look *look, size_t page)
{
    locale_t before = figure_locale_begin();
    struct view v = {to, s, &s->pages[page]};
    site_begin(to, s, look, page);
    fputs("<div id=\"tools\" class=\"tools\" hidden></div></header><main>\n", to);
    write_legend(&v);
    write_relative(&v, SITE_RATIO, "ratio", "Parity ratio",
                   "requests/s divided by the reference's in the same run: higher is better");
    write_relative(&v, SITE_CPU_RATIO, "cpu", "CPU per request, relative",
                   "server CPU time per request divided by the reference's: lower is better");
    write_absolute(&v);
    write_counts(&v);
    write_table(&v);
    if (look->chart_style)
        site_data(to, s, v.p);
    site_end(to, look);
    figure_locale_end(before);
}
