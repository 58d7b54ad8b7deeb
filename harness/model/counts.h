/* counts: what a request costs in things that can be counted exactly, on each route. Plain data; a
   committed one is the baseline that the gate compares with. */
#ifndef MODEL_COUNTS_H
#define MODEL_COUNTS_H

#include "model/facts.h"
#include "model/route.h"

#include <stdbool.h>

struct err;

enum count {
    COUNT_INSTRUCTIONS, /* that user code executed */
    COUNT_SYSTEM_CALLS,
    COUNT_ALLOCATIONS, /* calls of malloc and its kin */
    COUNT_BYTES,       /* of the answer on the wire, head included */
    COUNT_KINDS
};

struct counts {
    char *server;
    char *arguments;         /* added to the server's own while counting, or NULL */
    struct facts depends_on; /* what instructions depend on: compiler, libc, ... */
    bool counted[ROUTE_COUNT];
    double per_request[ROUTE_COUNT][COUNT_KINDS]; /* NaN = could not be counted */
    char *why_not[COUNT_KINDS];                   /* the reason of a NaN, or NULL */
};

const char *count_name(enum count c);  /* the key in JSON: user_instructions, ... */
const char *count_title(enum count c); /* for people: "instructions", ... */

/* Two counts that differ by less than this are the same: a clock ticked once in a while (a new
   Date, a timer), between two of a thousand requests. */
double count_resolution(enum count c);

/* What of depends_on differs, "compiler is X, was Y; ..." (caller frees), or NULL: the same. */
char *counts_differ(const struct counts *now, const struct counts *before);

/* Reads a baseline. Returns 0, or -1 with err set (EXIT_USAGE: file, line, key); counts_fini is
   safe after either. */
int counts_load(struct counts *c, const char *path, struct err *e);
char *counts_to_json(const struct counts *c); /* the caller frees */
void counts_fini(struct counts *c);           /* safe twice */

#endif
