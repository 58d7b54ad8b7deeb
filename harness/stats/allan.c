/* allan: see allan.h. */
#include "stats/allan.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    SLICES_MIN = 8
};

/* ln of the count of m intervals from each start 0..n-m; -infinity where there is none. */
static double *log_sums(const double *counts, size_t n, size_t m)
{
    double *logs = xcalloc(n - m + 1, sizeof *logs);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += counts[i];
        if (i + 1 >= m) {
            logs[i + 1 - m] = log(sum);
            sum -= counts[i + 1 - m]; /* counts are whole numbers: exact */
        }
    }
    return logs;
}

double allan_variance(const double *counts, size_t n, size_t m)
{
    assert(m > 0);
    if (m > n / 2)
        return NAN;
    double *logs = log_sums(counts, n, m);
    double squares = 0;
    size_t pairs = 0;
    for (size_t i = 0; i + 2 * m <= n; i++) {
        double d = logs[i + m] - logs[i];
        if (isfinite(d)) {
            squares += d * d;
            pairs++;
        }
    }
    free(logs);
    return pairs > 0 ? squares / (2 * (double)pairs) : NAN;
}

size_t allan_best_length(const double *counts, size_t n, const size_t *lengths, size_t length_count,
                         double guard)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < length_count; i++) {
        if (lengths[i] == 0 || lengths[i] > n / SLICES_MIN)
            continue;
        double cost = allan_variance(counts, n, lengths[i]) * ((double)lengths[i] + guard);
        if (cost < least) { /* false for NaN */
            least = cost;
            best = lengths[i];
        }
    }
    return best;
}
