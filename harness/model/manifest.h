/* manifest: a server as its server.json describes it. Plain data; lab boots it. */
#ifndef MODEL_MANIFEST_H
#define MODEL_MANIFEST_H

#include "model/route.h"
#include "model/strings.h"

#include <stdbool.h>

struct err;

/* How the workers of a running server are counted. */
enum workers_counted {
    WORKERS_PROCESSES, /* children of the started process; it counts itself when it has none */
    WORKERS_THREADS,   /* threads of the started process */
    WORKERS_UNKNOWN    /* not countable from outside */
};

struct manifest_config {
    char *template_path; /* absolute */
    char *to;            /* file name in the run directory */
};

struct manifest_note {
    char *item;   /* a fairness item's name, or the name without its route (check/fairness.c) */
    char *reason; /* why this server differs there */
};

/* Where a server tells how many requests it has answered: the number behind `after` (and behind
   skip others) in the answer to GET path. */
struct manifest_counter {
    char *path, *after; /* NULL: it tells nobody */
    unsigned skip;
};

struct manifest {
    char *name;
    char *title;            /* one line for people; never NULL */
    bool limit;             /* no contestant but what the machine can do: a line in charts */
    char *path;             /* the file it came from, or the URL */
    char *dir;              /* folder of that file; "." for a URL */
    char *url;              /* a server that runs already (http://HOST:PORT), or NULL */
    struct strings start;   /* argv with placeholders (lab/template.h); empty for a URL */
    struct strings version; /* argv whose first line of output is the version, may be empty */
    struct strings needs;   /* programs or absolute files without which it can't run */
    struct manifest_config *configs;
    size_t configs_n;
    struct manifest_note *differs;
    size_t differs_n;
    struct manifest_counter counter;
    bool routes[ROUTE_COUNT];
    char *lacks[ROUTE_COUNT]; /* why a route is not offered, or NULL */
    enum workers_counted workers_counted;
    unsigned port;    /* that it always listens on; 0 = it takes the one it is given */
    unsigned workers; /* whatever the run gives the others ("NAME:8"); 0 = as many as they have */
    int stop_signal;  /* SIGTERM unless told otherwise */
    char *install;    /* how to get what it needs, for people, or NULL */
};

/* Loads a manifest file. Unknown keys, wrong types and missing keys are refused with file, line and
   key (EXIT_USAGE). Returns 0 or -1; manifest_fini is safe after either. */
int manifest_load(struct manifest *m, const char *path, struct err *e);

/* What a user means by a server: a URL, a path of a manifest or of its folder, or the name of one
   of Parity's own servers. ":8" behind a path or name means that server with 8 workers, as a
   contestant of its own ("NAME-8"). Names of servers that exist are in the error. */
int manifest_resolve(struct manifest *m, const char *what, struct err *e);

/* Names of Parity's own servers, sorted. */
void manifest_names(struct strings *names);

/* The written reason why this server differs in an item, or NULL. */
const char *manifest_reason(const struct manifest *m, const char *item);

void manifest_fini(struct manifest *m); /* safe twice */

#endif
