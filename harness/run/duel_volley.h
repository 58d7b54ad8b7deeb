/* duel_volley: one run of the load generator in a duel: its command line, its end, its slices. The
   duel knows bin/volley by its command line and its JSON lines alone. */
#ifndef RUN_DUEL_VOLLEY_H
#define RUN_DUEL_VOLLEY_H

#include "model/duel_slice.h"
#include "model/route.h"

#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct err;

struct duel_target {
    const struct sockaddr_in *address;
    const pid_t *pids;
    size_t pids_n;
};

struct duel_load {
    struct duel_target target[2];
    size_t targets; /* 1 or 2 */
    enum route_id route;
    unsigned connections, threads;
    double slice_s, seconds, warmup_s; /* seconds: of all slices together */
    bool busy_poll;                    /* never sleep: the client has its CPUs to itself */
    const char *order;                 /* "0,1,1,0", or NULL with one target */
    unsigned long long seed;
    const cpu_set_t *cpus;
    const char *dir;  /* existing folder for its files */
    const char *name; /* of these files, without extension */
};

/* Runs the generator, found by load/volley.h, to its end. Each slice has the clocks of the loaded
   target's processes, then those of the other one's: what an idle server uses is seen too, and no
   side's clocks are always read first. Fills slices (caller ends them; those of a run that failed
   count too) and note (size bytes): what it said when it ended badly, or "". Its slices stay in
   DIR/NAME.jsonl. Returns 0; or -1 with err set when it could not be run or understood. When a stop
   is asked it is ended, and the slices so far are returned. */
int duel_volley_run(const char *program, const struct duel_load *load, struct duel_slices *slices,
                    char *note, size_t size, struct err *e);

#endif
