/* finding: what a ratio and its interval allow to say, and what they don't. */
#ifndef PRESENT_FINDING_H
#define PRESENT_FINDING_H

#include "model/result.h"

#include <stdio.h>

enum finding {
    FINDING_NONE,   /* no ratio: not comparable */
    FINDING_FEW,    /* a ratio, but too few blocks for an interval: no order can be claimed */
    FINDING_HIGHER, /* the whole interval is above 1 */
    FINDING_LOWER,  /* ... below 1 */
    FINDING_EQUAL,  /* it holds 1 and lies inside FINDING_MARGIN (two one-sided tests) */
    FINDING_OPEN,   /* it holds 1: no difference seen */
    FINDING_COUNT
};

/* "Equal within 5 %": 0.95 to 1.05. */
#define FINDING_MARGIN 0.05

enum finding finding_of(const struct ratio *ratio); /* NULL = FINDING_NONE */

/* The relative difference that a measurement with this interval shows with 95 % power: z of the
   interval plus z of the power in units of its half width (normal approximation). NaN without. */
double finding_detectable(const struct interval *v);

/* "requests/s" or "CPU per request". */
const char *finding_subject(enum metric m);

/* What a server has in comparison with the reference: "8.1 % more requests/s (5.0 to 11.2 %)", "no
   difference seen in requests/s (ratio 0.97 to 1.06; would have seen 8.5 %)". */
void finding_write(FILE *to, const struct result *r, const struct ratio *ratio);

/* How often what was found for a server, and between which ratios. */
struct finding_count {
    size_t of[FINDING_COUNT];
    size_t n;               /* all comparisons */
    double lowest, highest; /* estimates; NaN when there are none */
    double low, high;       /* the outermost ends of intervals; NaN when there are none */
};
void finding_count(struct finding_count *count, const struct result *r, size_t server,
                   enum metric metric);

/* Confidence that every interval of the result has at least, as whole percents; 0 = no interval. */
unsigned finding_confidence(const struct result *r);

#endif
