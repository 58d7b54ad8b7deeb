/* measure: one trial, or all trials of a comparison in a block at once: boot, warm up, load under
   watch, stop, judge. */
#ifndef RUN_MEASURE_H
#define RUN_MEASURE_H

#include "model/plan.h"
#include "model/trial.h"

struct run;

/* Never fails: what goes wrong is the trial's verdict and note. Returns false when a stop was asked
   meanwhile and the trial is to be thrown away. */
bool measure_trial(struct run *run, const struct step *step, struct trial *t);

/* The same for n steps of one comparison and block whose generator has measure_all: all servers are
   up, one at a time is loaded. Fills n trials. A server that doesn't come up is left out, the
   others go on. */
bool measure_together(struct run *run, const struct step *steps, size_t n, struct trial *trials);

#endif
