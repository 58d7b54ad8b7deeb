/* series: see series.h. */
#include "present/series.h"

#include "present/exclusion.h"

#include <math.h>

/* Okabe and Ito's colours ("Color universal design", 2008), those that are dark enough on white. */
static const struct look looks[] = {
    {"#0072b2", 7, 6, 1, "circle"},          {"#d55e00", 5, 4, 2, "square"},
    {"#007a5a", 9, 8, 4, "triangle"},        {"#a8518a", 13, 12, 5, "diamond"},
    {"#444444", 11, 10, 3, "triangle-down"}, {"#9a6700", 15, 14, 6, "pentagon"},
};

const struct look *series_look(size_t server)
{
    return &looks[server % (sizeof looks / sizeof *looks)];
}

static void take_ratio(struct point *pt, const struct ratio *ratio)
{
    if (!ratio) {
        pt->note = "no ratio";
        return;
    }
    pt->value = ratio->value.estimate;
    pt->low = ratio->value.low;
    pt->high = ratio->value.high;
    pt->note = ratio->note;
}

static void take_cell(struct point *pt, const struct cell_result *c, enum chart_kind kind)
{
    switch (kind) {
    case CHART_THROUGHPUT:
        pt->value = c->requests_per_s;
        pt->low = c->requests_per_s_low;
        pt->high = c->requests_per_s_high;
        break;
    case CHART_CPU: pt->value = c->cpu_ns_per_request / 1e3; break;
    default:
        pt->value = c->latency[kind == CHART_P50 ? LATENCY_P50 : LATENCY_P99];
        pt->censored = c->latency_censored;
    }
}

bool point_is_valid(const struct point *p, enum chart_kind kind)
{
    bool cpu = kind == CHART_CPU || kind == CHART_PARITY_CPU;
    return !p->censored &&
           (p->verdict == VERDICT_VALID || (cpu && p->verdict == VERDICT_CLIENT_BOUND));
}

bool series_make(struct series *s, const struct panel *p, const struct result *r, size_t server,
                 enum chart_kind kind)
{
    bool any = false, parity = kind == CHART_PARITY || kind == CHART_PARITY_CPU;
    *s = (struct series){.server = server};
    if (parity && server == r->plan.reference)
        return false;
    for (size_t level = 0; level < p->levels_n; level++) {
        size_t cell = panel_cell(p, level, server);
        if (cell == PANEL_NONE)
            continue;
        struct point *pt = &s->points[s->n++];
        *pt = (struct point){.level = level,
                             .value = NAN,
                             .low = NAN,
                             .high = NAN,
                             .verdict = r->cells[cell].verdict,
                             .note = exclusion_note(r, cell)};
        if (parity)
            take_ratio(pt,
                       panel_ratio(r, cell, kind == CHART_PARITY ? METRIC_THROUGHPUT : METRIC_CPU));
        else if (r->cells[cell].trials > 0)
            take_cell(pt, &r->cells[cell], kind);
        any |= isfinite(pt->value);
    }
    return any;
}
