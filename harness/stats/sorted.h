/* sorted: numbers in rising order. Inputs hold no NaN. */
#ifndef STATS_SORTED_H
#define STATS_SORTED_H

#include <stddef.h>

void sorted_sort(double *x, size_t n);

/* A sorted copy of x; the caller frees it. */
double *sorted_copy(const double *x, size_t n) __attribute__((returns_nonnull));

/* Quantile q in 0..1 of sorted values by definition 7 of Hyndman and Fan; NaN for n = 0. */
double sorted_quantile(const double *sorted, size_t n, double q);

#endif
