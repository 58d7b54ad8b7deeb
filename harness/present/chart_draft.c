/* chart_draft: decides what a chart shows: series, units, range, which points are hollow or left
   out. Nothing about gnuplot here. */
#include "present/chart_draft.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *slug, *title;
} kinds[CHART_KINDS] = {
    [CHART_THROUGHPUT] = {"throughput", "Throughput"},
    [CHART_CPU] = {"cpu", "Server CPU per request"},
    [CHART_PARITY] = {"parity", "Parity ratio of throughput"},
    [CHART_PARITY_CPU] = {"parity-cpu", "Ratio of server CPU per request"},
    [CHART_P50] = {"p50", "Median latency (p50)"},
    [CHART_P99] = {"p99", "Latency of the slowest percent (p99)"},
};

static bool is_latency(enum chart_kind kind)
{
    return kind == CHART_P50 || kind == CHART_P99;
}

bool draft_has(const struct draft *d, const struct point *pt)
{
    return isfinite(pt->value) && (pt->value > 0 || !d->y.log);
}

size_t draft_points(const struct draft *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->series_n; i++)
        for (size_t k = 0; k < d->series[i].n; k++)
            n += draft_has(d, &d->series[i].points[k]);
    return n;
}

/* The ends of all positive values and their bars. */
static void find_range(const struct draft *d, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < d->series_n; i++)
        for (size_t k = 0; k < d->series[i].n; k++) {
            const struct point *pt = &d->series[i].points[k];
            const double all[] = {pt->value, pt->low, pt->high};
            for (int j = 0; j < 3; j++)
                if (isfinite(all[j]) && all[j] > 0) {
                    *low = fmin(*low, all[j]);
                    *high = fmax(*high, all[j]);
                }
        }
}

static void choose_unit(struct draft *d, double high)
{
    d->scale = 1;
    switch (d->kind) {
    case CHART_THROUGHPUT:
        d->scale = high >= 2000 ? 1000 : 1;
        d->unit = high >= 2000 ? "k requests/s" : "requests/s";
        break;
    case CHART_CPU: d->unit = "us of server CPU per request"; break;
    case CHART_PARITY:
    case CHART_PARITY_CPU: d->unit = "times the reference's"; break;
    default:
        d->scale = high >= 2e7 ? 1e6 : high >= 2e4 ? 1000 : 1;
        d->unit = d->scale > 1000 ? "s" : d->scale > 1 ? "ms" : "us";
    }
}

static void choose_axis(struct draft *d)
{
    double low, high;
    find_range(d, &low, &high);
    choose_unit(d, high);
    if (d->kind == CHART_PARITY || d->kind == CHART_PARITY_CPU)
        axis_ratio(&d->y, low, high);
    else if (is_latency(d->kind) && high > 0)
        axis_decades(&d->y, low / d->scale, high / d->scale);
    else
        axis_from_zero(&d->y, high * 1.05 / d->scale);
}

static void add_remark(struct draft *d, const struct point *pt, size_t server)
{
    bool drawn = draft_has(d, pt), known = isfinite(pt->value);
    const char *why = pt->verdict != VERDICT_VALID ? verdict_name(pt->verdict)
                      : pt->note[0]                ? pt->note
                                                   : "not measured";
    if (drawn && point_is_valid(pt, d->kind))
        return;
    if (known && !drawn)
        why = "0, below the tool's resolution";
    else if (pt->censored && pt->verdict == VERDICT_VALID)
        why = "slower answers are missing";
    if (pt->verdict == VERDICT_SKIPPED && pt->note[0])
        why = pt->note;
    remarks_add(&d->remarks, why, drawn, server, pt->level);
}

/* Every point of every server, also of those that have no series at all. */
static void add_remarks(struct draft *d)
{
    struct series s;
    for (size_t server = 0; server < d->panel->servers_n; server++) {
        series_make(&s, d->panel, d->r, server, d->kind);
        for (size_t k = 0; k < s.n; k++) {
            add_remark(d, &s.points[k], server);
            d->bars |= isfinite(s.points[k].low) && isfinite(s.points[k].high);
        }
    }
}

void draft_make(struct draft *d, const struct result *r, const struct panel *p,
                enum chart_kind kind)
{
    *d = (struct draft){.r = r, .panel = p, .kind = kind};
    d->name = xasprintf("%s-%s", kinds[kind].slug, panel_slug(p, r));
    d->title = xasprintf("%s: %s", kinds[kind].title, panel_title(p, r));
    d->series = xcalloc(p->servers_n, sizeof *d->series);
    for (size_t server = 0; server < p->servers_n; server++)
        if (series_make(&d->series[d->series_n], p, r, server, kind))
            d->series_n++;
    choose_axis(d);
    add_remarks(d);
}

void draft_fini(struct draft *d)
{
    remarks_fini(&d->remarks);
    free(d->series);
    free(d->name);
    free(d->title);
    *d = (struct draft){0};
}
