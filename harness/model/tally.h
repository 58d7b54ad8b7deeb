/* tally: what a generator reported of one trial. A figure that it doesn't tell is NaN (null in
   JSON), a count -1. */
#ifndef MODEL_TALLY_H
#define MODEL_TALLY_H

#include <stdbool.h>
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

void tally_unknown(struct tally *t);         /* nothing known */
int64_t tally_errors(const struct tally *t); /* sum of the known kinds */

#endif
