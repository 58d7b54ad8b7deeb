/* sequential: a signed-rank test that may stop early at planned looks and keeps its error rates.
   Values are log slowdowns of B against A, one a block, symmetric about the truth. FAIL says that
   the slowdown is above delta0 (wrong with probability <= alpha), PASS that it is below delta1
   (wrong with probability <= beta). */
#ifndef STATS_SEQUENTIAL_H
#define STATS_SEQUENTIAL_H

#include "stats/decision.h"
#include "stats/interval.h"
#include "stats/sequential_plan.h"

#include <stdbool.h>
#include <stddef.h>

struct sequential {
    struct sequential_plan plan;
    double delta0, delta1;
    double values[SEQUENTIAL_BLOCKS_MAX];
    size_t n;               /* values so far */
    size_t look_count;      /* looks taken */
    enum decision decision; /* the latest; stays once it isn't CONTINUE */
};

/* delta0 < delta1, log slowdowns. Copies the plan; nothing to free. */
void sequential_init(struct sequential *test, const struct sequential_plan *plan, double delta0,
                     double delta1);

/* Takes the next block's value (finite) and says what to do. Between looks: CONTINUE. PASS only
   where delta0 + resolution <= delta1, else the run goes on, at last to UNDECIDED. Values that come
   after the decision are ignored. */
enum decision sequential_feed(struct sequential *test, double value);

/* Whether the latest value completed a look. */
bool sequential_at_look(const struct sequential *test);

/* Hodges-Lehmann and the repeated confidence interval at the latest look taken, valid however the
   run stopped; confidence = 1 - 2 alpha over all looks together. Its low end is above delta0
   exactly when that look says FAIL. Before the first look, and at one that can't fail: estimate
   only. */
struct interval sequential_interval(const struct sequential *test);

/* sequential_plan_resolution with the sd of the values so far; NaN before two values. */
double sequential_resolution(const struct sequential *test);

#endif
