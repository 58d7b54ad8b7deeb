/* process: a child in a process group of its own, kept so that nothing of it is left behind. */
#ifndef LAB_PROCESS_H
#define LAB_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct process_spec {
    char *const *argv;      /* argv[0] is looked up as program_find does; no shell ever */
    const char *cwd;        /* or NULL */
    const char *out_path;   /* stdout goes to this file (truncated); NULL = /dev/null */
    const char *err_path;   /* stderr; NULL = the same file as stdout */
    const cpu_set_t *cpus;  /* or NULL: inherited */
    uint64_t fds;           /* soft RLIMIT_NOFILE to have at least; 0 = inherited */
    uid_t uid;              /* run as this user (and its group) when we are root; 0 = stay */
    const char *const *env; /* "NAME=value" pairs to add, NULL-terminated, or NULL */
};

/* Zeroed = never started. */
struct process {
    pid_t pid; /* 0 = none; also the process group */
    int pidfd; /* for poll; -1 = none, also when it ended before it could be opened */
    bool ended;
    int status;              /* of waitpid, once ended */
    double user_s, system_s; /* rusage of it and the children it waited for, once ended */
    long peak_rss_kib;
    pid_t keeper; /* private: the process between (keeper.h), 0 = gone */
    int control;  /* private: socket to it */
};

/* Once, before the first start: makes this program a subreaper, so that orphans of a child come to
   it even when a keeper was killed. */
int process_keep_children(struct err *e);

/* Starts a child: own group, LC_ALL=C, parent-death signal (SIGKILL) also after setuid, stdin from
   /dev/null, signal mask and handlers as new, no inherited descriptors but 0-2. When this program
   dies, however, the child and all that descends from it is killed.
   A program that can't be executed is an error here, with the errno's text. Returns 0 or -1. */
int process_start(struct process *p, const struct process_spec *spec, struct err *e);

/* Waits up to timeout_ms (0 = only looks) for the end. true = it has ended. Returns early, false,
   when a stop was asked (lab/stop.h). */
bool process_wait(struct process *p, unsigned timeout_ms);

/* Sends a signal to the whole group and returns at once. */
void process_signal(struct process *p, int sig);

/* Ends the whole group: sig, then after grace_ms SIGKILL; reaps it and orphans of it, those too
   that left the group; nothing of it is left on return. A user's next wish to stop cuts the grace
   short. Safe when it has ended or was never started; to be called in any case, since what a
   program started may outlive it. Returns 0, or -1 if something can't be ended (named in err). */
int process_stop(struct process *p, int sig, unsigned grace_ms, struct err *e);

/* "exited with status 3" or "killed by SIGSEGV", into to; for an ended process. */
void process_explain(const struct process *p, char *to, size_t size);

/* Runs argv to its end and returns stdout+stderr (caller frees), NULL with err set when it can't be
   run or takes longer than timeout_ms. status may be NULL. For version commands and the like. */
char *process_capture(char *const *argv, unsigned timeout_ms, int *status, struct err *e);

#endif
