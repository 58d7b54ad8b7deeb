/* signed_rank: see signed_rank.h. Walsh averages are all kept and sorted: 7260 of them for 120
   blocks. Knows nothing of looks and stopping. */
#include "stats/signed_rank.h"

#include "base/alloc.h"
#include "stats/distribution.h"
#include "stats/sorted.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct magnitude {
    double size;
    bool positive;
};

static size_t rank_sum(size_t n)
{
    return n * (n + 1) / 2;
}

static int compare_magnitudes(const void *a, const void *b)
{
    double x = ((const struct magnitude *)a)->size;
    double y = ((const struct magnitude *)b)->size;
    return (x > y) - (x < y);
}

/* Ranks first+1..end are tied: twice their mean is first + 1 + end. */
static size_t tied_w2(const struct magnitude *m, size_t first, size_t end)
{
    size_t w2 = 0;
    size_t rank2 = first + 1 + end;
    if (m[first].size == 0)
        return (end - first) * rank2 / 2; /* even: zeros are the lowest ranks, k (k + 1) */
    for (size_t i = first; i < end; i++)
        w2 += m[i].positive ? rank2 : 0;
    return w2;
}

size_t signed_rank_w2_plus(const double *x, size_t n)
{
    struct magnitude *m = xcalloc(n, sizeof *m);
    for (size_t i = 0; i < n; i++)
        m[i] = (struct magnitude){fabs(x[i]), x[i] > 0};
    if (n > 1)
        qsort(m, n, sizeof *m, compare_magnitudes);
    size_t w2 = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && m[end].size == m[first].size;)
            end++;
        w2 += tied_w2(m, first, end);
    }
    free(m);
    return w2;
}

/* P(W+ = w) for w = 0..n(n+1)/2: each rank k is in the sum or not, by a fair coin. The caller
 * frees. */
static double *null_distribution(size_t n)
{
    double *p = xcalloc(rank_sum(n) + 1, sizeof *p);
    p[0] = 1;
    for (size_t k = 1; k <= n; k++) {
        for (size_t w = rank_sum(k); w >= k; w--)
            p[w] = p[w] / 2 + p[w - k] / 2;
        for (size_t w = k; w-- > 0;)
            p[w] /= 2;
    }
    return p;
}

static double null_sd(size_t n)
{
    return sqrt((double)rank_sum(n) * (double)(2 * n + 1) / 12);
}

double signed_rank_p_greater(size_t w2, size_t n)
{
    size_t w = w2 / 2;
    size_t sum = rank_sum(n);
    if (n > SIGNED_RANK_EXACT)
        return distribution_normal_cdf(((double)sum / 2 - (double)w + 0.5) / null_sd(n));
    double *p = null_distribution(n);
    double tail = 0;
    for (size_t i = sum + 1; i-- > w;)
        tail += p[i];
    free(p);
    return tail;
}

size_t signed_rank_critical(size_t n, double p)
{
    size_t sum = rank_sum(n);
    if (n > SIGNED_RANK_EXACT) {
        double w = (double)sum / 2 + 0.5 - null_sd(n) * distribution_normal_quantile(p);
        return w > (double)sum ? sum + 1 : (size_t)ceil(fmax(w, 0));
    }
    double *mass = null_distribution(n);
    double tail = 0;
    size_t w = sum + 1;
    while (w > 0 && tail + mass[w - 1] <= p)
        tail += mass[--w];
    free(mass);
    return w;
}

/* All averages of two values and of each with itself, rising. The caller frees. */
static double *walsh_averages(const double *x, size_t n)
{
    double *walsh = xcalloc(rank_sum(n), sizeof *walsh);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            walsh[count++] = x[i] / 2 + x[j] / 2;
    sorted_sort(walsh, count);
    return walsh;
}

double signed_rank_estimate(const double *x, size_t n)
{
    double *walsh = walsh_averages(x, n);
    double estimate = sorted_quantile(walsh, rank_sum(n), 0.5);
    free(walsh);
    return estimate;
}

/* W+ of x - centre counts the Walsh averages above the centre (Tukey), so the centres that both
   one-sided tests keep lie between two of them. */
struct interval signed_rank_interval_at(const double *x, size_t n, size_t critical)
{
    size_t sum = rank_sum(n);
    assert(2 * critical > sum);
    double *walsh = walsh_averages(x, n);
    struct interval i = {sorted_quantile(walsh, sum, 0.5), NAN, NAN, 0, n};
    if (critical <= sum) {
        i.low = walsh[sum - critical];
        i.high = walsh[critical - 1];
        i.confidence = 1 - 2 * signed_rank_p_greater(2 * critical, n);
    }
    free(walsh);
    return i;
}

struct interval signed_rank_interval(const double *x, size_t n, double alpha_two_sided)
{
    assert(alpha_two_sided > 0 && alpha_two_sided < 1);
    return signed_rank_interval_at(x, n, signed_rank_critical(n, alpha_two_sided / 2));
}

size_t signed_rank_smallest_n(double alpha_two_sided)
{
    assert(alpha_two_sided > 0 && alpha_two_sided < 1);
    size_t n = 0;
    /* The rarest outcome, all signs positive, has probability 2^-n. */
    while (ldexp(1, -(int)n) > alpha_two_sided / 2)
        n++;
    return n;
}
