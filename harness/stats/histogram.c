/* histogram: see histogram.h. Values below 2048 ns have a bucket each; above, bucket (shift, sub)
   holds the values v with v >> shift == sub, sub in 1024..2047. Nothing here knows what the values
   mean. */
#include "stats/histogram.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert(HISTOGRAM_MAX_NS < UINT64_C(2048) << HISTOGRAM_OCTAVES, "the last octave holds 1 h");

static unsigned bucket_of(uint64_t v)
{
    if (v < 2 * HISTOGRAM_SUB)
        return (unsigned)v;
    unsigned shift = 63u - (unsigned)__builtin_clzll(v) - 10u;
    return shift * HISTOGRAM_SUB + (unsigned)(v >> shift);
}

static unsigned shift_of(unsigned bucket)
{
    return bucket < 2 * HISTOGRAM_SUB ? 0 : bucket / HISTOGRAM_SUB - 1;
}

static uint64_t lowest_of(unsigned bucket)
{
    unsigned shift = shift_of(bucket);
    return (uint64_t)(bucket - shift * HISTOGRAM_SUB) << shift;
}

static uint64_t highest_of(unsigned bucket)
{
    return lowest_of(bucket) + (UINT64_C(1) << shift_of(bucket)) - 1;
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    /* INT64_MAX: the sum must fit a JSON integer. It takes 292 years of latency to get there. */
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

struct histogram *histogram_new(void)
{
    struct histogram *h = xcalloc(1, sizeof *h);
    histogram_reset(h);
    return h;
}

void histogram_reset(struct histogram *h)
{
    if (h->total)
        memset(h->counts + h->first, 0, (h->last - h->first + 1) * sizeof *h->counts);
    h->total = h->sum_ns = h->max_ns = h->beyond = 0;
    h->min_ns = UINT64_MAX;
    h->first = HISTOGRAM_BUCKETS;
    h->last = 0;
}

static void widen(struct histogram *h, unsigned first, unsigned last)
{
    if (first < h->first)
        h->first = first;
    if (last > h->last)
        h->last = last;
}

void histogram_record(struct histogram *h, uint64_t value_ns)
{
    if (value_ns > HISTOGRAM_MAX_NS) {
        value_ns = HISTOGRAM_MAX_NS;
        h->beyond++;
    }
    unsigned b = bucket_of(value_ns);
    h->counts[b]++;
    h->total++;
    h->sum_ns = add_saturated(h->sum_ns, value_ns);
    if (value_ns < h->min_ns)
        h->min_ns = value_ns;
    if (value_ns > h->max_ns)
        h->max_ns = value_ns;
    widen(h, b, b);
}

static void merge_scalars(struct histogram *into, const struct histogram *from)
{
    into->total += from->total;
    into->sum_ns = add_saturated(into->sum_ns, from->sum_ns);
    into->beyond += from->beyond;
    if (from->min_ns < into->min_ns)
        into->min_ns = from->min_ns;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    if (!from->total)
        return;
    for (unsigned b = from->first; b <= from->last; b++)
        into->counts[b] += from->counts[b];
    merge_scalars(into, from);
    widen(into, from->first, from->last);
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
    if (!h->total)
        return 0;
    /* Nearest rank: the smallest value with at least percent of all values at or below it. */
    double wanted = ceil(percent / 100.0 * (double)h->total);
    uint64_t rank = wanted < 1 ? 1 : wanted >= (double)h->total ? h->total : (uint64_t)wanted;
    uint64_t seen = 0;
    for (unsigned b = h->first; b <= h->last; b++) {
        seen += h->counts[b];
        if (seen >= rank) {
            uint64_t high = highest_of(b);
            return high < h->max_ns ? high : h->max_ns;
        }
    }
    return h->max_ns;
}

double histogram_mean_ns(const struct histogram *h)
{
    return h->total ? (double)h->sum_ns / (double)h->total : 0;
}

size_t histogram_export(const struct histogram *h, struct histogram_bin *bins, size_t room)
{
    size_t n = 0;
    for (unsigned b = h->first; h->total && b <= h->last; b++) {
        if (!h->counts[b])
            continue;
        if (n < room)
            bins[n] = (struct histogram_bin){lowest_of(b), h->counts[b]};
        n++;
    }
    return n;
}

/* Are these bins what a histogram with like's figures would have exported? */
static int bins_agree(const struct histogram_bin *bins, size_t n, const struct histogram *like)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (bins[i].value_ns > HISTOGRAM_MAX_NS || bins[i].count == 0 ||
            (i && bucket_of(bins[i].value_ns) <= bucket_of(bins[i - 1].value_ns)))
            return 0;
        total += bins[i].count;
    }
    if (n == 0)
        return like->total == 0;
    return total == like->total && like->min_ns <= like->max_ns &&
           like->max_ns <= HISTOGRAM_MAX_NS &&
           bucket_of(like->min_ns) == bucket_of(bins[0].value_ns) &&
           bucket_of(like->max_ns) == bucket_of(bins[n - 1].value_ns);
}

int histogram_import(struct histogram *h, const struct histogram_bin *bins, size_t n,
                     const struct histogram *like)
{
    if (!bins_agree(bins, n, like))
        return -1;
    for (size_t i = 0; i < n; i++) {
        unsigned b = bucket_of(bins[i].value_ns);
        h->counts[b] += bins[i].count;
        widen(h, b, b);
    }
    if (n)
        merge_scalars(h, like);
    return 0;
}
