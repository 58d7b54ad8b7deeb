/* duel: the course of a duel: contestants, contracts, pilot, blocks. What is measured goes to
   judge/duel; this decides only when. */
#ifndef RUN_DUEL_H
#define RUN_DUEL_H

#include "judge/duel.h"
#include "run/duel_contestant.h"
#include "run/run.h"
#include "stats/random.h"

struct duel_wish {
    struct duel_contestant_wish side[DUEL_SIDES];
    enum route_id routes[ROUTE_COUNT];
    size_t routes_n;
    unsigned connections, workers;
    double budget_s; /* NaN: a number of blocks, more if detect asks for them */
    size_t blocks;   /* that number; 0: 48 */
    double block_s;  /* of slices on each route; NaN: 1 s, longer where the budget allows */
    double slice_s;  /* NaN: a pilot chooses */
    double margin_percent, detect_percent; /* detect NaN: chosen from the noise */
    bool metric[METRIC_COUNT], composite, anytime;
    uint64_t seed;
    const char *out; /* folder for duel.json, charts and raw slices, or NULL */
    const char *server_cpus, *client_cpus, *command;
};

struct duel_watch { /* who is told; each may be NULL */
    void *arg;
    void (*on_stage)(void *arg, const char *text); /* "check reactor", "pilot", ... */
    void (*on_block)(void *arg, const struct duel *d, double left_s);
    void (*on_note)(void *arg, const char *text);
};

struct duel_run {
    struct duel duel;
    struct run run; /* its plan's servers are A and B */
    struct duel_judge judge;
    struct random random;
    const struct duel_wish *wish;   /* borrowed */
    const struct duel_watch *watch; /* borrowed */
    char *volley, *out, *raw_dir;
    bool keep_raw;
    uint64_t start_ns; /* of the pilot; 0 = not yet */
    double deadline_s;
};

/* Resolves and, where asked, builds the contestants, finds what is missing. Returns 0 or -1 with
   err set; duel_run_close is safe after either. */
int duel_run_open(struct duel_run *r, const struct duel_wish *wish, const struct duel_watch *watch,
                  struct err *e);

/* Checks contracts, measures, judges, saves after every block. What was found is in r->duel, a
   partial result when a stop was asked. Returns 0, or -1 with err set: a broken contract
   (EXIT_FAIL), a budget too short (EXIT_USAGE), a machine that failed (EXIT_MACHINE). */
int duel_run_measure(struct duel_run *r, struct err *e);

/* Draws the charts into out, if there is one. */
int duel_run_draw(struct duel_run *r, struct err *e);

void duel_run_close(struct duel_run *r);

/* Seconds since the pilot began. */
double duel_run_elapsed(const struct duel_run *r);

#endif
