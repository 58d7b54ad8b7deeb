/* trial: one timed measurement of one cell in one block, as it was seen. Raw: nothing is corrected.
   A figure that was not measured is NaN (null in JSON), a count that was not measured -1. */
#ifndef MODEL_TRIAL_H
#define MODEL_TRIAL_H

#include "model/metric.h"
#include "model/tally.h"
#include "model/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the watch saw of the machine while the generator ran. */
struct usage {
    double wall_s;
    double server_cpu_s, client_cpu_s;
    double server_peak_rss_kib;
    double server_switches; /* context switches, voluntary and not */
    double steal_share;     /* of the CPU time of the cores in use, 0..1 */
    double neighbour_share; /* CPU of others on the cores in use, 0..1 */
    double tcp_opens, tcp_retransmits, listen_overflows; /* machine-wide differences */
    double time_wait_before;                             /* sockets in TIME_WAIT at the start */
    double server_connections; /* to its port, open or in TIME_WAIT, at the end */
    double server_requests;    /* that the server itself counted */
    double throttled_s;        /* by a container's CPU quota */
};

struct trial {
    size_t cell;       /* index into the plan's cells */
    unsigned block;    /* 0-based */
    unsigned position; /* 0-based, in its block's comparison */
    enum verdict verdict;
    char note[400];   /* the verdict's evidence, with the figures */
    char started[32]; /* wall clock, ISO 8601 */
    char raw[128];    /* folder below the result's with the tool's output, or "" */
    struct tally tally;
    struct usage usage;
    /* ln(this server's figure / the reference's) from slices side by side, by a generator that
       loads both at once; NaN by others, and for the reference. */
    double paired_log_ratio[METRIC_COUNT];
};

/* A trial with everything not measured. */
void trial_init(struct trial *t);

/* Derived figures; NaN when they can't be had. */
double trial_requests_per_s(const struct trial *t); /* right answers / measured time */
double trial_server_cpu_ns(const struct trial *t);  /* server CPU per answer */
double trial_client_cpu_ns(const struct trial *t);

/* ln(figure / the reference's) of two trials of one block: the paired one where there is one, else
   of the trials' totals. NaN when it can't be had. */
double trial_log_ratio(const struct trial *t, const struct trial *reference, enum metric metric);

#endif
