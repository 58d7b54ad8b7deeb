/* link: a connection as its engine sees it, and how bytes are handed over. See engine.h. */
#ifndef HTTP_LINK_H
#define HTTP_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct engine;
struct sending;

/* What links and their user look at for every request: the first member of every engine. */
struct engine_view {
    void *context;   /* the layer above's own */
    uint64_t now_ns; /* monotonic, of this pass, a few ms coarse */
    uint64_t due_ns; /* no deadline is earlier than this */
};

#define ENGINE_NEVER   UINT64_MAX
#define ENGINE_OUT_MIN 16384 /* room in a fresh struct out, at least */

/* What a connection wants after an up-call. */
enum link_want {
    WANT_BYTES = 1,    /* receive; without it bytes may still come for a while */
    WANT_SENT = 2,     /* call on_sent when all that was handed over has left */
    WANT_SHUTDOWN = 4, /* when all has left: end our direction (FIN), keep receiving */
    WANT_CLOSE = 8     /* when all has left: close */
};

/* The engine's half of a connection. Only deadline_ns is the user's to set, by link_deadline(). */
struct link {
    uint64_t deadline_ns; /* on_deadline after this; time spent sending is added to it */
    struct engine *engine;
    struct sending *sending; /* what was handed over and has not left, or NULL */
    struct link *next;       /* in the list of free, or of closing links */
    int fd;                  /* -1: this slot is free */
    uint8_t want;
    uint8_t flags;
    uint16_t inflight; /* operations that the kernel still holds; never freed before they end */
};

/* Bytes that are not copied: memory (p), or a range of a file (p == NULL). release(owner), where
   set, is called once, when they have left or the connection has gone. */
struct segment {
    const char *p;
    int fd;
    off_t at;
    size_t n;
    void (*release)(void *owner);
    void *owner;
};

/* Where an up-call puts its answer: bytes into p[n..cap), then at most one segment after them. cap
   is 0 while an earlier answer is still on its way: keep what you have, ask for WANT_SENT. */
struct out {
    char *p;
    size_t n;
    size_t cap;
    struct segment tail;
};

/* Room, with nothing in it. (Member by member: see http1.c, clear().) */
static inline void out_start(struct out *out, char *p, size_t cap)
{
    out->p = p;
    out->n = 0;
    out->cap = cap;
    out->tail.n = 0;
    out->tail.release = NULL;
}

/* When on_deadline is to be called; ENGINE_NEVER: not at all. Costs a store. */
static inline void link_deadline(struct link *l, uint64_t deadline_ns)
{
    struct engine_view *view = (struct engine_view *)l->engine;
    l->deadline_ns = deadline_ns;
    view->due_ns = deadline_ns < view->due_ns ? deadline_ns : view->due_ns;
}

#endif
