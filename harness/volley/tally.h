/* tally: what was counted: by one thread in one slice, and, merged, by all of them in all slices.
 */
#ifndef VOLLEY_TALLY_H
#define VOLLEY_TALLY_H

#include "stats/histogram.h"

#include <stdint.h>

enum error_kind {
    ERROR_CONNECT,     /* a connection could not be opened */
    ERROR_READ,        /* receiving failed, not by a reset */
    ERROR_WRITE,       /* sending failed, not by a reset */
    ERROR_TIMEOUT,     /* no whole answer in time */
    ERROR_STATUS,      /* not the expected status */
    ERROR_FRAMING,     /* not HTTP/1.1 as RFC 9112 has it, or bytes that nobody asked for */
    ERROR_LENGTH,      /* a body of another length than expected */
    ERROR_BODY,        /* a body of the right length with other bytes */
    ERROR_RESET,       /* the peer reset the connection */
    ERROR_EARLY_CLOSE, /* the peer closed it before the answer was whole */
    ERROR_KINDS,
    ERROR_NONE = ERROR_KINDS
};

extern const char *const error_names[ERROR_KINDS];

struct tally {
    /* requests = ok + failed + unanswered. errors count failed requests by kind and, on top of
       them, connections that failed while no request was theirs. */
    uint64_t requests, ok, failed, unanswered;
    uint64_t errors[ERROR_KINDS];
    uint64_t late; /* answers after the slice's end, in its drain; also in ok or failed */
    uint64_t opened, reconnects; /* connections opened; of these, for one that had ended */
    uint64_t not_closed;         /* connections that the peer left open after Connection: close */
    uint64_t bytes_read;
    uint64_t late_sends,
        unsent; /* open loop: started more than 1 ms after plan; due, never started */
    uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC: first send; when no more were sent */
    uint64_t first_ns, last_ns; /* first and last completed answer; 0: none */
    uint64_t duration_ns; /* from start_ns to the later of stop_ns and last_ns; merged: the sum */
    uint64_t cpu_ns,
        spin_ns;       /* our own CPU time; the part of it spent looking for events in vain */
    const char *wrong; /* what the first framing error was, or NULL */
    int connect_error; /* errno of the last failed connect, or 0 */
    struct histogram *latency; /* of ok requests */
    struct histogram *lag;     /* open loop: how long after it could have, the generator sent */
};

void tally_init(struct tally *t);
void tally_fini(struct tally *t);
void tally_reset(struct tally *t);

/* Adds another thread's part of the same slice: times span both, duration is not touched. */
void tally_join(struct tally *into, const struct tally *from);

/* Adds another slice: durations add up. */
void tally_add(struct tally *into, const struct tally *from);

#endif
