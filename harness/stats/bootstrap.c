/* bootstrap: see bootstrap.h. Efron's percentile interval (Efron and Tibshirani, "An Introduction
   to the Bootstrap", 1993, ch. 13). */
#include "stats/bootstrap.h"

#include "base/alloc.h"
#include "stats/random.h"
#include "stats/sorted.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static double draw(const struct bootstrap *b, size_t *blocks, size_t n, struct random *r)
{
    for (size_t i = 0; i < n; i++)
        blocks[i] = random_below(r, n);
    return b->statistic(blocks, n, b->arg);
}

/* Fills values with the resamples that have a statistic. Returns how many. */
static size_t resample(const struct bootstrap *b, size_t n, double *values, size_t resamples,
                       struct random *r)
{
    size_t *blocks = xcalloc(n, sizeof *blocks);
    size_t count = 0;
    for (size_t i = 0; i < resamples; i++) {
        double value = draw(b, blocks, n, r);
        if (!isnan(value))
            values[count++] = value;
    }
    free(blocks);
    return count;
}

static double whole_sample(const struct bootstrap *b, size_t n)
{
    size_t *blocks = xcalloc(n, sizeof *blocks);
    for (size_t i = 0; i < n; i++)
        blocks[i] = i;
    double value = n > 0 ? b->statistic(blocks, n, b->arg) : NAN;
    free(blocks);
    return value;
}

struct interval bootstrap_interval(const struct bootstrap *b, size_t n, struct random *r)
{
    assert(b->alpha_two_sided > 0 && b->alpha_two_sided < 1);
    struct interval i = {whole_sample(b, n), NAN, NAN, 0, n};
    if (n < BOOTSTRAP_BLOCKS_MIN || isnan(i.estimate))
        return i;
    size_t resamples = b->resamples > 0 ? b->resamples : BOOTSTRAP_RESAMPLES;
    double *values = xcalloc(resamples, sizeof *values);
    size_t count = resample(b, n, values, resamples, r);
    if (20 * (resamples - count) <= resamples) {
        sorted_sort(values, count);
        i.low = sorted_quantile(values, count, b->alpha_two_sided / 2);
        i.high = sorted_quantile(values, count, 1 - b->alpha_two_sided / 2);
        i.confidence = 1 - b->alpha_two_sided;
    }
    free(values);
    return i;
}

struct pair {
    const double *a, *b;
};

static double ratio_of_sums(const size_t *blocks, size_t n, void *arg)
{
    const struct pair *pair = arg;
    double a = 0;
    double b = 0;
    for (size_t i = 0; i < n; i++) {
        a += pair->a[blocks[i]];
        b += pair->b[blocks[i]];
    }
    return b != 0 ? a / b : NAN;
}

struct interval bootstrap_ratio(const double *a, const double *b, size_t n, double alpha_two_sided,
                                struct random *r)
{
    struct pair pair = {a, b};
    struct bootstrap bootstrap = {
        .statistic = ratio_of_sums, .arg = &pair, .alpha_two_sided = alpha_two_sided};
    return bootstrap_interval(&bootstrap, n, r);
}
