/* gate_drift: see gate_drift.h. Never a FAIL: a level that has shifted would alarm for weeks, and
   one false group in eight is what others report of such detectors. */
#include "judge/gate_drift.h"

#include "base/alloc.h"
#include "judge/gate.h"
#include "judge/gate_level.h"
#include "model/history.h"
#include "stats/changepoint.h"
#include "stats/cusum.h"
#include "stats/robust.h"

#include <math.h>
#include <stdlib.h>

enum {
    RECENT = 10, /* changes of level are told for so many runs */
    FOUND_MAX = 16
};

struct course {
    double *worse; /* log ratio with the sign of a loss, in time order; the last one is now */
    double *se;    /* of it; NaN = no interval */
    size_t n;
};

/* The standard error that an interval's width stands for (normal approximation). */
static double error_of(const struct interval *v)
{
    return isfinite(v->low) && v->low > 0 ? log(v->high / v->low) / (2 * 1.96) : NAN;
}

static void add_point(struct course *c, const struct interval *v, enum metric metric)
{
    if (!(v->estimate > 0))
        return;
    c->worse[c->n] = -gate_direction(metric_name(metric)) * log(v->estimate);
    c->se[c->n++] = error_of(v);
}

/* Error of a run against a level: what its interval says, and what runs differ by besides. */
static double total_error(const struct course *c, size_t from)
{
    size_t n = c->n - from, known = 0;
    double *x = xcalloc(n, sizeof *x);
    for (size_t i = from; i < c->n; i++)
        if (isfinite(c->se[i]))
            x[known++] = c->se[i];
    double own = known ? robust_median(x, known) : 0;
    for (size_t i = from; i + 1 < c->n; i++)
        x[i - from] = c->worse[i + 1] - c->worse[i];
    double between = robust_mad(x, n - 1) / sqrt(2);
    free(x);
    return fmax(own, isfinite(between) ? between : 0);
}

/* The sum over the runs after those that the level is of. */
static void find_creep(struct gate *g, const struct course *c, size_t from, const char *name)
{
    struct cusum sum;
    bool alarm = false;
    if (c->n < from + DRIFT_LEVEL + 2)
        return;
    double level = robust_median(c->worse + from, DRIFT_LEVEL), error = total_error(c, from);
    if (!(error > 0))
        return;
    cusum_init(&sum, CUSUM_SLACK, CUSUM_THRESHOLD);
    for (size_t i = from + DRIFT_LEVEL; i < c->n; i++)
        alarm = cusum_feed(&sum, (c->worse[i] - level) / error);
    if (!alarm)
        return;
    double lost = c->worse[c->n - 1] - level;
    struct gate_check *check = gate_add(
        g, GATE_TREND, GATE_NOTE, xasprintf("%s creep", name),
        xasprintf("%.1f %% worse than %zu runs ago, in steps too small for one comparison; "
                  "it began about %zu runs ago (cumulative sum %.1f, alarm at %.0f)",
                  -expm1(-lost) * 100, c->n - 1 - from, c->n - 1 - (from + DRIFT_LEVEL + sum.since),
                  sum.sum, CUSUM_THRESHOLD));
    check->worse = -expm1(-lost) * 100;
}

static void tell_change(struct gate *g, const struct level *l, const struct changepoint *p,
                        const char *name)
{
    double step = p->after - p->before;
    const struct history_run *run = p->index < l->n ? l->points[p->index].run : NULL;
    struct gate_check *c =
        gate_add(g, GATE_TREND, GATE_NOTE, xasprintf("%s level", name),
                 xasprintf("the level changed at %.12s: %.1f %% %s (p %.2g)",
                           !run          ? "this run"
                           : run->commit ? run->commit
                                         : run->time,
                           fabs(expm1(-step)) * 100, step > 0 ? "worse" : "better", p->p));
    c->worse = -expm1(-step) * 100;
}

void drift_judge(struct gate *g, const struct level *l, const struct interval *now,
                 enum metric metric, const char *name)
{
    struct changepoint found[FOUND_MAX];
    struct course c = {xcalloc(l->n + 1, sizeof(double)), xcalloc(l->n + 1, sizeof(double)), 0};
    if (l->n >= DRIFT_LEAST) {
        for (size_t i = 0; i < l->n; i++)
            add_point(&c, &l->points[i].ratio, metric);
        add_point(&c, now, metric);
        size_t n = changepoint_find(c.worse, c.n, &changepoint_rule_default, found, FOUND_MAX);
        n = n > FOUND_MAX ? FOUND_MAX : n;
        for (size_t i = 0; i < n && c.n == l->n + 1; i++)
            if (found[i].index + RECENT >= c.n)
                tell_change(g, l, &found[i], name);
        find_creep(g, &c, n ? found[n - 1].index : 0, name);
    }
    free(c.worse);
    free(c.se);
}
