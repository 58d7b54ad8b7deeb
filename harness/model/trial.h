/* trial: one timed measurement of one cell in one block, as it was seen. Raw: nothing is corrected.
   A figure that was not measured is NaN (null in JSON), a count that was not measured -1. */
#ifndef MODEL_TRIAL_H
#define MODEL_TRIAL_H

#include "model/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LATENCY_P50,
    LATENCY_P75,
    LATENCY_P90,
    LATENCY_P99,
    LATENCY_P999,
    LATENCY_P9999,
    LATENCY_N
};

/* Microseconds. */
struct latency {
    double mean, stdev, min, max;
    double p[LATENCY_N];
    double resolution; /* of the figures above */
    bool corrected;    /* the tool rewrote them for coordinated omission (wrk does) */
    bool censored;     /* slower answers are missing (timeouts) */
};

enum error_kind {
    ERROR_CONNECT,
    ERROR_READ,
    ERROR_WRITE,
    ERROR_TIMEOUT,
    ERROR_STATUS,
    ERROR_LENGTH,
    ERROR_OTHER,
    ERROR_KINDS
};
const char *
error_kind_name(enum error_kind kind); /* connect read write timeout status length other */

/* What a generator reported. */
struct tally {
    double duration_s; /* of the measured part */
    int64_t requests;  /* answers completed, right or wrong */
    int64_t ok;        /* right ones */
    int64_t errors[ERROR_KINDS];
    int64_t threads;       /* of the tool, that did the work */
    int64_t connections;   /* really opened at the start, */
    int64_t reconnects;    /* and opened again later; -1 when the tool doesn't say */
    int64_t bytes;         /* received, heads included */
    double reported_per_s; /* the tool's own rate, for the cross-check */
    struct latency latency;
};

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
    double server_requests;                              /* that the server itself counted */
    double throttled_s;                                  /* by a container's CPU quota */
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
};

/* A trial with everything not measured. */
void trial_init(struct trial *t);

/* Derived figures; NaN when they can't be had. */
double trial_requests_per_s(const struct trial *t); /* right answers / measured time */
double trial_server_cpu_ns(const struct trial *t);  /* server CPU per answer */
double trial_client_cpu_ns(const struct trial *t);
int64_t tally_errors(const struct tally *t); /* sum of the known kinds */

#endif
