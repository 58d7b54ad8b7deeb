/* front: the thread that stands between TLS clients and a worker's engine. */
#ifndef LEAR_FRONT_H
#define LEAR_FRONT_H

#include "lear/tunnel.h"

#include <stdatomic.h>

/* Set up by tls.c; then the thread's, but for the two flags, which others set and then write to
   wake_fd. */
struct front {
    SSL_CTX *ctx;
    uint64_t greet_ns, leave_ns, grace_ns; /* for a handshake, to take something, to finish */
    uint64_t max;                          /* tunnels */
    int epoll_fd;
    int wake_fd;   /* an eventfd */
    int listen_fd; /* -1: closed */
    int queue[2];  /* a pipe of connections for the engine, which has a copy of [0] */

    atomic_uint asked;      /* how often, to finish */
    atomic_bool engine_end; /* the engine is no more */

    bool listening;
    uint64_t listen_at_ns; /* when to try again; FRONT_NEVER */
    uint64_t finish_ns;    /* FRONT_NEVER until asked to finish */
    uint64_t now_ns;
    uint64_t count; /* of tunnels */
    struct tunnels greeting, open, leaving, closing;
};

#define FRONT_NEVER UINT64_MAX

/* Registers wake_fd. -1 with errno set. */
int front_prepare(struct front *f);

/* Serves until asked to finish and the last client has gone, or its time is over. For
   pthread_create. */
void *front_run(void *front);

#endif
