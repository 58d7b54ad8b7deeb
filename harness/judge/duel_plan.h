/* duel_plan: what a duel decides before its first block, or from the noise alone, which doesn't say
   who is slower. */
#ifndef JUDGE_DUEL_PLAN_H
#define JUDGE_DUEL_PLAN_H

#include "stats/sequential_plan.h"

struct duel_rules;

enum {
    DUEL_PILOT_BLOCKS = 8, /* that re-estimation of the horizon looks at */
    DUEL_DETECT_BLOCKS = 6 /* that the choice of detect needs at least */
};

/* A plan of so many blocks whose false alarms can't exceed alpha whatever the noise does: its
   nominal alpha is the largest whose bound (sequential_plan_alpha_bound) is at most alpha. For
   several series give each its share of alpha. Every look can say FAIL, and so has an interval.
   Returns 0, or -1 when there is none. */
int duel_plan_make(struct sequential_plan *plan, size_t blocks, double alpha, double beta)
    __attribute__((warn_unused_result));

/* The fewest blocks whose plan can say FAIL at all, for this alpha. */
size_t duel_plan_blocks_least(double alpha);

/* How many series are tested. */
size_t duel_plan_series(const struct duel_rules *rules, size_t routes_n);

/* delta1 from the resolution of the first blocks: margin plus 0.5, 1, 2 or 4 %, the smallest that
   is at least twice the resolution (which few blocks underestimate by a half at worst), 4 % at
   most: a noisier run ends undecided. */
double duel_plan_detect(double margin, double resolution);

/* What a block's length has to fit into. */
struct duel_time {
    double left_s;     /* of the budget; NaN: there is none */
    double overhead_s; /* of a block, besides its slices */
    double slice_s;    /* the longest of all routes */
    double routes;
};

/* Seconds of slices on each route of a block: 1 s, or what 16 slices take if that is longer;
   shorter (to a quarter of a second) where the budget would not hold 16 blocks, longer where it
   would hold more than a test can use. */
double duel_plan_block_s(const struct duel_time *t);

/* Slices of a pilot: one side loaded alone in slices of base_s. */
struct duel_pilot {
    const double *rates; /* requests/s of each slice, in time order */
    size_t n;
    double base_s;
    double gap_s; /* lost between two slices */
    unsigned connections;
};

/* The slice length for a side: the one of 5, 10, 20, 50, 100, 200 ms at which the Allan variance
   promises the most precise run, but long enough for four answers on each connection. base_s when
   nothing can be judged. */
double duel_plan_slice_s(const struct duel_pilot *pilot);

#endif
