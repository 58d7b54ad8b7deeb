/* run: what a run holds while it goes on: the result so far, the folders, the CPUs, the set-up that
   is the same for all servers. Opened before the first boot, closed whatever happens. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "judge/validity.h"
#include "lab/cpus.h"
#include "lab/server.h"
#include "load/generator.h"
#include "model/result.h"

#include <stdbool.h>

struct err;

enum {
    RUN_READY_MS = 10000 /* a server that hasn't answered by then is given up */
};

struct run_wish {    /* what the user asked for besides the plan */
    const char *out; /* result folder to make, or NULL = results/STAMP-SUITE */
    const char *server_cpus, *client_cpus; /* lists, or NULL */
    const char *command;                   /* as typed */
    bool keep_no_files;                    /* parity check: nothing is written */
    bool resume;                           /* out holds an earlier part of this run */
};

struct run {
    struct result result;
    char *out;      /* absolute; NULL when nothing is written */
    char *run_root; /* temporary, below it one folder a server */
    char *docroot;
    struct server_setup setup;
    struct cpus_split cpus;
    cpu_set_t used; /* of both sides */
    struct conditions conditions;
    const struct generator **generators; /* by index of the suite's */
    bool *blocked;                       /* cells that must not be measured: a contract is broken */
    int lock_fd;
};

/* Takes over *plan. Finds out what is missing before anything starts. Returns 0 or -1 with err set;
   run_close is safe after either. */
int run_open(struct run *run, struct plan *plan, const struct run_wish *wish, struct err *e);

/* Removes the temporary folders, lets go of the lock. */
void run_close(struct run *run);

/* Writes result.json (state and end stamped by the caller). A no-op when nothing is written. */
int run_save(struct run *run, struct err *e);

/* A folder below the result's for raw output: "raw/NAME"; makes it. NULL when nothing is written:
   then a temporary one. The caller frees. */
char *run_raw_dir(struct run *run, const char *name, struct err *e);

/* The set-up for one server: the common one, on the manifest's own port and with its own number of
   workers if it names them; and what its trials are judged against. */
struct server_setup run_setup(const struct run *run, const struct manifest *m);
struct conditions run_conditions(const struct run *run, const struct cell *c);

/* Stamps the end. */
void run_end(struct run *run, enum run_state state);

/* A seed that nobody chose, short enough to be typed again. */
uint64_t run_draw_seed(void);

/* Judges cells and ratios anew from the trials. */
void run_judge(struct run *run);

#endif
