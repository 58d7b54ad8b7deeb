/* holm: several tests, one error rate. Holm's step-down (Scandinavian Journal of Statistics 6,
   1979): P(any true null hypothesis rejected) <= alpha whatever the dependence of the p values. */
#ifndef STATS_HOLM_H
#define STATS_HOLM_H

#include <stddef.h>

/* Writes the adjusted p value of each of the n tests: reject those <= alpha. A NaN (a test that
   could not be made) stays NaN and still counts as one of the n. */
void holm_adjust(const double *p, size_t n, double *adjusted);

#endif
