/* cells: medians over blocks, and whether the blocks agree. See cells.h. */
#include "judge/cells.h"

#include "base/alloc.h"
#include "base/err.h"
#include "stats/robust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest block / smallest block above which one figure for the cell would mislead. Neighbours on a
   shared 2-core machine move 1 s of wrk by 30 %. */
static const double spread_limit = 1.6;

typedef double figure_of(const struct trial *t, const void *arg);

static double rate_of(const struct trial *t, const void *arg)
{
    (void)arg;
    return trial_requests_per_s(t);
}
static double mean_of(const struct trial *t, const void *arg)
{
    (void)arg;
    return t->tally.latency.mean;
}
static double percentile_of(const struct trial *t, const void *arg)
{
    return t->tally.latency.p[*(const int *)arg];
}
static double resolution_of(const struct trial *t, const void *arg)
{
    (void)arg;
    return t->tally.latency.resolution;
}
static double server_cpu_of(const struct trial *t, const void *arg)
{
    (void)arg;
    return trial_server_cpu_ns(t);
}
static double client_cpu_of(const struct trial *t, const void *arg)
{
    (void)arg;
    return trial_client_cpu_ns(t);
}
static double rss_of(const struct trial *t, const void *arg)
{
    (void)arg;
    return t->usage.server_peak_rss_kib;
}
static double server_busy_of(const struct trial *t, const void *arg)
{
    return validity_server_busy(t, arg);
}
static double client_busy_of(const struct trial *t, const void *arg)
{
    return validity_client_busy(t, arg);
}

/* Trials of one cell, and room for their figures. */
struct group {
    const struct trial **trial;
    size_t n;
    double *value;
};

/* The known figures of a group into g->value; returns how many. */
static size_t collect(struct group *g, figure_of *figure, const void *arg)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        double v = figure(g->trial[i], arg);
        if (isfinite(v))
            g->value[n++] = v;
    }
    return n;
}

static double median(struct group *g, figure_of *figure, const void *arg)
{
    return robust_median(g->value, collect(g, figure, arg));
}

/* Those of the cell's trials that are to be summed up: the valid ones, or without any all that
   measured something. */
static void gather(struct group *g, const struct result *r, size_t cell, bool valid_only)
{
    g->n = 0;
    for (size_t i = 0; i < r->trials_n; i++) {
        const struct trial *t = &r->trials[i];
        if (t->cell == cell && (valid_only ? t->verdict == VERDICT_VALID : t->tally.requests > 0))
            g->trial[g->n++] = t;
    }
}

static void summarise(struct cell_result *c, struct group *g, const struct conditions *k)
{
    size_t n = collect(g, rate_of, NULL);
    c->requests_per_s = robust_median(g->value, n);
    c->requests_per_s_low = robust_quantile(g->value, n, 0);
    c->requests_per_s_high = robust_quantile(g->value, n, 1);
    for (int i = 0; i < LATENCY_N; i++)
        c->latency[i] = median(g, percentile_of, &i);
    c->latency_mean = median(g, mean_of, NULL);
    c->latency_resolution = median(g, resolution_of, NULL);
    c->latency_corrected = c->latency_censored = false;
    for (size_t i = 0; i < g->n; i++) {
        c->latency_corrected |= g->trial[i]->tally.latency.corrected;
        c->latency_censored |= g->trial[i]->tally.latency.censored;
    }
    c->cpu_ns_per_request = median(g, server_cpu_of, NULL);
    c->client_cpu_ns_per_request = median(g, client_cpu_of, NULL);
    c->server_busy = median(g, server_busy_of, k);
    c->client_busy = median(g, client_busy_of, k);
    c->peak_rss_kib = median(g, rss_of, NULL);
}

/* The verdict that most of the cell's trials share, with the note of the first of them. A cell is
   valid when more than half of its trials are. */
static void vote(struct cell_result *c, const struct result *r, size_t cell)
{
    unsigned votes[VERDICT_COUNT] = {0};
    const struct trial *first[VERDICT_COUNT] = {NULL};
    int best = VERDICT_VALID;
    c->trials = 0;
    for (size_t i = 0; i < r->trials_n; i++) {
        const struct trial *t = &r->trials[i];
        if (t->cell != cell)
            continue;
        c->trials++;
        if (votes[t->verdict]++ == 0)
            first[t->verdict] = t;
    }
    c->valid = votes[VERDICT_VALID];
    if (c->trials == 0 || c->valid * 2 > c->trials) {
        best = VERDICT_VALID;
    } else {
        votes[VERDICT_VALID] = 0;
        for (int v = 0; v < VERDICT_COUNT; v++)
            if (votes[v] > votes[best])
                best = v;
    }
    if (c->trials) {
        c->verdict = (enum verdict)best;
        snprintf(c->note, sizeof c->note, "%s", first[best] ? first[best]->note : "");
    }
}

static void judge_one(struct result *r, size_t index, struct group *g, const struct conditions *k)
{
    struct cell_result *c = &r->cells[index];
    const char *skipped = r->plan.cells[index].skipped;
    if (skipped) {
        c->verdict = VERDICT_SKIPPED;
        snprintf(c->note, sizeof c->note, "%s", skipped);
    } else {
        vote(c, r, index);
    }
    gather(g, r, index, !skipped && c->valid > 0);
    unsigned own = r->plan.servers[r->plan.cells[index].server].workers;
    struct conditions of_server = *k;
    of_server.workers = own ? own : k->workers;
    summarise(c, g, &of_server);
    double low = c->requests_per_s_low, high = c->requests_per_s_high;
    if (c->verdict == VERDICT_VALID && high > low * spread_limit) {
        c->verdict = VERDICT_UNSTABLE;
        snprintf(c->note, sizeof c->note, "blocks range from %.4g to %.4g requests/s", low, high);
    }
}

void cells_judge(struct result *r, const struct conditions *k)
{
    struct group g = {.trial = xcalloc(r->trials_n, sizeof(const struct trial *)),
                      .value = xcalloc(r->trials_n, sizeof *g.value)};
    for (size_t i = 0; i < r->plan.cells_n; i++)
        judge_one(r, i, &g, k);
    free(g.trial);
    free(g.value);
}

int cells_exit_code(const struct result *r)
{
    bool valid = false, failed = false, tool = false;
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        enum verdict v = r->cells[i].verdict;
        valid |= v == VERDICT_VALID;
        failed |= v == VERDICT_CONTRACT_BROKEN || v == VERDICT_BOOT_FAILED ||
                  v == VERDICT_SERVER_DIED || v == VERDICT_ERRORS || v == VERDICT_KEEPALIVE_LOST ||
                  v == VERDICT_CONNECT_FAILED || v == VERDICT_NO_DATA;
        tool |= v == VERDICT_TOOL_FAILED || v == VERDICT_TOOL_TIMEOUT;
    }
    return failed ? EXIT_FAIL : tool ? EXIT_MACHINE : valid ? EXIT_DONE : EXIT_INCONCLUSIVE;
}
