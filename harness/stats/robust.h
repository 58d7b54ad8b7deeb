/* robust: one number from many. Nothing here modifies its input or remembers anything; n = 0, and
   whatever n is too small for, gives NaN. Inputs hold no NaN: the caller leaves out what it
   doesn't know. */
#ifndef STATS_ROBUST_H
#define STATS_ROBUST_H

#include <stddef.h>

double robust_mean(const double *x, size_t n);

/* Sample standard deviation, divisor n - 1; NaN for n < 2. */
double robust_sd(const double *x, size_t n);

/* sd / |mean|; NaN for n < 2 or mean 0. */
double robust_cv(const double *x, size_t n);

/* The middle value; the mean of the two middle ones when n is even. */
double robust_median(const double *x, size_t n);

/* Quantile q in 0..1 by definition 7 of Hyndman and Fan (The American Statistician 50(4), 1996),
   the default of R and numpy: linear between order statistics at h = (n - 1) q. */
double robust_quantile(const double *x, size_t n, double q);

/* Median absolute deviation from the median times 1.4826, which makes it estimate sd for normal
   noise (Rousseeuw and Croux, JASA 88, 1993). */
double robust_mad(const double *x, size_t n);

/* Mean of what is left after floor(n * fraction) values are dropped on each side;
   0 <= fraction < 0.5 (0.2 is the "20 % trimmed mean"). */
double robust_trimmed_mean(const double *x, size_t n, double fraction);

#endif
