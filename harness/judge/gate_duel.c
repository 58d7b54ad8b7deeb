/* gate_duel: a duel's series as checks of the gate. See judge/gate.h. */
#include "judge/gate.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_place(const struct duel *d, const struct duel_series *s, const struct duel *other,
                       const struct duel_series *its)
{
    if (s->route < 0 || its->route < 0)
        return s->route < 0 && its->route < 0;
    return d->routes[s->route] == other->routes[its->route];
}

/* What the second duel says of the same route: a series that failed there, whatever its metric (a
   slower build shows in either, and a duel ends at the first), else the same metric's. */
static const struct duel_series *find(const struct duel *d, const struct duel_series *s,
                                      const struct duel *again)
{
    const struct duel_series *found = NULL;
    for (size_t i = 0; i < again->series_n; i++) {
        const struct duel_series *one = &again->series[i];
        if (!same_place(d, s, again, one))
            continue;
        if (one->decision == DECISION_FAIL)
            return one;
        if (one->metric == s->metric)
            found = one;
    }
    return found;
}

/* "B 2.91 % slower (2.10 to 3.70)". */
static char *finding(const struct duel_series *s)
{
    double loss = duel_percent_of_slowdown(s->estimate);
    if (!isfinite(loss))
        return xstrdup("not measured");
    return isfinite(s->interval.low)
               ? xasprintf("%.2f %% %s (%.2f to %.2f)", fabs(loss), loss > 0 ? "slower" : "faster",
                           duel_percent_of_slowdown(s->interval.low),
                           duel_percent_of_slowdown(s->interval.high))
               : xasprintf("%.2f %% %s", fabs(loss), loss > 0 ? "slower" : "faster");
}

static char *series_name(const struct duel *d, const struct duel_series *s, const char *name)
{
    return xasprintf("%s%s%s", name, *name ? " " : "", duel_series_title(d, s));
}

/* A FAIL stands when a second duel, fresh in everything, fails on the same route. */
static enum gate_outcome confirm(const struct duel *d, const struct duel *again,
                                 const struct duel_series *s, char **words)
{
    double margin = duel_percent_of_slowdown(d->rules.margin);
    const struct duel_series *second = again ? find(d, s, again) : NULL;
    bool fault = again && again->cause == DUEL_CAUSE_B_FAULT;
    char *first = finding(s);
    char *then = fault    ? xasprintf("B is at fault: %s", again->reason)
                 : second ? finding(second)
                          : xstrdup("nothing was measured");
    bool failed = fault || (second && second->decision == DECISION_FAIL);
    *words = xasprintf("%s, allowed %.3g %%; a second measurement %s: %s", first, margin,
                       failed ? "confirmed it" : "did not confirm it", then);
    free(first);
    free(then);
    return failed ? GATE_FAIL : GATE_INCONCLUSIVE;
}

static enum gate_outcome outcome_of(const struct duel *d, const struct duel *again,
                                    const struct duel_series *s, char **words)
{
    double margin = duel_percent_of_slowdown(d->rules.margin);
    if (s->decision == DECISION_FAIL)
        return confirm(d, again, s, words);
    char *found = finding(s);
    enum gate_outcome outcome = GATE_PASS;
    if (s->refused) {
        outcome = GATE_NOT_COMPARED;
        *words = xasprintf("the generator was the limit, so the ratio says little: %s", found);
    } else if (s->interval.high < 0) {
        outcome = GATE_IMPROVED;
        *words = xasprintf("%s", found);
    } else if (s->decision == DECISION_PASS || d->verdict == DUEL_PASS) {
        *words = xasprintf("%s, allowed %.3g %%", found, margin);
    } else if (d->verdict == DUEL_FAIL) {
        outcome = GATE_NOTE; /* another series ended the duel before this one was decided */
        *words = xasprintf("%s, undecided when the duel ended", found);
    } else {
        outcome = GATE_INCONCLUSIVE;
        *words = xasprintf("%s, allowed %.3g %%: this run could not tell", found, margin);
    }
    free(found);
    return outcome;
}

static void add_series(struct gate *g, const struct duel *d, const struct duel *again,
                       const struct duel_series *s, const char *name)
{
    char *words = NULL;
    enum gate_outcome outcome = outcome_of(d, again, s, &words);
    struct gate_check *c = gate_add(g, GATE_DUEL, outcome, series_name(d, s, name), words);
    c->worse = duel_percent_of_slowdown(s->estimate);
    c->low = duel_percent_of_slowdown(s->interval.low);
    c->high = duel_percent_of_slowdown(s->interval.high);
    c->allowed = duel_percent_of_slowdown(d->rules.margin);
}

static bool any_inconclusive(const struct gate *g, size_t from)
{
    for (size_t i = from; i < g->checks_n; i++)
        if (g->checks[i].outcome == GATE_INCONCLUSIVE || g->checks[i].outcome == GATE_FAIL)
            return true;
    return false;
}

void gate_judge_duel(struct gate *g, const struct duel *d, const struct duel *confirmed,
                     const char *name)
{
    size_t from = g->checks_n;
    char *title = *name ? xasprintf("%s duel", name) : xstrdup("duel");
    if (d->verdict == DUEL_FAIL && d->cause == DUEL_CAUSE_B_FAULT) {
        gate_add(g, GATE_DUEL, GATE_FAIL, title, xasprintf("B is at fault: %s", d->reason));
        return;
    }
    if (d->cause == DUEL_CAUSE_A_FAULT) {
        gate_add(g, GATE_DUEL, GATE_INCONCLUSIVE, title,
                 xasprintf("the base is at fault, so nothing is said of the build: %s", d->reason));
        return;
    }
    for (size_t i = 0; i < d->series_n; i++)
        add_series(g, d, confirmed, &d->series[i], name);
    if (d->verdict == DUEL_INCONCLUSIVE && !any_inconclusive(g, from))
        gate_add(g, GATE_DUEL, GATE_INCONCLUSIVE, title,
                 xasprintf("inconclusive (%s)%s%s", duel_cause_name(d->cause),
                           *d->reason ? ": " : "", d->reason));
    else
        free(title);
}
