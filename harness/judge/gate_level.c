/* gate_level: see gate_level.h. */
#include "judge/gate_level.h"

#include "base/alloc.h"
#include "judge/gate.h"
#include "model/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct interval no_ratio = {NAN, NAN, NAN, 0, 0};

static const struct history_series *sibling(const struct history_run *run,
                                            const struct history_series *s, const char *server)
{
    struct history_series like = *s;
    like.server = (char *)server; /* read only */
    return history_find(run, &like);
}

static struct interval quotient(const struct interval *a, const struct interval *b)
{
    struct interval q = {.estimate = a->estimate / b->estimate,
                         .low = a->low / b->high,
                         .high = a->high / b->low,
                         .confidence = fmin(a->confidence, b->confidence),
                         .n = a->n < b->n ? a->n : b->n};
    return b->estimate > 0 && (isnan(b->low) || b->low > 0) ? q : no_ratio;
}

struct interval level_ratio(const struct history_run *run, const struct history_series *s,
                            const char *against, enum metric metric)
{
    if (strcmp(run->reference, against) == 0)
        return s->ratio[metric];
    const struct history_series *other = sibling(run, s, against);
    return other ? quotient(&s->ratio[metric], &other->ratio[metric]) : no_ratio;
}

/* The name of an earlier series as it would be today. */
static const char *present_name(const struct gate_trend_input *in, const char *name)
{
    for (size_t i = 0; in->renamed && i < in->renamed->n; i++) {
        const char *pair = in->renamed->item[i], *equals = strrchr(pair, '=');
        /* The names have a '=' themselves (c=64): the one that divides stands after the old name.
         */
        size_t len = strlen(name);
        if (equals && strncmp(pair, name, len) == 0 && pair[len] == '=')
            return pair + len + 1;
    }
    return name;
}

const struct history_series *level_find(const struct gate_trend_input *in,
                                        const struct history_run *run,
                                        const struct history_series *like)
{
    char *wanted = xstrdup(history_series_name(like));
    const struct history_series *found = NULL;
    for (size_t i = 0; i < run->series_n && !found; i++)
        if (strcmp(present_name(in, history_series_name(&run->series[i])), wanted) == 0)
            found = &run->series[i];
    free(wanted);
    return found;
}

static bool comparable(const struct gate_trend_input *in, const struct history_run *run)
{
    return strcmp(run->machine.key, in->now->machine.key) == 0;
}

void level_gather(struct level *l, const struct gate_trend_input *in,
                  const struct level_series *series)
{
    *l = (struct level){0};
    for (size_t i = 0; in->history && i < in->history->n; i++) {
        const struct history_run *run = &in->history->runs[i];
        const struct history_series *s = level_find(in, run, series->like);
        if (!s || strcmp(run->id, in->now->id) == 0)
            continue;
        struct interval ratio = level_ratio(run, s, series->against, series->metric);
        if (!isfinite(ratio.estimate) || (run->gate && strcmp(run->gate, "FAIL") == 0))
            continue;
        if (!comparable(in, run)) {
            l->elsewhere++;
            continue;
        }
        struct level_point *p = xgrow(&l->points, &l->n, sizeof *p);
        *p = (struct level_point){run, ratio};
    }
}

void level_fini(struct level *l)
{
    free(l->points);
    *l = (struct level){0};
}

static double low_end(const struct interval *v)
{
    return isfinite(v->low) ? v->low : v->estimate;
}

static double high_end(const struct interval *v)
{
    return isfinite(v->high) ? v->high : v->estimate;
}

struct level_loss level_loss(const struct interval *before, const struct interval *now,
                             enum metric metric)
{
    int sign = gate_direction(metric_name(metric));
    double from = sign * log(low_end(before) / high_end(now));
    double to = sign * log(high_end(before) / low_end(now));
    return (struct level_loss){.estimate = sign * log(before->estimate / now->estimate),
                               .least = fmin(from, to),
                               .most = fmax(from, to)};
}

/* The end of the interval that it reaches for sure. */
static double sure(const struct interval *v, enum metric metric)
{
    return gate_direction(metric_name(metric)) > 0 ? low_end(v) : -high_end(v);
}

size_t level_best(const struct level *l, size_t last, enum metric metric)
{
    size_t best = l->n, first = l->n > last ? l->n - last : 0;
    for (size_t i = first; i < l->n; i++)
        if (l->points[i].ratio.estimate > 0 &&
            (best == l->n ||
             sure(&l->points[i].ratio, metric) > sure(&l->points[best].ratio, metric)))
            best = i;
    return best;
}
