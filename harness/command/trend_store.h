/* trend_store: the history file, appended to by any number of writers at once. */
#ifndef COMMAND_TREND_STORE_H
#define COMMAND_TREND_STORE_H

#include "model/history.h"

#include <stdint.h>

struct err;

struct trend_limits {
    uint64_t keep;  /* runs of one kind of machine */
    uint64_t bytes; /* of the file */
};

struct trend_added {
    bool there;     /* the run was in the history already: nothing was changed */
    bool began;     /* the file is new */
    size_t torn;    /* bytes that a stopped writer had left, cut off */
    size_t dropped; /* oldest runs that went, by the limits */
    size_t runs;    /* in the file now */
};

/* Appends the run's line: under a lock of the file's folder, as one write, so that other writers'
   lines and readers' views stay whole. When a limit is passed the oldest runs go, and the file is
   replaced as a whole. Whatever isn't a history is refused and left as it is. */
int trend_store_add(const char *path, const struct history_run *run,
                    const struct trend_limits *limits, struct trend_added *added, struct err *e);

/* Reads the history; history_fini ends it, also after an error. */
int trend_store_load(struct history *h, const char *path, struct err *e);

#endif
