/* duel: everything a duel found out, as duel.json holds it. Slowdowns are logarithms of A's figure
   over B's (of B's over A's for costs): positive = B is slower. */
#ifndef MODEL_DUEL_H
#define MODEL_DUEL_H

#include "model/duel_block.h"
#include "model/duel_series.h"

enum duel_verdict {
    DUEL_RUNNING,
    DUEL_PASS,
    DUEL_FAIL,
    DUEL_INCONCLUSIVE
};

enum duel_cause { /* why the verdict is what it is; see duel_cause_name */
    DUEL_CAUSE_NONE,
    DUEL_CAUSE_MEASURED,     /* PASS or FAIL by the tests */
    DUEL_CAUSE_B_FAULT,      /* B answered wrongly, died, or did not come up */
    DUEL_CAUSE_A_FAULT,      /* A did */
    DUEL_CAUSE_NOISE,        /* all blocks measured, neither can be said */
    DUEL_CAUSE_DROPPED,      /* too many blocks dropped by the guards */
    DUEL_CAUSE_CLIENT_BOUND, /* the generator was the limit, and no other metric decides */
    DUEL_CAUSE_TIME,         /* the budget was over before the planned blocks */
    DUEL_CAUSE_INTERRUPTED
};

struct duel_side {
    char *name;  /* as asked: "reactor@main" */
    char *title; /* with program or arguments that were changed */
    struct facts facts;
};

struct duel {
    enum run_state state;
    enum duel_verdict verdict;
    enum duel_cause cause;
    char started[32], ended[32], reason[500];
    char *command;
    struct facts environment;
    struct strings warnings;
    struct duel_side side[DUEL_SIDES];
    enum route_id routes[ROUTE_COUNT];
    double slice_s[ROUTE_COUNT];
    bool client_bound[ROUTE_COUNT];
    size_t routes_n;
    unsigned connections, workers;
    bool busy_poll; /* the generator never slept, so that no server had to wake it */
    uint64_t seed;
    double budget_s, block_s, overhead_s, elapsed_s;
    struct duel_rules rules;
    struct duel_block *blocks;
    size_t blocks_n, counted; /* of them not dropped */
    struct duel_series *series;
    size_t series_n;
};

char duel_letter(enum duel_who who);                /* 'A' or 'B' */
const char *duel_verdict_name(enum duel_verdict v); /* "PASS", ... */
const char *duel_cause_name(enum duel_cause c);     /* "measured", "client_bound", ... */
const char *duel_series_title(const struct duel *d, const struct duel_series *s); /* static */
void duel_fini(struct duel *d);                                                   /* safe twice */

/* A loss in percent (0..99) as a log slowdown, and back: 1 % = ln(1 / 0.99). */
double duel_slowdown_of_percent(double percent);
double duel_percent_of_slowdown(double slowdown);

char *duel_to_json(const struct duel *d); /* the caller frees */

#endif
