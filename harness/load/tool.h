/* tool: one run of a foreign load generator: started, watched, ended, its output kept. */
#ifndef LOAD_TOOL_H
#define LOAD_TOOL_H

#include "model/route.h"
#include "model/strings.h"

#include <stdbool.h>

struct err;
struct load;
struct load_outcome;
struct sockaddr_in;
struct tally;

struct tool_job {
    struct strings argv;
    const char *prefix; /* of the files in raw_dir: "" or "warm-" */
    double interrupt_s; /* SIGINT then, on which wrk and ab print their report; 0 = never */
    double limit_s;     /* the watchdog ends it then */
    unsigned grace_ms;  /* from SIGINT to SIGTERM to SIGKILL */
};

struct tool_end {
    bool timed_out; /* the watchdog ended it */
    bool stopped;   /* the user did */
    bool failed;    /* it ended by a signal or with a status other than 0 */
    int status;     /* that it exited with; -1 = by a signal */
    char how[64];   /* "exited with status 1" */
    double cpu_s;
    char *out, *err; /* what it printed */
};

/* Why a program can't be used, or NULL (caller frees). package is Debian's. */
char *tool_missing(const char *program, const char *package);

/* First line that a command prints, or NULL (caller frees). */
char *tool_first_line(char *const *argv);

/* http://127.0.0.1:8080/path of an address and a route, or of a load's (caller frees). */
char *tool_address_url(const struct sockaddr_in *address, enum route_id route);
char *tool_url(const struct load *l);

/* Writes the route's request body into raw_dir; returns its path, "" when the route has none
   (caller frees), or NULL with err set. */
char *tool_body_file(const struct load *l, struct err *e);

/* Runs a job to its end. The command line (command.txt, quoted for a shell) and both outputs
   (out.txt, err.txt) stay in raw_dir. Returns 0, or -1 with err set when it could not be run. */
int tool_run(const struct load *l, const struct tool_job *job, struct tool_end *end, struct err *e);

/* True when the run has no figures because it was ended from outside; then o says so. */
bool tool_cut_short(const struct tool_end *end, const struct tool_job *job, struct load_outcome *o);

/* What the output says about a run without figures: verdict and note into o, the one known error
   into t. name is the tool's. */
void tool_diagnose(const struct tool_end *end, const char *name, struct tally *t,
                   struct load_outcome *o);

/* Adds to a good run's note that the tool nevertheless ended badly, unless it was interrupted. */
void tool_note_end(const struct tool_end *end, const struct tool_job *job, struct load_outcome *o);

/* Nothing measured. */
void tool_no_figures(struct tally *t);

void tool_end_fini(struct tool_end *end); /* safe twice */

#endif
