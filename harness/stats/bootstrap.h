/* bootstrap: intervals for statistics that have no exact one, by resampling whole blocks (cluster
   bootstrap). What was measured inside a block stays together, so what is correlated inside it
   does no harm; only blocks need to be independent. */
#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include "stats/interval.h"

#include <stddef.h>

struct random;

enum {
    BOOTSTRAP_BLOCKS_MIN = 8,
    BOOTSTRAP_RESAMPLES = 2000
};

/* The statistic of a sample of blocks, given as n indices (any order, with repetitions); NaN when
   this sample has none. E.g. the ratio of two percentiles of histograms merged over the blocks. */
typedef double bootstrap_statistic(const size_t *blocks, size_t n, void *arg);

struct bootstrap {
    bootstrap_statistic *statistic;
    void *arg;
    size_t resamples; /* 0: BOOTSTRAP_RESAMPLES */
    double alpha_two_sided;
};

/* The percentile interval over blocks 0..n-1; estimate is the statistic of all blocks once. No
   interval for n < BOOTSTRAP_BLOCKS_MIN (percentile intervals of few blocks are too narrow) or when
   more than 1 in 20 resamples had no statistic. Same r state, same answer. */
struct interval bootstrap_interval(const struct bootstrap *b, size_t n, struct random *r);

/* The same for sum(a) / sum(b), one a and one b each block, 2000 resamples. */
struct interval bootstrap_ratio(const double *a, const double *b, size_t n, double alpha_two_sided,
                                struct random *r);

#endif
