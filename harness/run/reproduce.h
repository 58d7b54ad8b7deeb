/* reproduce: measures a published comparison on this machine: a run a part of its plan, each with
   its own result and report below the reproduction's folder. */
#ifndef RUN_REPRODUCE_H
#define RUN_REPRODUCE_H

#include "model/published_outcome.h"
#include "run/schedule.h"

#include <stdbool.h>

struct err;
struct result;
struct run;

struct reproduce_wish {
    const char *name; /* of the comparison */
    const char *out;  /* folder, or NULL = results/STAMP-NAME */
    const char *command;
    const char *server_cpus, *client_cpus; /* lists, or NULL */
    bool quick;
    uint64_t seed; /* 0 = draw one */
};

struct reproduce {
    struct reproduce_wish wish; /* borrowed texts */
    struct published document;
    struct published_plan plan;
    struct published_outcome outcome;
    struct result *results;  /* one a part; empty where the part did not run */
    struct strings *servers; /* one a part: those that can run here */
    char *out;               /* absolute, once reproduce_run has made it */
};

/* What a part's run tells while it goes on; all but arg may be NULL. */
struct reproduce_watch {
    void *arg;
    void (*on_part)(void *arg, struct run *run); /* before its first server */
    void (*on_server)(void *arg, const char *name);
    schedule_on *on_event;
    void (*on_end)(void *arg, const char *failed); /* failed: why the part gave nothing, or NULL */
};

/* Loads the comparison, finds out what can run here. Returns 0 or -1 with err set; reproduce_close
   is safe after either. */
int reproduce_open(struct reproduce *r, const struct reproduce_wish *wish, struct err *e);
void reproduce_close(struct reproduce *r);

/* Seconds that all parts will take. */
double reproduce_seconds(const struct reproduce *r);

/* Runs every part, judges, writes OUT/reproduce.json and each part's result below OUT. A part that
   can't run is a finding. A wish to stop ends it early with what there is. Returns 0, or -1 when
   files can't be written. */
int reproduce_run(struct reproduce *r, const struct reproduce_watch *watch, struct err *e);

#endif
