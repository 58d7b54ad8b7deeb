/* acceptor: a thread that accepts on a listener of its own and starts a thread for each client. */
#ifndef THREADS_ACCEPTOR_H
#define THREADS_ACCEPTOR_H

#include "threads/roster.h"

#include <stddef.h>

struct err;

struct acceptor {
    struct roster *roster;
    int listen_fd; /* its own */
    size_t stack_size;
    pthread_t thread;
};

/* Starts it; makes the listener blocking. 0, or -1 with err set. */
int acceptor_start(struct acceptor *a, struct err *err);

/* Ends it, after roster_finish(): joins the thread and closes the listener. */
void acceptor_stop(struct acceptor *a);

#endif
