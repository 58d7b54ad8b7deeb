/* team: the workers and their threads. Worker 0 lives in the calling thread, the others in threads
   of their own; all take the same step at the same time, between two barriers. */
#ifndef VOLLEY_TEAM_H
#define VOLLEY_TEAM_H

#include "volley/worker.h"

#include <pthread.h>

struct err;

enum team_step {
    TEAM_MAKE,
    TEAM_CONNECT,
    TEAM_SLICE,
    TEAM_FREE
};

struct team_member;

struct team {
    struct worker_plan plan;
    unsigned size;
    struct worker **worker;
    struct err *errors; /* of TEAM_MAKE, per worker */
    /* The step under way: written by the caller before the first barrier, read by all after it. */
    enum team_step step;
    unsigned target;
    uint64_t length_ns;
    pthread_barrier_t barrier;
    struct team_member *members;
};

/* Starts the threads and makes the workers by m->plan, which the caller has filled. Returns 0, or
   -1 with err set (EXIT_MACHINE); team_fini is due in both cases. */
int team_init(struct team *m, struct err *e);
void team_fini(struct team *m); /* also for zeroed memory */

void team_connect(struct team *m);
void team_slice(struct team *m, unsigned target, uint64_t length_ns); /* see worker_slice */

/* Takes what the workers counted for a target (adds to into) and leaves them at zero. */
void team_collect(struct team *m, unsigned target, struct tally *into);

/* Can the target still be loaded: is a connection alive, and something left of --requests? */
bool team_can_load(const struct team *m, unsigned target);

/* Books it as errors in total when workers saw different right answers: each compares with its own
 * first. */
void team_compare(const struct team *m, unsigned target, struct tally *total);

unsigned team_achieved(const struct team *m, unsigned target);

#endif
