/* histogram: latencies in fixed memory at 3 significant digits. The idea is HdrHistogram's (Gil
   Tene, hdrhistogram.org): linear sub-buckets inside every power of two, so that the relative error
   is bounded everywhere, recording is O(1), and merging adds counts and loses nothing. */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_SUB =
        1024, /* buckets in a power of two: each <= 1/1024 = 0.098 % of its values wide */
    HISTOGRAM_OCTAVES = 31,
    HISTOGRAM_BUCKETS = 2 * HISTOGRAM_SUB + HISTOGRAM_OCTAVES * HISTOGRAM_SUB
};
#define HISTOGRAM_MAX_NS                                                                           \
    UINT64_C(3600000000000) /* 1 h; longer is recorded as 1 h and counted apart */

/* 264 KB: on the heap or static, never on the stack. */
struct histogram {
    uint64_t total;          /* values recorded */
    uint64_t sum_ns;         /* of the values as they came, saturates at INT64_MAX */
    uint64_t min_ns, max_ns; /* exact; of an empty histogram UINT64_MAX and 0 */
    uint64_t beyond;         /* values above HISTOGRAM_MAX_NS */
    unsigned first, last;    /* buckets in use lie within [first, last]; empty: first > last */
    uint64_t counts[HISTOGRAM_BUCKETS];
};

/* One bucket in use: its smallest value and how many values it holds. */
struct histogram_bin {
    uint64_t value_ns, count;
};

struct histogram *histogram_new(void); /* empty; the caller frees with free() */
void histogram_reset(
    struct histogram *h); /* costs in proportion to the range in use; also for zeroed memory */

void histogram_record(struct histogram *h, uint64_t value_ns);
void histogram_merge(struct histogram *into, const struct histogram *from); /* exact */

/* The value that percent (0..100) of the values don't exceed: the largest value of its bucket, at
   most max_ns, so never below and at most 0.1 % above the exact order statistic. 0 when empty. */
uint64_t histogram_percentile(const struct histogram *h, double percent);
double histogram_mean_ns(const struct histogram *h); /* exact; 0 when empty: ask total first */

/* Buckets in use, ascending: writes up to room of them (bins may be NULL with room 0) and returns
   how many there are. */
size_t histogram_export(const struct histogram *h, struct histogram_bin *bins, size_t room);

/* Adds exported bins to h, with the min, max and sum that belong to them taken from like (a
   histogram whose counts are not looked at). Returns 0, or -1 with h unchanged when a bin's value
   is beyond the range, the bins don't ascend, or they don't agree with like's total, min and max.
 */
int histogram_import(struct histogram *h, const struct histogram_bin *bins, size_t n,
                     const struct histogram *like);

#endif
