/* sequential_plan: when a sequential signed-rank test looks and what it takes to stop there. Both
   boundaries spend their error as t^2 of the fraction of blocks t (power family; Jennison and
   Turnbull, "Group Sequential Methods", 2000, ch. 7). Not stopping at a PASS boundary never costs
   alpha (it is not binding). */
#ifndef STATS_SEQUENTIAL_PLAN_H
#define STATS_SEQUENTIAL_PLAN_H

#include "stats/signed_rank.h"

#include <stddef.h>

enum {
    SEQUENTIAL_LOOKS_MAX = 16,
    SEQUENTIAL_BLOCKS = 48,
    SEQUENTIAL_BLOCKS_MAX = SIGNED_RANK_EXACT
};

struct sequential_look {
    size_t n;      /* after this many blocks */
    double z_fail; /* boundaries of the normal statistic */
    double z_pass;
    double p_fail; /* the level of this look: 1 - Phi(z_fail) */
    size_t w_fail; /* FAIL if W+ >= w_fail; n(n+1)/2 + 1: can't fail at this look */
    long w_pass;   /* PASS if W+ <= w_pass; -1: can't pass at this look */
};

struct sequential_plan {
    double alpha, beta; /* one-sided */
    double drift;       /* effect / sd * sqrt(blocks) that the normal test misses with beta */
    size_t look_count;
    struct sequential_look looks[SEQUENTIAL_LOOKS_MAX];
};

/* Computes the boundaries for looks after these numbers of blocks (rising, the last one at most
   SEQUENTIAL_BLOCKS_MAX). For m metrics or routes that may each fail, give alpha / m (Bonferroni).
   Takes some ms. Returns 0, or -1 when looks, alpha or beta (each in 0.00001..0.4) make no plan. */
int sequential_plan_init(struct sequential_plan *plan, const size_t *looks, size_t look_count,
                         double alpha, double beta) __attribute__((warn_unused_result));

/* The usual five looks at 4/16, 7/16, 10/16, 13/16 and all of the blocks: 12 21 30 39 48 of 48.
   Returns 0, or -1 when blocks (5..SEQUENTIAL_BLOCKS_MAX), alpha or beta make no plan. */
int sequential_plan_init_blocks(struct sequential_plan *plan, size_t blocks, double alpha,
                                double beta) __attribute__((warn_unused_result));

/* How many blocks the whole plan has. */
size_t sequential_plan_blocks(const struct sequential_plan *plan);

/* What the false alarms can't exceed whatever the noise does, as long as the coin is fair: the sum
   of the exact probabilities at the looks. Each look is exact for any noise, but alpha is what they
   have together only when the noise is alike over the run: 0.0102 simulated for 48 blocks and
   alpha 0.01, 0.0111 with drift and bursts, 0.013 when noise doubles every four blocks; bound
   0.0151. A plan for alpha 0.0068 has a bound below 0.01 and resolves 3.5 % less. */
double sequential_plan_alpha_bound(const struct sequential_plan *plan);

/* The slowdown above delta0 that the whole plan detects with power 1 - beta when block values have
   this sd (0 or more; NaN gives NaN): 0.64 sd for 48 blocks, alpha 1 %, beta 5 %. For normal noise,
   the least favourable; simulated power there is 0.95 for 32 blocks and more, 0.91 for 16. */
double sequential_plan_resolution(const struct sequential_plan *plan, double sd);

/* How many blocks this plan's alpha and beta need to resolve delta = delta1 - delta0 with this sd:
   never fewer than the plan has, never more than SEQUENTIAL_BLOCKS_MAX. The sd may come from the
   run's own first blocks (a pilot of 8), for it doesn't say who is slower (blinded re-estimation):
   then make a new plan of this many blocks and feed it the pilot's values too. */
size_t sequential_plan_horizon(const struct sequential_plan *plan, double sd, double delta);

#endif
