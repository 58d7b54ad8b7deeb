/* session: a whole measurement: connect, warm up, slices in their order, totals. Owns the workers
 * and their threads. */
#ifndef VOLLEY_SESSION_H
#define VOLLEY_SESSION_H

#include "volley/tally.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct flags;
struct target;

enum {
    SESSION_PIDS_MAX = 256
};

/* One slice, as told to on_slice; valid until its return. */
struct session_slice {
    uint64_t index; /* counts the measured slices */
    unsigned target;
    const struct tally *tally;
    unsigned pid_count;
    const uint64_t *server_cpu_ns; /* per process of the target, in the order given */
    const bool *server_cpu_known;  /* false: the process was gone at one of the edges */
};

struct session_target {
    struct tally total; /* of the measured slices */
    unsigned achieved;  /* connections open at once */
    uint64_t slices;
    uint64_t server_cpu_ns; /* of all its processes, in its slices */
    bool server_cpu_known;  /* all of it could be read */
};

struct session {
    const char *engine;
    uint64_t wall_ns; /* of the measured part */
    unsigned target_count;
    struct session_target *target;
};

typedef void session_on_slice(void *context, const struct session_slice *slice);

struct session_setup {
    const struct flags *options;
    const struct target *targets; /* one per URL */
    const atomic_int *stop;       /* becomes nonzero: end early, with what there is */
    session_on_slice
        *on_slice; /* may be NULL; called after each measured slice, when nothing is under way */
    void *context;
};

/* Measures. Returns 0 and fills r, which the caller gives to session_fini; or -1 with err set. */
int session_measure(struct session *r, const struct session_setup *setup, struct err *e);
void session_fini(struct session *r);

/* Refuses what the machine can't do: more connections than file descriptors. May raise the soft
   limit. Returns 0, or -1 with err set (EXIT_USAGE). */
int session_check_limits(const struct flags *o, struct err *e);

#endif
