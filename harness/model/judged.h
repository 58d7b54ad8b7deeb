/* judged: what the judge makes of a run's trials: a result a cell, and ratios to the reference. */
#ifndef MODEL_JUDGED_H
#define MODEL_JUDGED_H

#include "model/metric.h"
#include "model/tally.h"
#include "model/verdict.h"
#include "stats/interval.h"

#include <stdbool.h>

/* A cell over its blocks: medians over trials (of valid ones; of all measured ones when none is
 * valid). */
struct cell_result {
    enum verdict verdict;
    char note[400];         /* the verdict's evidence */
    unsigned trials, valid; /* measured, and valid ones */
    double requests_per_s, requests_per_s_low,
        requests_per_s_high;                 /* median, smallest, largest block */
    double latency[LATENCY_N], latency_mean; /* us */
    bool latency_corrected, latency_censored;
    double latency_resolution;
    double cpu_ns_per_request, client_cpu_ns_per_request;
    double server_busy, client_busy; /* share of the CPUs they were given, 0..1 */
    double peak_rss_kib;
};
void cell_result_init(struct cell_result *c); /* not run, nothing known */

/* server / reference in one comparison, by blocks. */
struct ratio {
    size_t comparison, server; /* indices; the reference is the plan's */
    enum metric metric;
    struct interval value; /* a ratio; low and high are NaN when there are too few blocks */
    bool paired;           /* each block's value comes from slices side by side, not from totals */
    char note[200];        /* why there is none, or "" */
};

enum agreement {
    AGREEMENT_OPEN, /* too few blocks to contradict, or nothing measured */
    AGREEMENT_YES,
    AGREEMENT_NO
};

/* What another generator says of a paired ratio. */
struct witness {
    size_t ratio, by; /* indices into the result's ratios: the paired one, the other generator's */
    enum agreement agrees;
    double low, high; /* the other one's interval, or the range of its blocks when they are too few
                         for one; NaN = none */
    bool is_range;
};

#endif
