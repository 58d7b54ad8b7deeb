/* sorted: see sorted.h. */
#include "stats/sorted.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

void sorted_sort(double *x, size_t n)
{
    if (n > 1)
        qsort(x, n, sizeof *x, compare);
}

double *sorted_copy(const double *x, size_t n)
{
    double *copy = xcalloc(n, sizeof *copy);
    if (n > 0)
        memcpy(copy, x, n * sizeof *copy);
    sorted_sort(copy, n);
    return copy;
}

double sorted_quantile(const double *sorted, size_t n, double q)
{
    assert(q >= 0 && q <= 1);
    if (n == 0)
        return NAN;
    double h = (double)(n - 1) * q;
    size_t below = (size_t)h;
    if (below + 1 >= n)
        return sorted[n - 1];
    /* Weights, not a + (b - a) * f: two equal neighbours then give exactly their value. */
    double part = h - (double)below;
    return part > 0 ? sorted[below] * (1 - part) + sorted[below + 1] * part : sorted[below];
}
