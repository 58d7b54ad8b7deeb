/* conn_priv: what a connection is made of; shared by conn.c (up-calls, clocks, wants) and
   conn_machine.c (the steps). */
#ifndef HTTP_CONN_PRIV_H
#define HTTP_CONN_PRIV_H

#include "http/conn.h"
#include "http/pending.h"

enum conn_state {
    CONN_HEAD,
    CONN_BODY,
    CONN_DRAIN,
    CONN_LINGER,
    CONN_ENDED
};

/* Which deadline is running. */
enum conn_clock {
    CLOCK_IDLE,
    CLOCK_HEADER,
    CLOCK_BODY,
    CLOCK_LINGER
};

struct conn {
    struct link link;
    struct pending *pending;
    uint8_t state;
    uint8_t clock;
    uint8_t eof;     /* the client has ended its direction */
    uint8_t blocked; /* an answer didn't fit: held bytes wait for on_sent */
};

_Static_assert(sizeof(struct conn) <= 64, "an idle connection is one cache line");

static inline struct site *conn_site(const struct conn *c)
{
    return engine_context(c->link.engine);
}

static inline struct pending *conn_pending(struct conn *c)
{
    if (!c->pending)
        c->pending = pending_new();
    return c->pending;
}

static inline bool conn_has_room(const struct out *out)
{
    return out->cap - out->n >= REPLY_ROOM && out->tail.n == 0;
}

/* What follows from parsing in: head is what http1_parse() returned, r what it found. Returns the
   bytes taken. */
size_t conn_take_head(struct conn *c, struct out *out, const struct request *r, ssize_t head,
                      struct str in);

/* Runs the machine over p[0..n) until it needs more bytes or more room; c->blocked says which.
   Returns the bytes taken. */
size_t conn_work(struct conn *c, struct out *out, char *p, size_t n);

/* Answers with status and stops understanding the client. head: to a HEAD request. */
void conn_refuse(struct conn *c, struct out *out, int status, bool head);

#endif
