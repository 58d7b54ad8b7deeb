/* keeper: the small process between parity and each program that it starts. */
#ifndef LAB_KEEPER_H
#define LAB_KEEPER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What the keeper executes; made before fork, so that nothing is allocated after it. */
struct keeper_job {
    const char *path; /* absolute */
    char *const *argv;
    char *const *env;
    const char *cwd; /* or NULL */
    int out_fd, err_fd;
    const cpu_set_t *cpus; /* or NULL */
    uint64_t fds;          /* 0 = inherited */
    uid_t uid;             /* 0 = stay */
    gid_t gid;
};

enum keeper_step { /* what a child does before it is the program; where it failed */
    KEEPER_FORK,
    KEEPER_LIMIT,
    KEEPER_CPUS,
    KEEPER_USER,
    KEEPER_CHDIR,
    KEEPER_EXEC
};

enum keeper_kind {
    KEEPER_STARTED, /* pid runs the program */
    KEEPER_FAILED,  /* step and error say why there is no program */
    KEEPER_ENDED,   /* the program ended: status, usage; last = nothing of it is left, the keeper
                       ends too */
    KEEPER_EMPTY,   /* after an order to end: nothing is left, the keeper ends */
    KEEPER_STUCK    /* after an order to end: pid can't be ended; the keeper gives up */
};

struct keeper_news { /* keeper -> parity */
    enum keeper_kind kind;
    pid_t pid;
    int status;
    struct rusage usage;
    bool last;
    enum keeper_step step;
    int error;
};

struct keeper_order { /* parity -> keeper */
    int sig;          /* to the whole group; 0 = none */
    bool end;         /* then end everything: SIGKILL after grace_ms */
    unsigned grace_ms;
};

/* Runs in the forked child; control is a SOCK_SEQPACKET socket whose other end parity alone holds:
   when it closes, parity is gone and everything is killed. Never returns. */
_Noreturn void keeper_run(int control, const struct keeper_job *job);

#endif
