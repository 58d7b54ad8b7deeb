/* distribution: the few distribution functions that the other files need. Arguments outside a
   function's domain, and NaN, give NaN. */
#ifndef STATS_DISTRIBUTION_H
#define STATS_DISTRIBUTION_H

#include "stats/interval.h"

#include <stddef.h>

/* Standard normal: P(Z <= z) and its inverse (p in 0..1; 0 and 1 give -+infinity). */
double distribution_normal_cdf(double z);
double distribution_normal_quantile(double p);

/* Beta(a, b), a and b > 0: the regularised incomplete beta function I_x(a, b) and its inverse. */
double distribution_beta_cdf(double x, double a, double b);
double distribution_beta_quantile(double p, double a, double b);

/* Student's t with df > 0 degrees of freedom: P(T <= t), and P(|T| >= |t|) without cancellation. */
double distribution_t_cdf(double t, double df);
double distribution_t_two_sided(double t, double df);

/* Clopper and Pearson's exact interval for a probability, k successes in n trials (Biometrika 26,
   1934), half of alpha on each side: 0 of 299 at alpha_two_sided 0.10 says "at most 1.0 %, 95 %
   sure". Nothing for n = 0 or k > n. */
struct interval distribution_binomial_interval(size_t k, size_t n, double alpha_two_sided);

#endif
