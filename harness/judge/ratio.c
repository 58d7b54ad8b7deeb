/* ratio: server / reference by blocks. Hodges and Lehmann's estimate of the paired log ratios with
   the exact signed-rank interval (Hodges & Lehmann 1963; Hollander & Wolfe, ch. 3): both trials of
   a pair come from one block, so what drifts between blocks cancels. Where a generator loaded both
   servers in slices side by side, the block's value is that of its slices (stats/block.h). */
#include "judge/cells.h"

#include "base/alloc.h"
#include "stats/signed_rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double alpha = 0.05;

static bool usable(const struct trial *t, enum metric metric)
{
    return t->verdict == VERDICT_VALID ||
           (metric == METRIC_CPU && t->verdict == VERDICT_CLIENT_BOUND);
}

/* A cell that was judged as a whole (unstable, contract broken) gives no ratio. */
static bool cell_usable(const struct result *r, size_t cell, enum metric metric)
{
    enum verdict v = r->cells[cell].verdict;
    return v == VERDICT_VALID || (metric == METRIC_CPU && v == VERDICT_CLIENT_BOUND);
}

static const struct trial *find(const struct result *r, size_t cell, unsigned block)
{
    for (size_t i = 0; i < r->trials_n; i++)
        if (r->trials[i].cell == cell && r->trials[i].block == block)
            return &r->trials[i];
    return NULL;
}

/* ln(ours / the reference's) by slices; NaN where there were none. */
static double paired_log(const struct result *r, const struct trial *t, enum metric metric)
{
    return r->plan.cells[t->cell].server == r->plan.reference ? 0 : t->paired_log_ratio[metric];
}

/* Both were measured against the reference in one palindrome: the reference cancels. */
static double log_of(const struct result *r, const struct trial *a, const struct trial *b,
                     enum metric metric, bool *paired)
{
    double ours = paired_log(r, a, metric), theirs = paired_log(r, b, metric);
    *paired = r->plan.cells[a->cell].comparison == r->plan.cells[b->cell].comparison &&
              isfinite(ours - theirs);
    if (*paired)
        return ours - theirs;
    double x = metric == METRIC_CPU ? trial_server_cpu_ns(a) : trial_requests_per_s(a);
    double y = metric == METRIC_CPU ? trial_server_cpu_ns(b) : trial_requests_per_s(b);
    return x > 0 && y > 0 ? log(x / y) : NAN;
}

/* Log ratios of the blocks in which both were measured; x->paired when all come from slices. */
static size_t pairs(const struct result *r, size_t ours, size_t theirs, struct ratio *x,
                    double *logs)
{
    size_t n = 0, paired = 0;
    for (unsigned block = 0; block < suite_blocks_most(&r->plan.suite); block++) {
        bool slices = false;
        const struct trial *a = find(r, ours, block), *b = find(r, theirs, block);
        if (!a || !b || !usable(a, x->metric) || !usable(b, x->metric))
            continue;
        logs[n] = log_of(r, a, b, x->metric, &slices);
        paired += isfinite(logs[n]) && slices;
        n += isfinite(logs[n]);
    }
    x->paired = n > 0 && paired == n;
    return n;
}

static void explain(struct ratio *x, const struct result *r, size_t ours, size_t theirs)
{
    size_t needed = signed_rank_smallest_n(alpha);
    const struct cell_result *a = &r->cells[ours], *b = &r->cells[theirs];
    if (x->value.n == 0 && cell_usable(r, ours, x->metric) && cell_usable(r, theirs, x->metric))
        snprintf(x->note, sizeof x->note, "no block has figures of both sides");
    else if (x->value.n == 0)
        snprintf(x->note, sizeof x->note, "%s is %s",
                 cell_usable(r, ours, x->metric) ? "the reference" : "the cell",
                 verdict_name(cell_usable(r, ours, x->metric) ? b->verdict : a->verdict));
    else if (x->value.n < needed)
        snprintf(x->note, sizeof x->note, "%zu block%s too few for a 95 %% interval (%zu needed)",
                 x->value.n, x->value.n == 1 ? " is" : "s are", needed);
}

void ratio_between(const struct result *r, size_t ours, size_t theirs, struct ratio *x)
{
    double *logs = xcalloc(suite_blocks_most(&r->plan.suite), sizeof *logs);
    bool can = cell_usable(r, ours, x->metric) && cell_usable(r, theirs, x->metric);
    size_t n = can ? pairs(r, ours, theirs, x, logs) : 0;
    struct interval i = signed_rank_interval(logs, n, alpha);
    x->value = (struct interval){.estimate = exp(i.estimate),
                                 .low = exp(i.low),
                                 .high = exp(i.high),
                                 .confidence = i.confidence,
                                 .n = n};
    explain(x, r, ours, theirs);
    free(logs);
}

static void add(struct result *r, size_t comparison, size_t server, enum metric metric)
{
    const struct comparison *c = &r->plan.comparisons[comparison];
    struct ratio *x = xgrow(&r->ratios, &r->ratios_n, sizeof *x);
    *x = (struct ratio){.comparison = comparison, .server = server, .metric = metric};
    ratio_between(r, c->first + server, c->first + r->plan.reference, x);
}

void ratios_judge(struct result *r)
{
    free(r->ratios);
    r->ratios = NULL;
    r->ratios_n = 0;
    for (size_t c = 0; c < r->plan.comparisons_n; c++)
        for (size_t s = 0; s < r->plan.servers_n; s++)
            for (int m = 0; m < METRIC_COUNT; m++)
                if (s != r->plan.reference)
                    add(r, c, s, (enum metric)m);
    witnesses_judge(r);
}
