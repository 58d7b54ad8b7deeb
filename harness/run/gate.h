/* gate: the course of a gate: contestants, counts, duels, history. What is found goes to
   judge/gate; this decides only what is measured, and when. */
#ifndef RUN_GATE_H
#define RUN_GATE_H

#include "model/counts.h"
#include "model/duel.h"
#include "model/gate.h"
#include "run/duel_contestant.h"

struct err;

struct gate_wish {
    struct duel_contestant_wish side[DUEL_SIDES]; /* A, the base: what NULL = there is none */
    enum route_id routes[ROUTE_COUNT];
    size_t routes_n;
    bool routes_chosen; /* by the user */
    bool tier[GATE_TIERS];
    unsigned connections, workers;
    double budget_s,
        each_budget_s;       /* of the composite duel, and of that of each route (0 = none) */
    double block_s, slice_s; /* NaN: as a duel chooses */
    double margin_percent, detect_percent; /* detect NaN: chosen from the noise */
    const char *baseline;                  /* file of counts; NULL = results/baseline/NAME.json */
    const char *count_arguments;           /* NULL = those of the baseline */
    const char *result, *history;          /* files for the trend; NULL = none */
    double drop_percent;
    size_t last;
    struct strings renamed;
    bool missing_warns;
    uint64_t seed;
    const char *out; /* folder for gate.json, summary.md, counts.json and the duels, or NULL */
    const char *server_cpus, *client_cpus, *command;
};

struct gate_watch { /* who is told; each may be NULL */
    void *arg;
    void (*on_stage)(void *arg, const char *text);
    void (*on_block)(void *arg, const struct duel *d, double left_s);
    void (*on_note)(void *arg, const char *text);
};

struct gate_run {
    struct gate gate;
    struct counts counts;           /* of the build under test */
    const struct gate_wish *wish;   /* borrowed */
    const struct gate_watch *watch; /* borrowed */
    char *out;
    uint64_t start_ns;
};

/* Looks, counts, measures and judges all tiers that were asked for, saving after each; the verdict
   is in r->gate. Returns 0, or -1 with err set: what was asked makes no sense (EXIT_USAGE), or a
   tool or the machine failed (EXIT_MACHINE). gate_run_close is safe after either. */
int gate_run(struct gate_run *r, const struct gate_wish *wish, const struct gate_watch *watch,
             struct err *e);

/* Counts the build until two counts in a row agree and writes them as the baseline. Returns 0, or
   -1 with err set. path (caller frees) is where it was written. */
int gate_run_accept(struct gate_run *r, const struct gate_wish *wish,
                    const struct gate_watch *watch, char **path, struct err *e);

void gate_run_close(struct gate_run *r);

/* The parts of gate_run, each for one tier: adds its checks to r->gate. */
int gate_run_counts(struct gate_run *r, struct err *e);
int gate_run_duels(struct gate_run *r, struct err *e);
int gate_run_trend(struct gate_run *r, struct err *e);

/* Counts one side as it is now; program is what it runs, for the key (caller frees). Returns 0, or
   -1 with err set. */
int gate_run_count_side(struct gate_run *r, enum duel_who who, const char *arguments,
                        struct counts *c, struct err *e);
void gate_run_stage(const struct gate_run *r, const char *text);
void gate_run_note(struct gate_run *r, const char *text);

/* results/baseline/NAME.json, or what the wish says (caller frees); NULL with err set. */
char *gate_run_baseline(const struct gate_run *r, struct err *e);

#endif
