/* changepoint: where in a history of results the level changed. E-divisive means (Matteson and
   James, JASA 109, 2014) with Student's t test instead of permutations, on windows, weak points
   tested again after their neighbours are known, as Hunter does (Fleming et al., arXiv 2301.03034).
   Deterministic. For triage by people, not for a gate. */
#ifndef STATS_CHANGEPOINT_H
#define STATS_CHANGEPOINT_H

#include <stddef.h>

struct changepoint_rule {
    size_t window;        /* values looked at together; >= 2 * CHANGEPOINT_SIDE_MIN */
    double p_max;         /* a change has p below this */
    double magnitude_min; /* and moves the mean by at least this, in the unit of the values */
};

/* For histories of log ratios: 50 values, p < .001, 1 % (0.01 in logs). */
extern const struct changepoint_rule changepoint_rule_default;

enum {
    CHANGEPOINT_SIDE_MIN = 3
}; /* the fewest values of one level */

struct changepoint {
    size_t index;         /* the first value of the new level */
    double before, after; /* means of the levels, each up to the neighbouring change point */
    double p; /* two-sided, Student's t with pooled variance; not corrected for the search */
};

/* Finds the change points of n finite values, in rising order. Writes at most max of them (the
   first ones) and returns how many there are. */
size_t changepoint_find(const double *x, size_t n, const struct changepoint_rule *rule,
                        struct changepoint *found, size_t max);

#endif
