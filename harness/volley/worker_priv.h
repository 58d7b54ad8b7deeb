/* worker_priv: what worker.c (the loop), conn.c (a connection's life) and reader.c (what comes
 * back) share. */
#ifndef VOLLEY_WORKER_PRIV_H
#define VOLLEY_WORKER_PRIV_H

#include "volley/digest.h"
#include "volley/pace.h"
#include "volley/pattern.h"
#include "volley/reply.h"
#include "volley/target.h"
#include "volley/transport.h"
#include "volley/worker.h"

enum conn_state {
    CONN_CLOSED, /* no socket; may be opened by a request (--close) or at the start */
    CONN_CONNECTING,
    CONN_OPEN,
    CONN_ENDING, /* the last answer is here, the peer's end of the stream is not */
    CONN_RETRY,  /* waits for retry_at_ns */
    CONN_DEAD    /* given up after CONN_FAILURES_MAX failures in a row */
};

enum {
    CONN_FAILURES_MAX = 12, /* with doubling pauses of 1 ms to 1 s: about 3 s */
    CONN_RETRY_MAX_MS = 1000,
    CONN_ENDING_MAX_MS = 1000, /* then we close a connection that the peer leaves open */
    WORKER_LATE_NS = 1000000   /* a send so much after its plan is late */
};

struct conn {
    unsigned char state;
    unsigned char wrong; /* enum error_kind of the answer that is being read */
    bool mid_answer;     /* the head of an answer was read, its end not seen */
    bool last;           /* the answer being read, or read last, is the connection's last */
    bool sending;        /* the transport still has a send of ours */
    bool waiting;        /* in its lane's ring of idle connections */
    bool was_open;       /* its next opening is a reconnect */
    unsigned lane;
    unsigned outstanding, oldest; /* requests without answer; where the oldest one's stamp is */
    unsigned failures;            /* attempts to connect since the last whole answer */
    size_t unsent;                /* bytes of begun requests that the transport has not had */
    uint64_t since_ns; /* progress: the oldest request's send, the last answer, a state's start */
    size_t held_len;
    char *held; /* an incomplete head that came in pieces */
    /* Up to here: what an answer like the learnt one needs, 64 bytes. */
    uint64_t retry_at_ns;
    struct reply reply;
    struct digest digest;
};

/* One target's part of a worker. */
struct lane {
    const struct target *target;
    unsigned first, count; /* its slots */
    struct tally tally;
    struct pattern pattern;
    bool has_reference; /* what the first good answer was */
    uint64_t reference_len, reference_hash;
    uint64_t quota; /* requests that may still be begun */
    unsigned outstanding, open, open_max, dead;
    struct pace pace;
    unsigned *idle; /* ring of slots that can take a request, longest idle first (open loop) */
    unsigned idle_head, idle_count;
};

struct worker {
    const struct worker_plan *plan;
    struct transport *transport;
    unsigned index, slots, depth;
    struct conn *conn;
    uint64_t *stamps; /* depth per slot: when each outstanding request was sent, or planned to be */
    struct lane *lanes;
    struct lane *active; /* being loaded or drained; NULL between slices */
    uint64_t end_ns;     /* of sending in the active slice */
    uint64_t sweep_at_ns;
    uint64_t gap_ns;                              /* between two looks, with --busy-poll */
    uint64_t stamp_ns;                            /* of the batch of sends that is being filled */
    unsigned batch[TRANSPORT_BATCH], batch_count; /* its slots, in order */
    unsigned retrying;                            /* connections in CONN_RETRY */
    unsigned next_source;
};

/* conn.c */
void conn_connect(struct worker *w, unsigned slot);
void conn_on_open(void *owner, unsigned slot);
void conn_on_sent(void *owner, unsigned slot);
void conn_on_batch(void *owner, uint64_t begin_ns, uint64_t end_ns);
void conn_expect_end(struct worker *w,
                     unsigned slot); /* its last answer came: the peer will close */
/* Begins n requests whose latency counts from stamp_ns; opens the connection if it is closed. */
void conn_begin(struct worker *w, unsigned slot, unsigned n, uint64_t stamp_ns);
void conn_flush(struct worker *w, unsigned slot);
/* It can take a request: sends the next ones (closed loop), or queues it as idle (open loop). */
void conn_ready(struct worker *w, unsigned slot);
/* Ends it for a reason; requests on it fail of that kind. Reopens it, at once or after a pause. */
void conn_fail(struct worker *w, unsigned slot, enum error_kind kind);
/* Ends it in good order and reopens it. */
void conn_end(struct worker *w, unsigned slot);
/* Deadlines: answers, connects, pauses, ends. */
void conn_sweep(struct worker *w, unsigned slot, uint64_t now_ns);
bool conn_can_take(const struct worker *w, const struct conn *c);
/* May the active slice begin more requests on this lane at now_ns? */
bool conn_may_begin(const struct worker *w, const struct lane *lane, uint64_t now_ns);

/* reader.c */
size_t reader_on_data(void *owner, unsigned slot, const char *p, size_t n);
size_t reader_on_skipped(void *owner, unsigned slot, size_t n);
void reader_on_end(void *owner, unsigned slot, int error, char op);

#endif
