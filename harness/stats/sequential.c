/* sequential: see sequential.h. Holds the run's values and applies the plan's whole-number
   thresholds; where blocks come from, and which of them are valid, it doesn't know. */
#include "stats/sequential.h"

#include "stats/robust.h"

#include <assert.h>
#include <math.h>

void sequential_init(struct sequential *test, const struct sequential_plan *plan, double delta0,
                     double delta1)
{
    assert(delta0 < delta1);
    *test = (struct sequential){.plan = *plan, .delta0 = delta0, .delta1 = delta1};
}

bool sequential_at_look(const struct sequential *test)
{
    return test->look_count > 0 && test->plan.looks[test->look_count - 1].n == test->n;
}

double sequential_resolution(const struct sequential *test)
{
    return sequential_plan_resolution(&test->plan, robust_sd(test->values, test->n));
}

/* The PASS boundary is made for a slowdown that the plan can resolve. In a noisier run it would
   pass what it can't see. */
static bool can_resolve(const struct sequential *test)
{
    return test->delta0 + sequential_resolution(test) <= test->delta1;
}

static enum decision decide(const struct sequential *test, const struct sequential_look *look)
{
    double excess[SEQUENTIAL_BLOCKS_MAX];
    for (size_t i = 0; i < test->n; i++)
        excess[i] = test->values[i] - test->delta0;
    size_t w2 = signed_rank_w2_plus(excess, test->n);
    if (w2 >= 2 * look->w_fail)
        return DECISION_FAIL;
    if ((long)w2 <= 2 * look->w_pass && can_resolve(test))
        return DECISION_PASS;
    return test->look_count == test->plan.look_count ? DECISION_UNDECIDED : DECISION_CONTINUE;
}

enum decision sequential_feed(struct sequential *test, double value)
{
    assert(isfinite(value));
    if (test->decision != DECISION_CONTINUE)
        return test->decision;
    test->values[test->n++] = value;
    const struct sequential_look *look = &test->plan.looks[test->look_count];
    if (test->n == look->n) {
        test->look_count++;
        test->decision = decide(test, look);
    }
    return test->decision;
}

struct interval sequential_interval(const struct sequential *test)
{
    if (test->look_count == 0) {
        double estimate = signed_rank_estimate(test->values, test->n);
        return (struct interval){estimate, NAN, NAN, 0, test->n};
    }
    const struct sequential_look *look = &test->plan.looks[test->look_count - 1];
    struct interval i = signed_rank_interval_at(test->values, look->n, look->w_fail);
    if (i.confidence > 0)
        i.confidence = 1 - 2 * test->plan.alpha;
    return i;
}
