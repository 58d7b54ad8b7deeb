/* gate_drift: what a history shows that no single comparison does. Used inside judge/ only. */
#ifndef JUDGE_GATE_DRIFT_H
#define JUDGE_GATE_DRIFT_H

#include "model/gate.h"
#include "model/metric.h"
#include "stats/interval.h"

struct level;

/* Notes for people: a slow creep that goes on now (cumulative sum of the losses since the last
   change of level), and the changes of level among the last runs. Needs DRIFT_LEAST earlier runs.
 */
enum {
    DRIFT_LEAST = 8,
    DRIFT_LEVEL = 5 /* runs that a level is taken from */
};
void drift_judge(struct gate *g, const struct level *l, const struct interval *now,
                 enum metric metric, const char *name);

#endif
