/* measure: one trial: boot, warm up, load under watch, stop, judge. */
#ifndef RUN_MEASURE_H
#define RUN_MEASURE_H

#include "model/plan.h"
#include "model/trial.h"

struct run;

/* Never fails: what goes wrong is the trial's verdict and note. Returns false when a stop was asked
   meanwhile and the trial is to be thrown away. */
bool measure_trial(struct run *run, const struct step *step, struct trial *t);

#endif
