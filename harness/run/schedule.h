/* schedule: goes through the plan's steps, saves the result after each. */
#ifndef RUN_SCHEDULE_H
#define RUN_SCHEDULE_H

#include "model/trial.h"

#include <stddef.h>

struct err;
struct run;

struct schedule_event {
    size_t done, total;        /* steps */
    size_t cell;               /* that runs next, or has run */
    const struct trial *trial; /* that has run; NULL before the first of a step */
    unsigned block;
    double planned_s; /* of all steps together, as the plan estimates it */
    double elapsed_s; /* since the first one began */
};
typedef void schedule_on(void *arg, const struct schedule_event *event);

/* Measures every step that the result has no trial of yet (so a resumed run goes on). Ends early,
   in a valid partial result, when a stop was asked. Returns 0 or -1 (the result can't be written).
 */
int schedule_run(struct run *run, schedule_on *on, void *arg, struct err *e);

#endif
