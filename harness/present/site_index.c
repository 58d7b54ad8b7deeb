/* site_index: the site's first page: a card a route with its newest ratios, what changed, runs,
   kinds of machine, and what appeared or disappeared. */
#include "present/site_parts.h"

#include "base/alloc.h"
#include "present/figure.h"
#include "present/html.h"
#include "present/page_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS_MAX = 50,
    CHANGES_MAX = 40
};

static const struct history_run *newest(const struct site *s)
{
    return &s->history->runs[s->history->n - 1];
}

static void write_lede(FILE *to, const struct site *s)
{
    const struct history *h = s->history;
    size_t commits = 0;
    for (size_t i = 0; i < h->n; i++)
        commits += i == 0 || !h->runs[i].commit || !h->runs[i - 1].commit ||
                   strcmp(h->runs[i].commit, h->runs[i - 1].commit) != 0;
    fprintf(to, "<p class=\"lede\">%s of %s on %s, %.10s to %.10s UTC; ratios are to ",
            figure_many(h->n, "run").text, figure_many(commits, "commit").text,
            s->machines_n == 1 ? "one kind of machine" : figure_many(s->machines_n, "kind").text,
            h->runs[0].time, newest(s)->time);
    html_write(to, "%s in the same run.</p>", newest(s)->reference);
}

/* The newest point of each server that has a ratio, with its course. */
static void write_lines(FILE *to, const struct site *s, const struct site_chart *c)
{
    for (size_t server = 0; server < s->servers.n; server++) {
        const struct site_line *last = NULL;
        for (size_t i = 0; i < c->n; i++)
            if (c->lines[i].server == server &&
                (!last || c->lines[i].points[c->lines[i].n - 1].at > last->points[last->n - 1].at))
                last = &c->lines[i];
        if (!last)
            continue;
        const struct site_point *p = &last->points[last->n - 1];
        fputs("<li><span>", to);
        page_mark(to, server);
        html_write(to, "%s</span>", s->servers.item[server]);
        site_spark(to, last);
        fprintf(to, "<strong>%s&times;</strong></li>", figure_ratio(p->y, p->low, p->high).text);
    }
}

static void write_card(FILE *to, const struct site *s, const struct site_page *p)
{
    char *file = site_file(p);
    size_t main = site_group_main(p);
    const struct site_chart *c =
        main == SITE_NONE ? NULL : site_chart_find(p, SITE_RATIO, main, SITE_NONE);
    html_write(to, "<section class=\"card route\"><h2><a href=\"%s\">%s</a></h2>", file, p->route);
    if (c) {
        html_write(to, "<p class=\"soft\">requests/s, %s</p><ul>",
                   site_group_title(&p->groups[main]));
        write_lines(to, s, c);
        fputs("</ul>", to);
    } else {
        fputs("<p class=\"soft\">No ratio yet: no run has valid cells of two servers here.</p>",
              to);
    }
    fputs("</section>", to);
    free(file);
}

struct change { /* where a change point is */
    const struct site_page *page;
    const struct site_chart *chart;
    const struct site_line *line;
    const struct changepoint *point;
    size_t run; /* in the history */
};

/* What moved in one run on one route, of a server and metric, comes together. */
static int compare_kin(const struct change *a, const struct change *b)
{
    if (a->run != b->run)
        return a->run < b->run ? 1 : -1;
    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    if (a->line->server != b->line->server)
        return a->line->server < b->line->server ? -1 : 1;
    return (int)a->chart->metric - (int)b->chart->metric;
}

static int newest_first(const void *one, const void *other)
{
    const struct change *a = one, *b = other;
    int kin = compare_kin(a, b);
    return kin ? kin : (a->chart > b->chart) - (a->chart < b->chart);
}

/* Of ratios and counts: absolute figures move with them, or with the machine. */
static size_t list_changes(const struct site *s, struct change **changes)
{
    size_t n = 0;
    *changes = NULL;
    for (size_t i = 0; i < s->pages_n; i++)
        for (size_t c = 0; c < s->pages[i].charts_n; c++) {
            const struct site_chart *chart = &s->pages[i].charts[c];
            if (chart->metric == SITE_RATE || chart->metric == SITE_CPU)
                continue;
            for (size_t l = 0; l < chart->n; l++)
                for (size_t k = 0; k < chart->lines[l].changes_n; k++) {
                    struct change *to = xgrow(changes, &n, sizeof *to);
                    const struct changepoint *point = &chart->lines[l].changes[k];
                    size_t at = chart->lines[l].points[point->index].at;
                    *to = (struct change){&s->pages[i], chart, &chart->lines[l], point,
                                          s->pages[i].runs[at]};
                }
        }
    if (n)
        qsort(*changes, n, sizeof **changes, newest_first);
    return n;
}

