/* gate_count: counts exactly what a request costs a server: two runs of different length under a
   tool, one connection, one request after the other; what both have in common (start, end, the
   first requests) cancels out. */
#ifndef RUN_GATE_COUNT_H
#define RUN_GATE_COUNT_H

#include "lab/server.h"
#include "model/counts.h"

struct err;

struct gate_count_wish {
    const struct manifest *manifest;
    const struct server_setup *setup;
    const enum route_id *routes;
    size_t routes_n;
    const char *arguments; /* more arguments for the server, split at blanks, or NULL */
    void (*on_stage)(void *arg, const char *text); /* may be NULL */
    void *arg;
};

/* Fills c: instructions and allocations by valgrind's callgrind, system calls by strace, bytes of
   the answers as they came. A tool that is missing or can't work here leaves its counts NaN, with
   the reason in c->why_not. Returns 0; or -1 with err set: the server doesn't come up, answers
   wrongly, or a stop was asked. counts_fini is safe after either. */
int gate_count(struct counts *c, const struct gate_count_wish *wish, struct err *e);

/* What user instructions depend on: fills c->depends_on (architecture, vectors, compiler and flags,
   libc, valgrind). program is the server's own. */
void gate_count_key(struct counts *c, const char *program);

#endif
