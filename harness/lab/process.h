/* process: a child in a process group of its own, kept so that nothing of it is left behind. */
#ifndef LAB_PROCESS_H
#define LAB_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct process_spec {
    char *const *argv;      /* argv[0] is looked up in PATH; no shell ever */
    const char *cwd;        /* or NULL */
    const char *out_path;   /* stdout goes to this file (truncated) */
    const char *err_path;   /* stderr; NULL = the same file as stdout */
    const cpu_set_t *cpus;  /* or NULL: inherited */
    uint64_t fds;           /* soft RLIMIT_NOFILE to have at least; 0 = inherited */
    uid_t uid;              /* run as this user (and its group) when we are root; 0 = stay */
    const char *const *env; /* "NAME=value" pairs to add, NULL-terminated, or NULL */
};

struct process {
    pid_t pid; /* 0 = none; also the process group */
    int pidfd; /* -1 = none */
    bool ended;
    int status;              /* of waitpid, once ended */
    double user_s, system_s; /* rusage of it and the children it waited for, once ended */
    long peak_rss_kib;
};

/* Once, before the first start: makes this program a subreaper, so that orphans of a child come to
 * it. */
int process_keep_children(struct err *e);

/* Starts a child: own group, LC_ALL=C, parent-death signal (SIGKILL) also after setuid, stdin from
   /dev/null, signal mask and handlers as new, no inherited descriptors but 0-2.
   A program that can't be executed is an error here, with the errno's text. Returns 0 or -1. */
int process_start(struct process *p, const struct process_spec *spec, struct err *e);

/* Waits up to timeout_ms (0 = only looks) for the end. true = it has ended. Returns early, false,
   when a stop was asked (lab/stop.h). */
bool process_wait(struct process *p, unsigned timeout_ms);

/* Ends the whole group: sig, then after grace_ms SIGKILL; reaps it and orphans of it; the group is
   empty on return. Safe when it has ended or was never started. Returns 0, or -1 if something can't
   be ended (named in err). */
int process_stop(struct process *p, int sig, unsigned grace_ms, struct err *e);

/* "exited with status 3" or "killed by SIGSEGV", into to; for an ended process. */
void process_explain(const struct process *p, char *to, size_t size);

/* Runs argv to its end and returns stdout+stderr (caller frees), NULL with err set when it can't be
   run or takes longer than timeout_ms. status may be NULL. For version commands and the like. */
char *process_capture(char *const *argv, unsigned timeout_ms, int *status, struct err *e);

#endif
