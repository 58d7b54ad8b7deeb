/* table_panel: see table_panel.h. */
#include "present/table_panel.h"

#include "base/alloc.h"
#include "present/exclusion.h"
#include "present/figure.h"
#include "present/finding.h"
#include "present/grid.h"

#include <math.h>

enum column {
    CONNECTIONS,
    SERVER,
    RATE,
    RATE_RATIO,
    RATE_INTERVAL,
    CPU,
    CPU_RATIO,
    CPU_INTERVAL,
    P50,
    P99,
    VERDICT,
    COLUMNS
};

static const char *const headers[COLUMNS] = {"conn",     "server",  "req/s",  "ratio",
                                             "interval", "CPU/req", "ratio",  "interval",
                                             "p50",      "p99",     "verdict"};

static enum grid_tone ratio_tone(const struct ratio *ratio)
{
    enum finding f = finding_of(ratio);
    if (f != FINDING_HIGHER && f != FINDING_LOWER)
        return TONE_PLAIN;
    return (f == FINDING_HIGHER) == (ratio->metric == METRIC_THROUGHPUT) ? TONE_GOOD : TONE_BAD;
}

static char *interval_text(const struct ratio *ratio)
{
    const struct interval *v = &ratio->value;
    switch (finding_of(ratio)) {
    case FINDING_NONE: return xstrdup("-");
    case FINDING_FEW: return xasprintf("n=%zu", v->n);
    default:
        return xasprintf("%s-%s", figure_ratio(v->low, v->low, v->high).text,
                         figure_ratio(v->high, v->low, v->high).text);
    }
}

static void set_ratio(struct grid *g, const struct result *r, size_t cell, enum metric metric)
{
    size_t column = metric == METRIC_CPU ? CPU_RATIO : RATE_RATIO;
    const struct ratio *ratio = panel_ratio(r, cell, metric);
    enum grid_tone tone = ratio_tone(ratio);
    if (r->plan.cells[cell].server == r->plan.reference) {
        grid_set(g, column, xstrdup("ref"), TONE_DIM);
    } else if (finding_of(ratio) == FINDING_NONE) {
        grid_set(g, column, xstrdup("-"), TONE_DIM);
    } else {
        const struct interval *v = &ratio->value;
        grid_set(g, column, xstrdup(figure_ratio(v->estimate, v->low, v->high).text), tone);
        grid_set(g, column + 1, interval_text(ratio), tone);
    }
}

/* ">" where slower answers are missing; a 0 is only below what the tool can tell. */
static char *latency_text(const struct cell_result *c, int percentile)
{
    double us = c->latency[percentile];
    if (us <= 0 && c->latency_resolution > 0)
        return xasprintf("<%s", figure_time(c->latency_resolution, "").text);
    return xasprintf("%s%s", c->latency_censored && isfinite(us) ? ">" : "",
                     figure_time(us, "").text);
}

static char *verdict_text(const struct cell_result *c)
{
    if (c->verdict == VERDICT_VALID && c->valid < c->trials)
        return xasprintf("valid %u/%u", c->valid, c->trials);
    return xstrdup(verdict_name(c->verdict));
}

static void add_cell(struct grid *g, const struct result *r, size_t cell, bool first)
{
    const struct cell *c = &r->plan.cells[cell];
    const struct cell_result *v = &r->cells[cell];
    grid_row(g);
    if (first)
        grid_set(g, CONNECTIONS, xasprintf("%u", c->connections), TONE_BOLD);
    grid_set(g, SERVER, xstrdup(r->plan.servers[c->server].name), TONE_PLAIN);
    grid_set(g, RATE, xstrdup(figure_rate(v->requests_per_s).text),
             v->verdict == VERDICT_VALID ? TONE_PLAIN : TONE_DIM);
    set_ratio(g, r, cell, METRIC_THROUGHPUT);
    grid_set(g, CPU, xstrdup(figure_time(v->cpu_ns_per_request / 1e3, "").text), TONE_PLAIN);
    set_ratio(g, r, cell, METRIC_CPU);
    grid_set(g, P50, latency_text(v, LATENCY_P50), TONE_PLAIN);
    grid_set(g, P99, latency_text(v, LATENCY_P99), TONE_PLAIN);
    grid_set(g, VERDICT, verdict_text(v), v->verdict == VERDICT_VALID ? TONE_PLAIN : TONE_WARN);
}

/* Hides what is least needed until the rest fits. */
static void fit(struct grid *g, unsigned width)
{
    static const enum column order[] = {CPU_INTERVAL, P50, CPU_RATIO, RATE_INTERVAL, CPU, P99};
    if (width == 0 || grid_width(g) <= width)
        return;
    g->hidden[order[0]] = true;
    if (grid_width(g) > width)
        g->gap = 1;
    if (grid_width(g) > width)
        grid_shorten(g, SERVER, 12);
    for (size_t i = 1; i < sizeof order / sizeof *order && grid_width(g) > width; i++)
        g->hidden[order[i]] = true;
}

void table_panel(FILE *to, const struct panel *p, const struct result *r, unsigned width,
                 bool color)
{
    struct grid g;
    grid_init(&g, COLUMNS);
    for (size_t c = 0; c < COLUMNS; c++)
        g.right[c] = c != SERVER && c != VERDICT && c != RATE_INTERVAL && c != CPU_INTERVAL;
    grid_row(&g);
    for (size_t c = 0; c < COLUMNS; c++)
        grid_set(&g, c, xstrdup(headers[c]), TONE_DIM);
    for (size_t level = 0; level < p->levels_n; level++) {
        bool first = true;
        for (size_t server = 0; server < p->servers_n; server++) {
            size_t cell = panel_cell(p, level, server);
            if (cell == PANEL_NONE)
                continue;
            add_cell(&g, r, cell, first);
            first = false;
        }
    }
    fit(&g, width);
    grid_tone(to, TONE_BOLD, color, panel_title(p, r));
    fprintf(to, "  (ratios to %s)\n", r->plan.servers[r->plan.reference].name);
    grid_write(to, &g, color);
    grid_fini(&g);
}
