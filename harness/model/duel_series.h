/* duel_series: what a duel tests, by which rules, and how that went. Plain data. Slowdowns are
   logarithms of A's figure over B's (of B's over A's for costs): positive = B is slower. */
#ifndef MODEL_DUEL_SERIES_H
#define MODEL_DUEL_SERIES_H

#include "model/result.h"
#include "stats/decision.h"

struct duel_rules { /* declared before the first block */
    double margin;  /* delta0: the slowdown that is allowed */
    double detect;  /* delta1: the slowdown that a PASS must exclude; NaN = chosen from the noise */
    double alpha;   /* false alarms of the whole verdict: at most, whatever the noise does */
    double beta;    /* of missing detect */
    double alpha_each, alpha_bound; /* of each series as planned; what all can't exceed */
    size_t blocks;                  /* planned; 0 = open-ended */
    bool anytime, composite, metric[METRIC_COUNT];
};

struct duel_point { /* the course of a series after n blocks */
    size_t n;
    double estimate, low, high; /* NaN ends = no look was taken there */
};

struct duel_series { /* one test: a route, or all of them together, in one metric */
    int route;       /* index into routes; -1 = mean over all */
    enum metric metric;
    enum decision decision;
    bool refused;                            /* client bound: a PASS of it says nothing */
    struct interval interval;                /* at its latest look */
    double estimate, sd, resolution, detect; /* of all blocks; NaN = not known yet */
    size_t n, looks;
    struct duel_point *course;
    size_t course_n;
};

#endif
