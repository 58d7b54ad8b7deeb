/* duel_self: the duel proves itself on this machine: a pair that is equal and a pair whose
   difference was planted. */
#include "command/duel_session.h"

#include "base/alloc.h"
#include "base/err.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The quick form must be certain of its verdicts on a noisy and slow machine: a large handicap, a
   margin that noise does not cross, a number of blocks and no budget. The full form shows what a
   minute can see. */
struct self_test {
    double handicap_percent, margin_percent, block_s, budget_s;
    size_t blocks;
};

static const struct self_test quick_test = {15, 3, 0.4, NAN, 16};
static const struct self_test full_test = {2, 0, NAN, 60, 0};

/* Returns whether the verdict was the expected one, or -1 with err set, or 2 when it was cut short
   (code has the exit code). */
static int one(const struct duel_wish *wish, const struct self_test *t, const char *b_args,
               struct duel_outcome *outcome, struct err *e)
{
    struct duel_wish own = *wish;
    own.side[DUEL_A] = own.side[DUEL_B] = (struct duel_contestant_wish){.what = "reactor"};
    own.side[DUEL_B].args = b_args;
    own.margin_percent = t->margin_percent;
    own.detect_percent = NAN;
    own.budget_s = t->budget_s;
    own.block_s = t->block_s;
    own.blocks = t->blocks;
    own.out = NULL;
    printf("== reactor against reactor%s%s\n", b_args ? " " : "", b_args ? b_args : "");
    fflush(stdout);
    return duel_session(&own, false, outcome, e);
}

/* Not deciding is never wrong, but proves nothing where a FAIL was due. */
static int expect(bool fail, const char *what, const struct duel_outcome *o)
{
    bool failed = o->verdict == DUEL_FAIL, undecided = fail && o->verdict == DUEL_INCONCLUSIVE;
    bool good = failed == fail;
    printf("%s: %s: %s\n\n",
           good        ? "ok"
           : undecided ? "UNDECIDED"
                       : "WRONG",
           what, duel_verdict_name(o->verdict));
    return good ? EXIT_DONE : undecided ? EXIT_INCONCLUSIVE : EXIT_FAIL;
}

int duel_self_test(const struct duel_wish *wish, bool quick, struct err *e)
{
    const struct self_test *t = quick ? &quick_test : &full_test;
    struct duel_outcome same = {0}, slower = {0};
    int code = one(wish, t, NULL, &same, e);
    if (code < 0 || code > EXIT_MACHINE)
        return code;
    int first = expect(false, "A against itself must not FAIL", &same);
    if (!isfinite(same.cpu_ns_per_request))
        return err_set(e, EXIT_MACHINE,
                       "CPU per request could not be measured, so no handicap can be sized");
    char *args = xasprintf("--handicap %g --handicap-base-ns %.0f", t->handicap_percent,
                           same.cpu_ns_per_request);
    code = one(wish, t, args, &slower, e);
    free(args);
    if (code < 0 || code > EXIT_MACHINE)
        return code;
    char *what = xasprintf("A against itself with %g %% more CPU per request must FAIL",
                           t->handicap_percent);
    int second = expect(true, what, &slower);
    free(what);
    return first == EXIT_DONE ? second : first;
}
