/* pace: when an open loop starts its requests. Pure and seeded: the plan depends on nothing that
 * happens. */
#ifndef VOLLEY_PACE_H
#define VOLLEY_PACE_H

#include "stats/random.h"

#include <stdbool.h>
#include <stdint.h>

struct pace {
    double gap_ns; /* mean */
    double at_ns;  /* of the next, since the start */
    uint64_t start_ns;
    bool poisson;
    struct random random;
};

/* rate: a second, > 0. Call pace_start before anything else. */
void pace_init(struct pace *p, double rate, bool poisson, uint64_t seed);

/* Plans anew from start_ns; random gaps go on where they were. phase (0..1) shifts constant
   arrivals by that part of a gap, so that threads that share a rate take turns. */
void pace_start(struct pace *p, uint64_t start_ns, double phase);

uint64_t pace_next_ns(const struct pace *p); /* when the next one is due, CLOCK_MONOTONIC */
void pace_advance(struct pace *p);           /* that one is started */

#endif
