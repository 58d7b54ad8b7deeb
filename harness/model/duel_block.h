/* duel_block: what one block of a duel measured, route by route. Plain data. */
#ifndef MODEL_DUEL_BLOCK_H
#define MODEL_DUEL_BLOCK_H

#include "model/result.h"

enum duel_who {
    DUEL_A,
    DUEL_B,
    DUEL_SIDES
};

/* One side on one route of a block; medians over its slices. NaN = not measured. */
struct duel_side_figures {
    double requests_per_s, cpu_ns_per_request;
    double server_busy; /* CPU time / time, of one CPU a worker, 0..1 */
    double client_busy; /* of one CPU */
    double idle_share;  /* of a CPU that it used while the other side was loaded */
    uint64_t errors;
    bool wrong;     /* among them answers that came and were wrong: never the machine's fault */
    char what[120]; /* their kinds, "status 12, reset 1", or "" */
};

struct duel_figures {
    double slowdown[METRIC_COUNT]; /* of B, log; the block's values */
    struct duel_side_figures side[DUEL_SIDES];
    size_t slices; /* of both sides */
};

enum duel_fault { /* what ends a duel by itself */
    DUEL_FAULT_NONE,
    DUEL_FAULT_A, /* A did not come up, or died: see note */
    DUEL_FAULT_B
};

struct duel_block {
    unsigned index;                         /* 0-based, dropped ones counted too */
    char order[5];                          /* "ABBA" or "BAAB" */
    char first_started;                     /* 'A' or 'B' */
    char first_url;                         /* the generator's first target */
    unsigned padding[DUEL_SIDES];           /* bytes of environment that moved each stack */
    double started_s, seconds;              /* since the duel's start; its length */
    double steal_share;                     /* of the CPUs in use, 0..1 */
    struct duel_figures route[ROUTE_COUNT]; /* by index of the duel's routes */
    enum duel_fault fault;
    char note[400];    /* of the fault, or of why nothing was measured */
    char dropped[200]; /* why it doesn't count, or "" */
};

#endif
