/* gate: the verdict of all checks. See judge/gate.h. */
#include "judge/gate.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

int gate_direction(const char *metric)
{
    static const struct {
        const char *name;
        int direction;
    } known[] = {
        {"requests_per_s", 1},     {"cpu_ns_per_request", -1}, {"latency_p99_us", -1},
        {"user_instructions", -1}, {"system_calls", -1},       {"allocations", -1},
        {"response_bytes", -1},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, metric) == 0)
            return known[i].direction;
    return 0;
}

static const struct gate_check *first(const struct gate *g, enum gate_outcome outcome)
{
    for (size_t i = 0; i < g->checks_n; i++)
        if (g->checks[i].outcome == outcome)
            return &g->checks[i];
    return NULL;
}

/* The first of the kind, and how many more there are. */
static char *reason_of(const struct gate *g, enum gate_outcome outcome)
{
    const struct gate_check *c = first(g, outcome);
    size_t n = gate_count_of(g, GATE_TIERS, outcome);
    if (n == 1)
        return xasprintf("%s: %s", c->series, c->words);
    return xasprintf("%s: %s (and %zu more)", c->series, c->words, n - 1);
}

static size_t compared(const struct gate *g, enum gate_tier tier)
{
    return gate_count_of(g, tier, GATE_PASS) + gate_count_of(g, tier, GATE_IMPROVED) +
           gate_count_of(g, tier, GATE_FAIL);
}

/* A tier that was asked for and compared nothing; GATE_TIERS = none. A history may begin today. */
static enum gate_tier idle_tier(const struct gate *g)
{
    for (enum gate_tier t = GATE_COUNTS; t < GATE_TIERS; t++) {
        bool begins = t == GATE_TREND && gate_count_of(g, t, GATE_NEW) > 0;
        if (g->asked[t] && !begins && compared(g, t) == 0)
            return t;
    }
    return GATE_TIERS;
}

static void set(struct gate *g, enum gate_verdict verdict, char *reason)
{
    free(g->reason);
    g->verdict = verdict;
    g->reason = reason;
}

static char *pass_reason(const struct gate *g)
{
    size_t n = compared(g, GATE_TIERS), better = gate_count_of(g, GATE_TIERS, GATE_IMPROVED);
    size_t open = gate_count_of(g, GATE_TIERS, GATE_NOT_COMPARED);
    char *also = better ? xasprintf(", %zu of them improved", better) : xstrdup("");
    char *left = open ? xasprintf("; %zu could not be compared", open) : xstrdup("");
    char *all = xasprintf("%zu comparison%s passed%s%s", n, n == 1 ? "" : "s", also, left);
    free(also);
    free(left);
    return all;
}

void gate_decide(struct gate *g, bool missing_fails)
{
    enum gate_tier idle = idle_tier(g);
    if (first(g, GATE_FAIL))
        set(g, GATE_VERDICT_FAIL, reason_of(g, GATE_FAIL));
    else if (missing_fails && first(g, GATE_MISSING))
        set(g, GATE_VERDICT_FAIL, reason_of(g, GATE_MISSING));
    else if (g->interrupted)
        set(g, GATE_VERDICT_INCONCLUSIVE, xstrdup("interrupted"));
    else if (first(g, GATE_INCONCLUSIVE))
        set(g, GATE_VERDICT_INCONCLUSIVE, reason_of(g, GATE_INCONCLUSIVE));
    else if (compared(g, GATE_TIERS) == 0)
        set(g, GATE_VERDICT_INCONCLUSIVE,
            xstrdup("nothing was compared: there is no base, no baseline and no history to compare "
                    "with"));
    else if (idle != GATE_TIERS)
        set(g, GATE_VERDICT_INCONCLUSIVE,
            xasprintf("the tier %s was asked for and compared nothing", gate_tier_name(idle)));
    else
        set(g, GATE_VERDICT_PASS, pass_reason(g));
}
