/* engine_priv: what the engines share and nobody else sees. */
#ifndef HTTP_ENGINE_PRIV_H
#define HTTP_ENGINE_PRIV_H

#include "http/engine.h"

#include <time.h>

enum link_flag {
    LINK_CLOSING = 1,   /* in the list of links to be freed */
    LINK_READABLE = 2,  /* epoll: bytes or the end may be waiting */
    LINK_HUNG_UP = 4,   /* epoll: the end is waiting behind the bytes */
    LINK_EOF = 8,       /* the peer ended its direction; nothing more is received */
    LINK_ARMED = 16,    /* io_uring: a receive is in the kernel */
    LINK_STOPPING = 64, /* io_uring: that receive is being cancelled */
    LINK_SHUT = 32      /* our direction has ended */
};

/* What has been handed over and has not left. Owned by the link, pooled by the engine. */
struct sending {
    uint64_t deadline_ns; /* when to look whether the client still takes something */
    uint64_t since_ns;
    int queued; /* bytes in the socket's queue at the last look; 0: not looked yet */
    const char *p;
    size_t n;
    struct segment tail;
    void *memory;  /* where p points into: epoll: a copy on the heap; io_uring: a block's header */
    unsigned lent; /* io_uring: sends whose memory the kernel still uses */
    bool uncopied; /* io_uring: the last send was such a one */
    size_t share;  /* of a file, in a turn; 0: not asked yet */
    struct link *link;     /* whose it is, while it is in the queue of turns */
    struct sending *next;  /* in the queue of turns, or of the spare ones */
    struct sending **back; /* what points to this one in the queue of turns; NULL: not in there */
};

/* Who may send on and lets others go first: see turns.h. */
struct turns {
    struct sending *first;
    struct sending **end; /* where the next one goes; NULL: at first */
    size_t count;
    bool alone; /* the one whose turn it is has no competitor */
};

/* The backend's contract. */
struct engine_ops {
    const char *name;
    size_t size; /* of the engine that embeds struct engine */
    int (*open)(struct engine *e, struct err *err);
    void (*close)(struct engine *e);
    void (*pass)(struct engine *e, int timeout_ms);                  /* wait, make the up-calls */
    void (*lend)(struct engine *e, struct link *l, struct out *out); /* room for an answer */
    void (*apply)(struct link *l, struct out *out,
                  unsigned want);                        /* send, then do what is wanted */
    void (*turn)(struct link *l);                        /* its turn has come: send on */
    void (*listen)(struct engine *e, bool on);           /* accept, or leave them in the queue */
    void (*drop)(struct link *l);                        /* stop what the kernel does for l */
    void (*unsend)(struct engine *e, struct sending *s); /* s->memory is no longer needed */
};

struct engine {
    struct engine_view view;
    const struct engine_ops *ops;
    const struct engine_user *user;
    struct engine_config config;
    uint64_t finish_ns;    /* ENGINE_NEVER until engine_finish() */
    uint64_t listen_at_ns; /* when to try accepting again; ENGINE_NEVER while accepting or full */
    uint64_t complained_ns;
    bool listening;
    bool unsettled;       /* closing, ending, not listening, turns to give: see settle() */
    unsigned links;       /* open */
    struct link *closing; /* freed at the top of the next pass */
    struct link *free;
    char **chunks; /* where links live */
    size_t chunk_count;
    struct sending *spare;
    struct turns turns;
    unsigned (*each)(struct link *l, struct out *out); /* of engine_each() */
    uint64_t nowhere;                                  /* counts what nobody asked for */
};

extern const struct engine_ops engine_epoll, engine_uring, engine_kqueue;

/* A new link on an accepted socket: on_open called. */
struct link *link_open(struct engine *e, int fd);

/* Marks for closing; the user is told, the memory goes at the top of the next pass. */
void link_close(struct link *l);

/* Closes with a reset: the peer must not take what it has for the whole. */
void link_reset(struct link *l);

/* A pooled struct sending, attached to l; and back, with the tail released and time put on the
 * deadline. */
struct sending *sending_start(struct link *l);
void sending_progress(struct link *l);
bool sending_stalled(struct link *l); /* at the deadline: true: nothing has left */
void sending_end(struct link *l);

/* After a failed accept: true to try again at once; false: paused, and said so if it matters. */
bool engine_accept_failed(struct engine *e, int error);

/* Stops accepting at the cap. True: full. */
bool engine_full(struct engine *e);

/* Reads the clock; once a pass, after the wait. */
static inline void engine_tick(struct engine *e)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    e->view.now_ns = (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

void engine_set_due(struct engine *e, uint64_t ns);

/* Frees closed links that the kernel has let go of. The only place that does. */
void links_reap(struct engine *e);
void links_each(struct engine *e, void (*fn)(struct link *l)); /* all open ones */
void links_free(struct engine *e);

#endif
