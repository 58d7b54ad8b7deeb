/* page: report.html. The first screen answers who, how much, how sure, and what was left out; then
   the ratios drawn, the charts, and everything behind them. No script, and nothing is loaded: the
   policy in the head forbids it. */
#include "present/page.h"

#include "base/alloc.h"
#include "present/exclusion.h"
#include "present/figure.h"
#include "present/finding.h"
#include "present/html.h"
#include "present/page_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_head(FILE *to, const char *title)
{
    html_write(to,
               "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "img-src data:; style-src 'unsafe-inline'\">"
               "<title>%s</title><style>",
               title);
    fputs(page_style, to);
    fputs("</style></head><body>\n", to);
}

/* "reactor and lighttpd against nginx"; the caller frees. */
static char *title_of(const struct result *r)
{
    char *text = NULL;
    size_t size, left = r->plan.servers_n > 0 ? r->plan.servers_n - 1 : 0;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        if (i == r->plan.reference)
            continue;
        left--;
        fprintf(to, "%s%s", r->plan.servers[i].name, left == 1 ? " and " : left ? ", " : "");
    }
    if (r->plan.servers_n > 1)
        fprintf(to, " against %s", r->plan.servers[r->plan.reference].name);
    else if (r->plan.servers_n == 1)
        fputs(r->plan.servers[0].name, to);
    fclose(to);
    return text;
}

static void write_lede(FILE *to, const struct result *r)
{
    const struct suite *s = &r->plan.suite;
    fputs("<p class=\"lede\">", to);
    if (s->title)
        html_write(to, "%s. ", s->title);
    for (size_t i = 0; i < s->routes_n; i++)
        html_write(to, "%s%s", i ? ", " : "", route_get(s->routes[i])->name);
    for (size_t i = 0; i < s->generators.n; i++)
        html_write(to, "%s%s", i ? ", " : " by ", s->generators.item[i]);
    if (s->connections_n > 1)
        fprintf(to, "; %u to %u connections", s->connections[0],
                s->connections[s->connections_n - 1]);
    else if (s->connections_n == 1)
        fprintf(to, "; %u connection%s", s->connections[0], s->connections[0] == 1 ? "" : "s");
    fprintf(to, "; %s of %s s", suite_blocks_text(s), figure_count(s->duration_s).text);
    if (strlen(r->started) >= 16) /* 2026-01-31T12:00:00Z */
        fprintf(to, "; %.10s %.5s UTC", r->started, r->started + 11);
    if (facts_find(&r->environment, "cpu_model"))
        html_write(to, "; %s", facts_show(&r->environment, "cpu_model"));
    if (facts_find(&r->environment, "cores"))
        html_write(to, ", %s cores", facts_show(&r->environment, "cores"));
    fputs(".</p>", to);
    if (r->state != RUN_COMPLETE)
        html_write(to, "<p class=\"state\">The run is %s: this is a part of its plan.</p>",
                   run_state_name(r->state));
}

static void write_range(FILE *to, const struct finding_count *c)
{
    char low[32], high[32];
    snprintf(low, sizeof low, "%s", figure_ratio(c->lowest, NAN, NAN).text);
    snprintf(high, sizeof high, "%s", figure_ratio(c->highest, NAN, NAN).text);
    if (!isfinite(c->lowest))
        fputs("not comparable", to);
    else if (strcmp(low, high) == 0)
        fprintf(to, "%s&times;", low);
    else
        fprintf(to, "%s &ndash; %s&times;", low, high);
}

/* The outermost ends of the intervals. */
static void write_reach(FILE *to, const struct finding_count *c)
{
    if (isfinite(c->low))
        fprintf(to, " <span class=\"soft nowrap\">(interval%s %s to %s)</span>",
                c->n > 1 ? "s" : "", figure_ratio(c->low, NAN, NAN).text,
                figure_ratio(c->high, NAN, NAN).text);
}

static void write_count(FILE *to, const char *what, size_t n, size_t all)
{
    if (n > 0)
        fprintf(to, "<li><span>%s</span><span>%zu of %zu</span></li>", what, n, all);
}

