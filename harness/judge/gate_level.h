/* gate_level: one series of parity ratios through a history. Used inside judge/ only. */
#ifndef JUDGE_GATE_LEVEL_H
#define JUDGE_GATE_LEVEL_H

#include "model/metric.h"
#include "stats/interval.h"

#include <stddef.h>

struct gate_trend_input;
struct history_run;
struct history_series;

/* A ratio's course is the server's against one other, in one metric. */
struct level_series {
    const struct history_series *like; /* the server's series */
    const char *against;               /* a server of the same run */
    enum metric metric;
};

struct level_point { /* of one earlier run */
    const struct history_run *run;
    struct interval ratio;
};

struct level {
    struct level_point *points; /* comparable runs with this ratio, in time order */
    size_t n;
    size_t elsewhere; /* runs with this series on other kinds of machines */
};

/* Fills l (level_fini ends it) with the runs of the history that are comparable. */
void level_gather(struct level *l, const struct gate_trend_input *in,
                  const struct level_series *series);
void level_fini(struct level *l);

/* The ratio of one run; estimate NaN = it has none. Where `against` is not the run's reference it
   is the quotient of both ratios to that, its interval the widest that theirs allow. */
struct interval level_ratio(const struct history_run *run, const struct history_series *s,
                            const char *against, enum metric metric);

/* The run's series that is called like this one, by the names after renaming; or NULL. */
const struct history_series *level_find(const struct gate_trend_input *in,
                                        const struct history_run *run,
                                        const struct history_series *like);

/* How much worse `now` is than `before`, a logarithm, + = worse; least and most as the intervals
   allow (equal to the estimate where there are none). */
struct level_loss {
    double estimate, least, most;
};
struct level_loss level_loss(const struct interval *before, const struct interval *now,
                             enum metric metric);

/* The best of the last `last` points by the end of its interval that it surely reaches; l->n when
   there is none. */
size_t level_best(const struct level *l, size_t last, enum metric metric);

#endif