/* The loads of these changes: "volley, 8 connections; volley, 64 connections". */
static void write_loads(FILE *to, const struct change *c, size_t n)
{
    for (size_t i = 0; i < n && c->chart->group != SITE_NONE; i++)
        html_write(to, i ? "; %s" : "<br><span class=\"range\">%s",
                   site_group_title(&c->page->groups[c[i].chart->group]));
    fputs(c->chart->group != SITE_NONE ? "</span>" : "", to);
}

/* n changes that belong together: the one in the middle stands for their size. */
static void write_change(FILE *to, const struct site *s, const struct change *c, size_t n)
{
    const struct history_run *run = &s->history->runs[c->run];
    const struct change *one = &c[n / 2];
    char *file = site_file(c->page);
    fputs("<tr><th scope=\"row\">", to);
    site_day(to, run);
    fputs("</th><td>", to);
    site_commit(to, run);
    html_write(to, "</td><td class=\"num\"><span class=\"%s\">%s</span>",
               site_change_class(c->chart->metric, one->point), site_change(one->point));
    html_write(to, "<br><span class=\"range\">%s to %s</span>",
               site_figure(c->chart->metric, one->point->before),
               site_figure(c->chart->metric, one->point->after));
    html_write(to, "</td><td><a href=\"%s\">%s</a></td><td class=\"long\">%s: ", file,
               c->page->route, s->servers.item[c->line->server]);
    html_write(to, "%s", site_metric_name(c->chart->metric));
    write_loads(to, c, n);
    fputs("</td></tr>", to);
    free(file);
}

static void write_change_rows(FILE *to, const struct site *s, const struct change *changes,
                              size_t all)
{
    size_t rows = 0, n;
    for (size_t i = 0; i < all && rows < CHANGES_MAX; i += n, rows++) {
        n = 1;
        while (i + n < all && compare_kin(&changes[i], &changes[i + n]) == 0)
            n++;
        write_change(to, s, &changes[i], n);
    }
}

static void write_changes(FILE *to, const struct site *s)
{
    struct change *changes;
    size_t n = list_changes(s, &changes);
    fputs("<h2 id=\"changes\">What changed</h2>", to);
    if (n == 0) {
        fputs("<p>No change point: on no route did a level move by 1 % or more, as far as these "
              "runs can tell.</p>",
              to);
        return;
    }
    fputs(
        "<p>Where the level of a ratio or a count moved, for <span class=\"worse\">worse</span> or "
        "for <span class=\"better\">better</span>. For people to look at: it is found anew with "
        "every run, so the newest may still go.</p>",
        to);
    page_table_begin(to, "Change points, newest first");
    fputs("<thead><tr><th scope=\"col\">first run</th><th scope=\"col\">commit</th><th "
          "scope=\"col\" class=\"num\">change</th><th scope=\"col\">route</th><th scope=\"col\">"
          "of what</th></tr></thead><tbody>",
          to);
    write_change_rows(to, s, changes, n);
    fputs("</tbody>", to);
    page_table_end(to);
    free(changes);
}

static void write_run(FILE *to, const struct site *s, const struct history_run *run)
{
    size_t valid = 0;
    for (size_t i = 0; i < run->series_n; i++)
        valid += run->series[i].verdict == VERDICT_VALID;
    fprintf(to, "<tr><th scope=\"row\">%.10s %.5s</th><td>", run->time, run->time + 11);
    site_commit(to, run);
    html_write(to, "</td><td class=\"long\">%s</td><td>%s</td>", run->subject ? run->subject : "",
               run->branch ? run->branch : "\xe2\x80\x93");
    if (s->machines_n > 1)
        html_write(to, "<td><code>%s</code></td>", run->machine.key);
    html_write(to, "<td class=\"%s\">%s</td>",
               run->gate && strcmp(run->gate, "FAIL") == 0 ? "bad" : "",
               run->gate ? run->gate : "\xe2\x80\x93");
    fprintf(to, "<td class=\"num\">%zu of %zu</td><td>", valid, run->series_n);
    site_report(to, run);
    fputs("</td></tr>\n", to);
}

