/* validity: whether a trial's figures may be believed. Pure. */
#ifndef JUDGE_VALIDITY_H
#define JUDGE_VALIDITY_H

#include "model/plan.h"
#include "model/trial.h"

#include <stdbool.h>

/* What a trial is judged against, besides its cell. */
struct conditions {
    double asked_s;   /* the measured time that was asked for */
    unsigned workers; /* of the server */
    unsigned server_cpus, client_cpus;
    bool shared_cores;
    bool process_figures; /* false for a server that runs already: its CPU isn't known */
};

/* Sets the trial's verdict and note from its figures. A trial whose verdict says already that it
   failed (anything but VALID) is left alone. The first rule that applies wins; rules are in the
   order of what makes a number most wrong. */
void validity_judge(struct trial *t, const struct cell *c, const struct conditions *k);

/* Shares of the CPUs that the two sides were given, 0..1; NaN when not known. */
double validity_server_busy(const struct trial *t, const struct conditions *k);
double validity_client_busy(const struct trial *t, const struct conditions *k);

#endif
