/* engine: moves bytes between sockets and connections; knows no HTTP.

   Readiness (epoll) and completion (io_uring) share this contract. The layer above embeds a struct
   link as the first member of its connection and is told what happened through struct engine_user.
   Each up-call lends it a struct out; what it puts there is sent when the call returns, and what it
   returns says what it wants next. Bytes received are lent for the length of the call too: what
   isn't used up then, the layer above copies. So an engine receives and sends as it likes.
   One thread per engine. Time is read once a pass; a deadline costs a store. */
#ifndef HTTP_ENGINE_H
#define HTTP_ENGINE_H

#include "http/link.h"

#include <stdbool.h>

struct err;

enum engine_kind {
    ENGINE_AUTO,
    ENGINE_EPOLL,
    ENGINE_URING,
    ENGINE_KQUEUE
};

/* The layer above. Each call returns bits of enum link_want. */
struct engine_user {
    size_t link_size;                    /* of the connection that embeds the link */
    unsigned (*on_open)(struct link *l); /* accepted; zeroed but for the link */
    unsigned (*on_bytes)(struct link *l, char *p, size_t n, struct out *out); /* may write to p */
    unsigned (*on_eof)(struct link *l, struct out *out); /* the peer ended its direction */
    unsigned (*on_sent)(struct link *l, struct out *out);
    unsigned (*on_deadline)(struct link *l, struct out *out);
    void (*on_gone)(struct link *l);   /* closed, by either side: give back what it holds */
    void (*on_wake)(struct engine *e); /* wake_fd is readable */
};

struct engine_config {
    enum engine_kind kind;
    int listen_fd;                /* non-blocking; the engine closes it */
    int (*accept)(int listen_fd); /* NULL, or instead of accept4(2), by epoll only */
    int wake_fd;                  /* watched for input, or -1; the caller's */
    unsigned max_links;           /* no more are accepted; the rest wait in the listen queue */
    uint64_t zerocopy_least;      /* bytes of a body in memory that leave uncopied; 0: none */
    uint64_t write_timeout_ns;    /* without progress a connection is reset */
    uint64_t *accepted;           /* counters kept by the engine; any may be NULL */
    uint64_t *bytes_in, *bytes_out;
    uint64_t *write_timeouts;
};

/* Opens an engine; context is the layer above's own, see engine_context(). NULL with err set,
   naming the errno, when the wanted kind can't run here. ENGINE_AUTO takes io_uring where it can
   run, else epoll, and logs why. */
struct engine *engine_open(const struct engine_config *config, const struct engine_user *user,
                           void *context, struct err *err);
void engine_close(struct engine *e);

/* Runs until engine_finish() was called and every link is closed, or its deadline has passed. */
void engine_run(struct engine *e);

/* Stops accepting; engine_run returns at the latest after grace_ns. */
void engine_finish(struct engine *e, uint64_t grace_ns);

/* Calls fn for each open link and applies what it wants, as if fn were an up-call. */
void engine_each(struct engine *e, unsigned (*fn)(struct link *l, struct out *out));

static inline void *engine_context(const struct engine *e)
{
    return ((const struct engine_view *)e)->context;
}

/* Monotonic, of this pass, a few ms coarse. */
static inline uint64_t engine_now_ns(const struct engine *e)
{
    return ((const struct engine_view *)e)->now_ns;
}

unsigned engine_links(const struct engine *e); /* open now */
const char *engine_name(const struct engine *e);

#endif
