/* cputime: the CPU time of processes and of ourselves. Exact for a process that is idle when asked,
   which is why slices are drained before their edges. */
#ifndef VOLLEY_CPUTIME_H
#define VOLLEY_CPUTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct err;

struct cputime {
    pid_t pid;
    clockid_t clock;
};

/* Finds the CPU clock of a process (all its threads). Returns 0, or -1 with err set (EXIT_USAGE):
 * no such process. */
int cputime_open(struct cputime *c, pid_t pid, struct err *e);

/* CPU time so far, ns. False when the process is gone. */
bool cputime_read(const struct cputime *c, uint64_t *ns);

uint64_t cputime_thread_ns(void); /* of the calling thread */

#endif
