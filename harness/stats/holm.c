/* holm: see holm.h. */
#include "stats/holm.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

struct test {
    double p;
    size_t index;
};

/* Unknown p last: they weigh on the others only by their number. */
static int compare(const void *a, const void *b)
{
    double x = ((const struct test *)a)->p;
    double y = ((const struct test *)b)->p;
    if (isnan(x) || isnan(y))
        return (isnan(x) != 0) - (isnan(y) != 0);
    return (x > y) - (x < y);
}

void holm_adjust(const double *p, size_t n, double *adjusted)
{
    struct test *tests = xcalloc(n, sizeof *tests);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct test){p[i], i};
    if (n > 1)
        qsort(tests, n, sizeof *tests, compare);
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double own = tests[i].p * (double)(n - i);
        if (own > largest) /* false for NaN */
            largest = fmin(own, 1);
        adjusted[tests[i].index] = isnan(own) ? NAN : largest;
    }
    free(tests);
}
