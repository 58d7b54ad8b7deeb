/* export_figures: a run as one flat list of named figures, which the formats are written from. */
#include "present/export.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *words, *unit, *measure;
    bool bigger;
};

static const struct kind rate_ratio = {"requests/s ratio", "ratio", "parity-ratio", true};
static const struct kind cpu_ratio = {"CPU per request ratio", "ratio", "parity-cpu-ratio", false};
static const struct kind rate = {"requests/s", "req/s", "requests-per-second", true};
static const struct kind cpu = {"CPU per request", "ns", "cpu-ns-per-request", false};
static const struct kind counts[] = {
    {"instructions per request", "instructions", "instructions-per-request", false},
    {"system calls per request", "calls", "system-calls-per-request", false},
    {"allocations per request", "calls", "allocations-per-request", false},
    {"response bytes", "bytes", "response-bytes", false},
};

static void add(struct export_figures *f, const char *series, const struct kind *k,
                const struct interval *v)
{
    if (!isfinite(v->estimate))
        return;
    struct export_figure *to = xgrow(&f->item, &f->n, sizeof *to);
    snprintf(to->name, sizeof to->name, "%s %s", series, k->words);
    to->name_len = strlen(to->name) - strlen(k->words) - 1;
    to->unit = k->unit;
    to->measure = k->measure;
    to->bigger = k->bigger;
    to->value = v->estimate;
    to->low = v->low;
    to->high = v->high;
    to->blocks = v->n;
}

static void add_number(struct export_figures *f, const char *series, const struct kind *k, double v)
{
    struct interval alone = {.estimate = v, .low = NAN, .high = NAN};
    add(f, series, k, &alone);
}

/* Of a cell whose generator was the limit only CPU time is true. */
static void add_series(struct export_figures *f, const struct history_run *run,
                       const struct history_series *s)
{
    char pair[280];
    const char *own = history_series_name(s);
    if (s->verdict != VERDICT_VALID && s->verdict != VERDICT_CLIENT_BOUND)
        return;
    snprintf(pair, sizeof pair, "%.200s/%.60s", own, run->reference);
    if (s->verdict == VERDICT_VALID) {
        add(f, pair, &rate_ratio, &s->ratio[METRIC_THROUGHPUT]);
        add_number(f, own, &rate, s->requests_per_s);
    }
    add(f, pair, &cpu_ratio, &s->ratio[METRIC_CPU]);
    add_number(f, own, &cpu, s->cpu_ns_per_request);
}

void export_figures_make(struct export_figures *f, const struct history_run *run)
{
    *f = (struct export_figures){0};
    for (size_t i = 0; i < run->series_n; i++)
        add_series(f, run, &run->series[i]);
    for (size_t i = 0; i < run->counts_n; i++) {
        const struct history_counts *c = &run->counts[i];
        char series[200];
        const double values[] = {c->instructions, c->system_calls, c->allocations,
                                 c->response_bytes};
        snprintf(series, sizeof series, "%.90s counted %.90s", c->route, c->server);
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
            add_number(f, series, &counts[k], values[k]);
    }
}

void export_figures_fini(struct export_figures *f)
{
    free(f->item);
    *f = (struct export_figures){0};
}
