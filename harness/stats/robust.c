/* robust: see robust.h. Sorts copies; the samples are some thousand values at most. */
#include "stats/robust.h"

#include "base/alloc.h"
#include "stats/sorted.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

double robust_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n > 0 ? sum / (double)n : NAN;
}

/* Two passes: the textbook's sum of squares would cancel for rates that differ in the last digits.
 */
double robust_sd(const double *x, size_t n)
{
    if (n < 2)
        return NAN;
    double mean = robust_mean(x, n);
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)(n - 1));
}

double robust_cv(const double *x, size_t n)
{
    double mean = robust_mean(x, n);
    if (n < 2 || mean == 0)
        return NAN;
    return robust_sd(x, n) / fabs(mean);
}

double robust_quantile(const double *x, size_t n, double q)
{
    double *sorted = sorted_copy(x, n);
    double quantile = sorted_quantile(sorted, n, q);
    free(sorted);
    return quantile;
}

double robust_median(const double *x, size_t n)
{
    return robust_quantile(x, n, 0.5);
}

double robust_mad(const double *x, size_t n)
{
    double median = robust_median(x, n);
    double *distance = xcalloc(n, sizeof *distance);
    for (size_t i = 0; i < n; i++)
        distance[i] = fabs(x[i] - median);
    double mad = 1.4826 * robust_median(distance, n);
    free(distance);
    return mad;
}

double robust_trimmed_mean(const double *x, size_t n, double fraction)
{
    assert(fraction >= 0 && fraction < 0.5);
    size_t cut = (size_t)((double)n * fraction);
    double *sorted = sorted_copy(x, n);
    double mean = robust_mean(sorted + cut, n - 2 * cut);
    free(sorted);
    return mean;
}
