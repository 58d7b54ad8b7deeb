/* caller: a connection and the thread that serves it, blocking. The thread is what the engine is to
   our other servers: it lends the connection layer bytes and room, and sends what it puts there. */
#ifndef THREADS_CALLER_H
#define THREADS_CALLER_H

#include "http/conn.h"
#include "http/counters.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

struct roster;

#define CALLER_RECEIVE 8192    /* as much as the published server receives at once */
#define CALLER_OUT     16384   /* answers that leave together */
#define CALLER_WAKE    SIGUSR1 /* interrupts a receive; sent until the thread has seen it */

struct caller {
    struct engine_view view; /* first: what the connection layer takes for its engine */
    struct roster *roster;
    struct site *site;   /* its own: a site belongs to one thread */
    struct link *link;   /* the connection */
    struct caller *next; /* of those that are free */
    struct caller *all;  /* of all */
    pthread_t thread;    /* while it runs */
    bool running;
    int fd;       /* -1: free. Others touch it, and wake the thread, with the roster locked only */
    bool expired; /* the deadline has passed; set by others, taken back by the thread */
    bool sending; /* no deadline runs meanwhile */
    bool shut;    /* our direction has ended */
    int queued;   /* bytes in the socket's queue when it was looked at; 0: not yet */
    struct counters counters;
    char in[CALLER_RECEIVE];
    char out[CALLER_OUT];
};

/* Starts the thread; the caller has a socket. It ends with roster_give(). 0, or an errno. */
int caller_start(struct caller *c, size_t stack_size);

#endif
