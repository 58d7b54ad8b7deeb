/* duel_plan: see duel_plan.h. */
#include "judge/duel_plan.h"

#include "base/alloc.h"
#include "model/duel.h"
#include "stats/allan.h"
#include "stats/robust.h"

#include <math.h>
#include <stdlib.h>

enum {
    ANSWERS_EACH = 4,   /* on each connection, in a slice */
    BLOCK_SLICES = 16,  /* four palindromes, so that a mean can be trimmed */
    BLOCKS_WANTED = 16, /* fewer have less power than planned: stats/sequential_plan.h */
    HALVINGS = 8,
    LOOKS = 5
};

/* The first number of blocks at which a run of so many can say FAIL: even with all signs alike the
   exact probability is 2^-n, and alpha is spent as t^2. Blocks + 1 when none can. */
static size_t first_look(size_t blocks, double alpha)
{
    for (size_t n = DUEL_DETECT_BLOCKS; n <= blocks; n++) {
        double time = (double)n / (double)blocks;
        if (ldexp(1, -(int)n) <= alpha * time * time)
            return n;
    }
    return blocks + 1;
}

/* The usual looks at 4/16, 7/16, 10/16, 13/16 and all of the blocks; one that could not say FAIL,
   and so has no interval either, is left out or comes later. */
static size_t choose_looks(size_t blocks, double alpha, size_t *looks)
{
    size_t n = 0, first = first_look(blocks, alpha);
    for (size_t i = 0; i < LOOKS; i++) {
        size_t usual = (blocks * (4 + 3 * i) + 8) / 16;
        size_t next = usual > first ? usual : first;
        if (next <= blocks && (n == 0 || next > looks[n - 1]))
            looks[n++] = next;
    }
    return n;
}

int duel_plan_make(struct sequential_plan *plan, size_t blocks, double alpha, double beta)
{
    double low = alpha / 2, high = alpha; /* bounds are below 1.6 times the nominal alpha */
    size_t looks[LOOKS] = {0}, n = choose_looks(blocks, low, looks);
    if (sequential_plan_init(plan, looks, n, alpha, beta) < 0)
        return -1;
    if (sequential_plan_alpha_bound(plan) <= alpha)
        return 0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (sequential_plan_init(plan, looks, n, middle, beta) < 0)
            return -1;
        if (sequential_plan_alpha_bound(plan) > alpha)
            high = middle;
        else
            low = middle;
    }
    return sequential_plan_init(plan, looks, n, low, beta);
}

size_t duel_plan_blocks_least(double alpha)
{
    size_t n = DUEL_DETECT_BLOCKS;
    while (n < SEQUENTIAL_BLOCKS_MAX && first_look(n, alpha / 2) > n)
        n++;
    return n;
}

size_t duel_plan_series(const struct duel_rules *rules, size_t routes_n)
{
    size_t metrics = 0;
    for (int m = 0; m < METRIC_COUNT; m++)
        metrics += rules->metric[m];
    return metrics * (rules->composite ? 1 : routes_n);
}

double duel_plan_detect(double margin, double resolution)
{
    static const double steps_percent[] = {0.5, 1, 2, 4};
    enum {
        STEPS = sizeof steps_percent / sizeof *steps_percent
    };
    double detect = NAN, margin_percent = duel_percent_of_slowdown(margin);
    for (size_t i = 0; i < STEPS && !(detect - margin >= 2 * resolution); i++)
        detect = duel_slowdown_of_percent(margin_percent + steps_percent[i]);
    return detect;
}

double duel_plan_block_s(const struct duel_time *t)
{
    double shortest = fmax(0.25, BLOCK_SLICES * t->slice_s), usual = fmax(1, shortest);
    double few = (t->left_s / BLOCKS_WANTED - t->overhead_s) / t->routes;
    double many = (t->left_s / SEQUENTIAL_BLOCKS_MAX - t->overhead_s) / t->routes;
    if (isnan(t->left_s))
        return usual;
    return fmax(usual > few ? fmax(shortest, few) : usual, many);
}

double duel_plan_slice_s(const struct duel_pilot *p)
{
    static const size_t lengths[] = {1, 2, 4, 10, 20, 40};
    enum {
        LENGTHS = sizeof lengths / sizeof *lengths,
        SHORT = 3 /* noise lasts longer than these: only a slow server needs more */
    };
    double *counts = xcalloc(p->n, sizeof *counts);
    size_t known = 0;
    for (size_t i = 0; i < p->n; i++) {
        counts[i] = isfinite(p->rates[i]) ? p->rates[i] * p->base_s : 0;
        known += isfinite(p->rates[i]);
    }
    double rate = 0;
    if (known) {
        double *rates = xcalloc(known, sizeof *rates);
        for (size_t i = 0, k = 0; i < p->n; i++)
            if (isfinite(p->rates[i]))
                rates[k++] = p->rates[i];
        rate = robust_median(rates, known);
        free(rates);
    }
    size_t best = allan_best_length(counts, p->n, lengths, SHORT, p->gap_s / p->base_s);
    best = best ? best : 1;
    for (size_t i = 0; i < LENGTHS && rate > 0; i++)
        if (lengths[i] > best && rate * (double)best * p->base_s < ANSWERS_EACH * p->connections)
            best = lengths[i];
    free(counts);
    return (double)best * p->base_s;
}