/* How sure it is: what the intervals say, comparison by comparison. */
static void write_counts(FILE *to, const struct finding_count *c)
{
    fputs("<ul>", to);
    write_count(to, "more requests/s", c->of[FINDING_HIGHER], c->n);
    write_count(to, "fewer requests/s", c->of[FINDING_LOWER], c->n);
    write_count(to, "equal within 5 %", c->of[FINDING_EQUAL], c->n);
    write_count(to, "no difference seen", c->of[FINDING_OPEN], c->n);
    write_count(to, "too few blocks to tell", c->of[FINDING_FEW], c->n);
    write_count(to, "not comparable", c->of[FINDING_NONE], c->n);
    fputs("</ul>", to);
}

/* One comparison has its finding in words; several have a range and counts. */
static void write_server_card(FILE *to, const struct result *r, size_t server)
{
    struct finding_count rate, cpu;
    const char *reference = r->plan.servers[r->plan.reference].name;
    finding_count(&rate, r, server, METRIC_THROUGHPUT);
    finding_count(&cpu, r, server, METRIC_CPU);
    fputs("<section class=\"card\"><h2>", to);
    page_mark(to, server);
    html_write(to, "%s</h2><p class=\"big\">", r->plan.servers[server].name);
    write_range(to, &rate);
    html_write(to, "</p><p>the requests/s of %s", reference);
    write_reach(to, &rate);
    fputs("</p><p><strong>", to);
    write_range(to, &cpu);
    fputs("</strong> its CPU per request", to);
    write_reach(to, &cpu);
    fputs("</p>", to);
    if (r->servers[server].failed)
        html_write(to, "<p class=\"warn\">%s</p>", r->servers[server].failed);
    write_counts(to, &rate);
    fputs("</section>", to);
}

static void write_validity_card(FILE *to, const struct result *r)
{
    struct exclusions x;
    exclusions_make(&x, r);
    fprintf(to,
            "<section class=\"card\"><h2>Valid</h2><p class=\"big\">%zu of %zu</p>"
            "<p class=\"soft\">cell%s%s</p>",
            r->plan.cells_n - x.cells_n, r->plan.cells_n, r->plan.cells_n == 1 ? "" : "s",
            x.n ? "; <a href=\"#left-out\">left out</a> because" : "");
    fputs(x.n ? "<ul>" : "", to);
    for (size_t i = 0; i < x.n && i < 6; i++)
        fprintf(to, "<li><span>%s</span><span>%zu</span></li>", verdict_name(x.item[i].verdict),
                x.item[i].cells_n);
    if (x.n > 6)
        fprintf(to, "<li><span>%s</span></li>", figure_many(x.n - 6, "more reason").text);
    fputs(x.n ? "</ul></section>" : "</section>", to);
    exclusions_fini(&x);
}

static bool has_ratio(const struct result *r)
{
    for (size_t i = 0; i < r->ratios_n; i++)
        if (finding_of(&r->ratios[i]) != FINDING_NONE)
            return true;
    return false;
}

static void write_certainty(FILE *to, const struct result *r)
{
    unsigned confidence = finding_confidence(r);
    bool broken = false;
    for (size_t i = 0; i < r->fairness_n; i++)
        broken |= r->fairness[i].broken;
    fputs("<p class=\"sure soft\">", to);
    if (confidence)
        fprintf(to,
                "Each ratio has an interval of at least %u %% by itself, from blocks in which all "
                "servers ran in random order; where it holds 1 nothing is ranked. ",
                confidence);
    else if (!has_ratio(r))
        fputs("Nothing can be compared: no comparison has valid cells of both the reference and "
              "another server. ",
              to);
    else
        fprintf(to,
                "No interval can be given (%s; 6 are needed), so nothing is ranked: these "
                "are the ratios that the blocks had. ",
                suite_blocks_text(&r->plan.suite));
    if (broken)
        fputs("<span class=\"bad\">A contract is broken, see <a href=\"#fairness\">fairness</a>."
              "</span>",
              to);
    if (r->warnings.n)
        fprintf(to, "%s<a href=\"#machine\">%zu warning%s</a> about the machine.",
                broken ? " " : "", r->warnings.n, r->warnings.n == 1 ? "" : "s");
    fputs("</p>", to);
}

static void write_answer(FILE *to, const struct result *r)
{
    fputs("<div class=\"cards\">", to);
    for (size_t i = 0; i < r->plan.servers_n; i++)
        if (i != r->plan.reference)
            write_server_card(to, r, i);
    write_validity_card(to, r);
    fputs("</div>", to);
    write_certainty(to, r);
}

