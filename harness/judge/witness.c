/* witness: what other generators say of a ratio that was measured in slices side by side. They have
   their own noise, so they are asked whether they contradict, never averaged in. */
#include "judge/cells.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static bool is_valid(const struct ratio *x)
{
    return isfinite(x->value.estimate) && x->value.n > 0;
}

static bool has_interval(const struct interval *v)
{
    return isfinite(v->low) && isfinite(v->high);
}

/* The same server, metric, route, level and mode, by another generator. */
static bool is_witness(const struct result *r, const struct ratio *x, const struct ratio *by)
{
    const struct cell *a = &r->plan.cells[r->plan.comparisons[x->comparison].first];
    const struct cell *b = &r->plan.cells[r->plan.comparisons[by->comparison].first];
    return x->paired && !by->paired && is_valid(x) && is_valid(by) && x->server == by->server &&
           x->metric == by->metric && a->generator != b->generator && a->route == b->route &&
           a->connections == b->connections && a->keepalive == b->keepalive;
}

static bool usable(const struct trial *t, enum metric metric)
{
    return t->verdict == VERDICT_VALID ||
           (metric == METRIC_CPU && t->verdict == VERDICT_CLIENT_BOUND);
}

static const struct trial *reference_of(const struct result *r, const struct trial *t)
{
    size_t cell = t->cell - r->plan.cells[t->cell].server + r->plan.reference;
    for (size_t i = 0; i < r->trials_n; i++)
        if (r->trials[i].cell == cell && r->trials[i].block == t->block)
            return &r->trials[i];
    return NULL;
}

/* Smallest and largest block of a ratio. */
static void find_range(struct witness *w, const struct result *r, const struct ratio *by)
{
    size_t cell = r->plan.comparisons[by->comparison].first + by->server;
    w->is_range = true;
    for (size_t i = 0; i < r->trials_n; i++) {
        const struct trial *t = &r->trials[i];
        if (t->cell != cell || !usable(t, by->metric))
            continue;
        const struct trial *reference = reference_of(r, t);
        if (!reference || !usable(reference, by->metric))
            continue;
        double ratio = exp(trial_log_ratio(t, reference, by->metric));
        w->low = fmin(w->low, ratio); /* fmin and fmax leave NaN aside */
        w->high = fmax(w->high, ratio);
    }
}

static void compare(struct witness *w, const struct result *r)
{
    const struct ratio *x = &r->ratios[w->ratio], *by = &r->ratios[w->by];
    if (has_interval(&by->value)) {
        w->low = by->value.low;
        w->high = by->value.high;
    } else {
        find_range(w, r, by);
    }
    if (!has_interval(&x->value) || !(w->low <= w->high))
        return;
    if (w->low <= x->value.high && x->value.low <= w->high)
        w->agrees = AGREEMENT_YES;
    else if (!w->is_range)
        w->agrees = AGREEMENT_NO;
}

void witnesses_judge(struct result *r)
{
    free(r->witnesses);
    r->witnesses = NULL;
    r->witnesses_n = 0;
    for (size_t i = 0; i < r->ratios_n; i++)
        for (size_t k = 0; k < r->ratios_n; k++) {
            if (!is_witness(r, &r->ratios[i], &r->ratios[k]))
                continue;
            struct witness *w = xgrow(&r->witnesses, &r->witnesses_n, sizeof *w);
            *w = (struct witness){.ratio = i, .by = k, .low = NAN, .high = NAN};
            compare(w, r);
        }
}