static void write_runs(FILE *to, const struct site *s)
{
    const struct history *h = s->history;
    fputs("<h2 id=\"runs\">Runs</h2>", to);
    page_table_begin(to, "The newest runs");
    fprintf(to,
            "<thead><tr><th scope=\"col\">started (UTC)</th><th scope=\"col\">commit</th><th "
            "scope=\"col\">subject</th><th scope=\"col\">branch</th>%s<th scope=\"col\">gate</th>"
            "<th scope=\"col\" class=\"num\">valid cells</th><th scope=\"col\">report</th></tr>"
            "</thead><tbody>",
            s->machines_n > 1 ? "<th scope=\"col\">machine</th>" : "");
    for (size_t i = h->n; i-- > 0 && h->n - i <= RUNS_MAX;)
        write_run(to, s, &h->runs[i]);
    fputs("</tbody>", to);
    page_table_end(to);
    fputs("<p class=\"soft\">All of them: <a href=\"history.jsonl\">history.jsonl</a>, one line of "
          "JSON a run.</p>",
          to);
}

static void write_machines(FILE *to, const struct site *s)
{
    fputs("<h2 id=\"machines\">Kinds of machine</h2><p>Absolute figures of different kinds are "
          "never put into one line, and change points are looked for within a kind.</p>",
          to);
    page_table_begin(to, "Kinds of machine, the newest run's first");
    fputs("<thead><tr><th scope=\"col\">key</th><th scope=\"col\">kind</th><th scope=\"col\" "
          "class=\"num\">runs</th><th scope=\"col\">first</th><th scope=\"col\">last</th></tr>"
          "</thead><tbody>",
          to);
    for (size_t i = 0; i < s->machines_n; i++) {
        const struct site_machine *m = &s->machines[i];
        html_write(to, "<tr><th scope=\"row\"><code>%s</code></th><td class=\"long\">",
                   m->machine->key);
        for (size_t k = 0; k < m->machine->facts.n; k++) {
            const char *key = m->machine->facts.item[k].key;
            html_write(to, k ? "; %s: %s" : "%s: %s", key, facts_show(&m->machine->facts, key));
        }
        fprintf(to, "</td><td class=\"num\">%zu</td><td>", m->runs);
        site_day(to, &s->history->runs[m->first]);
        fputs("</td><td>", to);
        site_day(to, &s->history->runs[m->last]);
        fputs("</td></tr>", to);
    }
    fputs("</tbody>", to);
    page_table_end(to);
}

/* Names of the series of one run that the other lacks, as list items; returns how many. */
static size_t write_missing(FILE *to, const struct history_run *run,
                            const struct history_run *other, const char *word)
{
    size_t n = 0;
    for (size_t i = 0; i < run->series_n; i++)
        if (!history_find(other, &run->series[i]) && n++ < 20)
            html_write(to, "<li>%s: %s</li>", word, history_series_name(&run->series[i]));
    return n;
}

/* A renamed series would otherwise end in silence, and the new one begin without a past. */
static void write_series(FILE *to, const struct site *s)
{
    const struct history *h = s->history;
    const struct history_run *last = newest(s), *before = NULL;
    for (size_t i = h->n - 1; i-- > 0 && !before;)
        if (strcmp(h->runs[i].suite, last->suite) == 0)
            before = &h->runs[i];
    if (!before)
        return;
    char *items = NULL;
    size_t size;
    FILE *list = open_memstream(&items, &size);
    size_t gone = write_missing(list, before, last, "gone");
    size_t fresh = write_missing(list, last, before, "new");
    fclose(list);
    if (gone || fresh) {
        fprintf(to,
                "<h2 id=\"series\">Series that came and went</h2><p class=\"warn\">%zu series "
                "disappeared, %zu new, against the run before of the same suite. Where one was "
                "renamed, build the site with <code>--rename OLD=NEW</code>.</p><ul>%s</ul>",
                gone, fresh, items);
    }
    free(items);
}

void site_index(FILE *to, const struct site *s, const struct site_look *look)
{
    locale_t before = figure_locale_begin();
    site_begin(to, s, look, SITE_NONE);
    if (s->history->n == 0) {
        fputs("<p class=\"lede\">The history has no run yet.</p></header><main>", to);
    } else {
        write_lede(to, s);
        fputs("<div class=\"cards\">", to);
        for (size_t i = 0; i < s->pages_n; i++)
            write_card(to, s, &s->pages[i]);
        fputs("</div></header><main>\n", to);
        write_changes(to, s);
        write_series(to, s);
        write_runs(to, s);
        write_machines(to, s);
    }
    fputs("</main><footer>Made by parity from history.jsonl; this page loads nothing from "
          "elsewhere.</footer></body></html>\n",
          to);
    figure_locale_end(before);
}
