/* duel: blocks in, verdict out. Pure: no clock, no process. The rules are those of the design's
   section "What PASS means":

   FAIL  one series shows a slowdown above the margin (each at its share of alpha, Bonferroni); or B
         answered wrongly, died or did not come up.
   PASS  every series that can be judged excludes a slowdown of detect or more: by the plan's PASS
         boundary where the noise lets it resolve detect, or by its whole interval. Throughput
   limited by the generator can't be judged: its ratio is compressed, so it may FAIL but never PASS.
   INCONCLUSIVE  all else: too noisy, too many blocks dropped, A itself at fault, cut short.

   Of errors: a wrong answer (status, framing, length, body) of one side alone decides at once; lost
   ones (reset, timeout) need two blocks, for one stall of the machine can cause them; errors of
   both sides drop the block. */
#ifndef JUDGE_DUEL_H
#define JUDGE_DUEL_H

#include "model/duel.h"
#include "stats/eprocess.h"
#include "stats/sequential.h"

enum {
    DUEL_SERIES_MAX = ROUTE_COUNT * METRIC_COUNT,
    DUEL_LOST_BLOCKS = 2 /* with lost answers of one side alone */
};

struct duel_test {
    struct sequential looks;   /* unless anytime */
    struct eprocess_test ever; /* anytime */
    bool started;
};

struct duel_judge {
    struct duel *duel; /* borrowed */
    struct sequential_plan plan;
    struct duel_test test[DUEL_SERIES_MAX];
    size_t lost[DUEL_SIDES]; /* blocks in which only that side lost answers */
};

/* Makes the series and the plan from d's rules and routes; fills in alpha_each and alpha_bound.
   Returns 0, or -1 when so many blocks make no plan. duel_judge_fini is safe after either. */
int duel_judge_start(struct duel_judge *j, struct duel *d) __attribute__((warn_unused_result));
void duel_judge_fini(struct duel_judge *j); /* safe twice */

/* Before the first look: how many blocks the noise so far asks for to tell margin and detect apart
   (the largest of all series); the plan is made anew for them and the blocks so far count. The
   centre of the values isn't looked at. Returns the blocks planned now. */
size_t duel_judge_replan(struct duel_judge *j);

/* Takes the next block: guards it, appends a copy to d->blocks, tests it. Returns d->verdict, which
   isn't DUEL_RUNNING once the duel is over. */
enum duel_verdict duel_judge_feed(struct duel_judge *j, const struct duel_block *block);

/* Ends a running duel as INCONCLUSIVE. */
void duel_judge_end(struct duel_judge *j, enum duel_cause cause, const char *reason);

#endif
