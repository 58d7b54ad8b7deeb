/* gate: what was measured, counted and kept -> checks, and a verdict of them. Pure. Every metric
   has a direction that is written down; one that isn't known is refused, never guessed. */
#ifndef JUDGE_GATE_H
#define JUDGE_GATE_H

#include "model/counts.h"
#include "model/duel.h"
#include "model/gate.h"

struct history;
struct history_run;

/* The verdict of all checks, and its reason in one line:
   FAIL          a check failed, or something is missing that was measured before (unless policy
                 says that this only warns).
   INCONCLUSIVE  a check is inconclusive, or a tier that was asked for compared nothing (a trend
   that begins with this run excepted), or nothing at all was compared. PASS          all else. */
void gate_decide(struct gate *g, bool missing_fails);

/* Counts of a build against those before it: a row for each route and kind. source is what before
   is called ("results/baseline/reactor.json", "the base"); instructions_differ says why those can't
   be compared (another compiler), or is NULL. Kinds that can't be compared, routes that are new or
   gone, and improvements are rows too. */
struct gate_counts_input {
    const struct counts *now, *before;
    const char *source, *instructions_differ;
    bool renewable;     /* before is a file that --accept writes anew */
    bool routes_chosen; /* the user chose routes: others aren't missing */
};
void gate_judge_counts(struct gate *g, const struct gate_counts_input *in);

/* A duel's series as checks; confirmed: NULL, or the duel that was to confirm d's FAIL: only what
   failed twice is a FAIL, all else that failed once is INCONCLUSIVE. name: "" or what to put before
   the series' names. */
void gate_judge_duel(struct gate *g, const struct duel *d, const struct duel *confirmed,
                     const char *name);

/* The parity ratios of a run against those of earlier runs on the same kind of machine: a loss of
   more than drop against the best of the last runs is a FAIL when the intervals leave no doubt. A
   slow creep and changes of level are notes for people. Runs whose gate failed are no level to
   compare with. */
struct gate_trend_input {
    const struct history *history; /* or NULL: there is none yet */
    const struct history_run *now;
    const char *server;            /* whose ratios are gated */
    double drop;                   /* allowed loss, percent */
    size_t last;                   /* how many runs the best is looked for in */
    const struct strings *renamed; /* "OLD=NEW" of series' names */
};
void gate_judge_trend(struct gate *g, const struct gate_trend_input *in);

/* +1: more is better, -1: less is better, 0: not known. */
int gate_direction(const char *metric);

#endif
