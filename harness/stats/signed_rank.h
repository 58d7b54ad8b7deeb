/* signed_rank: Wilcoxon's signed-rank test and the interval that belongs to it (Biometrics Bulletin
   1, 1945; Hollander and Wolfe, ch. 3), free of any assumption but symmetry about the centre. The
   coin that orders a block makes its value symmetric, whatever the noise is. Exact up to
   SIGNED_RANK_EXACT values; beyond, p comes from the normal distribution with continuity
   correction: within 1 %, and below 0.04 never too small (13 % too large at 0.0005).

   W+ is the sum of the ranks of |x| over the positive x; tied |x| share the mean of their ranks,
   zeros give half their rank to each side. It is then a multiple of 1/2, so it travels doubled
   ("w2") in an integer. With many ties, which measured numbers don't have, the level holds only on
   average. */
#ifndef STATS_SIGNED_RANK_H
#define STATS_SIGNED_RANK_H

#include "stats/interval.h"

#include <stddef.h>

enum {
    SIGNED_RANK_EXACT = 120
};

/* Twice W+ of n values. */
size_t signed_rank_w2_plus(const double *x, size_t n);

/* P(W+ >= w2 / 2) when every sign is a fair coin. Half a rank is rounded down. */
double signed_rank_p_greater(size_t w2, size_t n);

/* The smallest integer w with P(W+ >= w) <= p, or n(n+1)/2 + 1 when no w is that rare. */
size_t signed_rank_critical(size_t n, double p);

/* Hodges and Lehmann's estimate: the median of the n(n+1)/2 Walsh averages (x_i + x_j) / 2, i <= j.
   NaN for n = 0. */
double signed_rank_estimate(const double *x, size_t n);

/* The estimate with the narrowest exact interval of confidence >= 1 - alpha_two_sided. When n is
   too small for that alpha (n < 6 for 0.05) low and high are NaN and confidence is 0. */
struct interval signed_rank_interval(const double *x, size_t n, double alpha_two_sided);

/* The same interval from a critical value: all centres that a test with "reject when W+ >=
   critical" on either side keeps. critical > n(n+1)/2 gives no interval. */
struct interval signed_rank_interval_at(const double *x, size_t n, size_t critical);

/* How many values signed_rank_interval needs before it can give an interval. */
size_t signed_rank_smallest_n(double alpha_two_sided);

#endif
