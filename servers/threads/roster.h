/* roster: all connections of the process, with their threads: a place for each new one, their
   deadlines, their counters, their end. */
#ifndef THREADS_ROSTER_H
#define THREADS_ROSTER_H

#include "threads/caller.h"

#include <stdint.h>

struct options;

struct roster {
    pthread_mutex_t lock;
    pthread_cond_t left; /* a place has become free, or the end has come */
    const struct options *options;
    struct counters_board *board;
    struct caller *all, *free;
    unsigned open, most;
    bool finishing;
};

/* There is one roster a process. most: connections at once. */
void roster_init(struct roster *r, const struct options *o, struct counters_board *board,
                 unsigned most);
void roster_fini(struct roster *r); /* when none is open */

/* A caller for an accepted socket, which it owns; waits while all places are taken. NULL when the
   end has come: the socket is still the asker's. */
struct caller *roster_take(struct roster *r, int fd);

/* The caller's thread runs: from now on it can be woken. */
void roster_enter(struct caller *c);

/* Closes the caller's socket and frees its place; for its thread, or when that couldn't start. */
void roster_give(struct caller *c);

/* Wakes those whose deadline has passed. */
void roster_sweep(struct roster *r);

/* Each answer from now on closes its connection, and idle ones end soon; nobody new is let in. */
void roster_finish(struct roster *r);

/* Breaks off what is open. */
void roster_break(struct roster *r);

unsigned roster_open(struct roster *r); /* now */
bool roster_finishing(struct roster *r);

/* Monotonic, a few ms coarse. */
uint64_t roster_now_ns(void);

#endif
