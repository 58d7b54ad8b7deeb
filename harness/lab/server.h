/* server: boots a manifest, knows when it is ready, proves that the listener is its own, stops it.
 */
#ifndef LAB_SERVER_H
#define LAB_SERVER_H

#include "lab/process.h"
#include "model/manifest.h"

#include <netinet/in.h>

struct err;

struct server_setup {              /* the same for all servers of a comparison */
    const char *run_root;          /* folder for run directories; owned by uid */
    const char *docroot;           /* readable by uid */
    unsigned workers, connections; /* connections: the highest level that it must hold */
    unsigned backlog;
    unsigned keepalive_requests; /* a connection may be used for at least so many */
    unsigned keepalive_timeout_s;
    const cpu_set_t *cpus;  /* or NULL */
    uid_t uid;              /* when we are root: account_unprivileged(); 0 = stay */
    unsigned port;          /* 0 = a free one is picked; else this one or an error */
    const char *const *env; /* "NAME=value" pairs to add, NULL-terminated, or NULL */
};

struct server {
    const struct manifest *manifest;
    struct process process; /* pid 0 for a server that runs already */
    struct sockaddr_in address;
    char *run_dir;  /* absolute; NULL for a server that runs already */
    char *log_path; /* its stdout and stderr */
    double boot_ms; /* from start to the first right answer */
};

/* Makes the run directory, expands templates, picks a port below the ephemeral range (verified to
   be free; retried with another on EADDRINUSE), starts, and waits up to ready_ms for a real 200
   with the right body (first offered route) from a listener whose inode belongs to the process
   group. What can go wrong is an error with the reason: ended early (status and last log lines),
   port owned by somebody (named), never ready, wrong answer (status, body), went to the background.
   Returns 0 or -1, then nothing is left running. */
int server_start(struct server *s, const struct manifest *m, const struct server_setup *setup,
                 unsigned ready_ms, struct err *e);

/* True while it lives (always for a server that runs already). why (size bytes) says how it ended.
 */
bool server_alive(struct server *s, char *why, size_t size);

/* Ends it with the manifest's signal, then SIGKILL; waits until its port is free, removes the run
   directory unless keep_dir. s is empty afterwards (copy run_dir before); safe twice. */
int server_stop(struct server *s, bool keep_dir, struct err *e);

/* Processes of it now (leader first), with those that left its group and without dead ones. Returns
   the count; pids holds at most max. */
size_t server_pids(const struct server *s, pid_t *pids, size_t max);

/* Workers now, counted as the manifest says; -1 = not countable. */
int server_workers(const struct server *s);

/* The last lines of its log as one line, for messages. */
void server_log_tail(const struct server *s, char *to, size_t size);

/* Open files that a server gets for so many connections: twice as many (a file or a pipe for each)
   and a reserve; less where the hard limit is lower but holds them. 0 = the hard limit is too low.
 */
uint64_t server_fds(unsigned connections);

/* The program and configs that it runs with: fills facts version (NULL where it can't be told),
   program, sha256 (of the program) and inputs_sha256 (of the manifest's commands, its configuration
   templates, and files that its start command names). Nothing for a server that runs already. */
struct facts;
int server_describe(const struct manifest *m, const struct server_setup *setup, struct facts *f,
                    struct err *e);

/* NULL when it can run here, else why not (missing program or file, with the package that has it
   where known). The caller frees. */
char *server_missing(const struct manifest *m);

#endif