static bool belongs(const char *name, const char *slug)
{
    size_t n = strlen(name), m = strlen(slug);
    return n > m && name[n - m - 1] == '-' && strcmp(name + n - m, slug) == 0;
}

static void write_chart(FILE *to, const struct page_chart *c)
{
    fputs("<figure class=\"chart\">", to);
    if (c->svg) {
        fputs("<img src=\"", to);
        html_svg_url(to, c->svg);
        html_write(to, "\" alt=\"%s\">", c->title);
    } else {
        html_write(to, "<p><strong>%s</strong><br>No chart: %s</p>", c->title,
                   c->note && c->note[0] ? c->note : "it could not be drawn");
    }
    fputs("</figure>\n", to);
}

static void write_charts(FILE *to, const struct panels *p, const struct result *r,
                         const struct page_chart *charts, size_t n)
{
    bool *written = xcalloc(n + 1, sizeof *written);
    for (size_t i = 0; i <= p->n; i++) { /* the last round takes what belongs to no panel */
        size_t here = 0;
        for (size_t k = 0; k < n; k++) {
            if (written[k] || (i < p->n && !belongs(charts[k].name, panel_slug(&p->item[i], r))))
                continue;
            if (here++ == 0)
                html_write(to, "<h3>%s</h3><div class=\"charts\">",
                           i < p->n ? panel_title(&p->item[i], r) : "Others");
            write_chart(to, &charts[k]);
            written[k] = true;
        }
        fputs(here ? "</div>" : "", to);
    }
    if (n == 0)
        fputs("<p>There are no charts: gnuplot was not there or failed.</p>", to);
    free(written);
}

static void write_legend(FILE *to, const struct result *r)
{
    fputs("<div class=\"legend\">", to);
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        if (i == r->plan.reference)
            continue;
        fputs("<span>", to);
        page_mark(to, i);
        html_write(to, "%s</span>", r->plan.servers[i].name);
    }
    html_write(to,
               "<span class=\"soft\">line at 1: %s; bar: interval, ticks: single blocks; rows: "
               "connections</span></div>",
               r->plan.servers[r->plan.reference].name);
}

static void write_section(FILE *to, const char *id, const char *title)
{
    html_write(to, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

static void write_nav(FILE *to)
{
    fputs("<nav aria-label=\"Sections\"><a href=\"#parity\">Parity</a><a href=\"#left-out\">Left "
          "out</a><a href=\"#charts\">Charts</a><a href=\"#cells\">Cells</a><a href=\"#fairness\">"
          "Fairness</a><a href=\"#servers\">Servers</a><a href=\"#machine\">Machine</a>"
          "<a href=\"#reproduce\">Reproduce</a><a href=\"#words\">Words</a></nav>",
          to);
}

static void write_body(FILE *to, const struct result *r, const struct page_chart *charts,
                       size_t charts_n)
{
    struct panels panels;
    panels_make(&panels, r);
    write_section(to, "parity", "Parity ratios");
    if (r->plan.servers_n > 1)
        write_legend(to, r);
    page_plots(to, &panels, r);
    page_witnesses(to, r);
    write_section(to, "left-out", "What was left out, and why");
    page_exclusions(to, r);
    write_section(to, "charts", "Charts");
    write_charts(to, &panels, r, charts, charts_n);
    write_section(to, "cells", "Every cell");
    page_cells(to, &panels, r);
    write_section(to, "fairness", "Fairness");
    page_fairness(to, r);
    write_section(to, "servers", "Servers");
    page_servers(to, r);
    write_section(to, "machine", "Machine");
    page_machine(to, r);
    write_section(to, "reproduce", "Plan, seed, and how to run it again");
    page_reproduce(to, r);
    write_section(to, "words", "What the words mean");
    page_words(to, r);
    panels_fini(&panels);
}

void page_write(FILE *to, const struct result *r, const struct page_chart *charts, size_t charts_n)
{
    locale_t before = figure_locale_begin();
    char *title = title_of(r);
    write_head(to, title);
    html_write(to, "<header><p class=\"kind\">Parity report, suite %s</p><h1>%s</h1>",
               r->plan.suite.name, title);
    write_lede(to, r);
    write_answer(to, r);
    write_nav(to);
    fputs("</header><main>\n", to);
    write_body(to, r, charts, charts_n);
    fputs("</main><footer>Made by parity from result.json; this page loads nothing and runs no "
          "script.</footer></body></html>\n",
          to);
    free(title);
    figure_locale_end(before);
}
