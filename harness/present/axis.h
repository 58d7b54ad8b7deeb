/* axis: ranges and ticks that people can read, chosen here and not by the drawing program, so that
   one point, equal values or none never make an empty range. */
#ifndef PRESENT_AXIS_H
#define PRESENT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    AXIS_TICKS_MAX = 24
};

struct axis {
    double low, high; /* low < high, both > 0 when log */
    bool log;
    double ticks[AXIS_TICKS_MAX]; /* rising, inside the range */
    size_t ticks_n;
};

/* From 0 to at least high (whatever isn't > 0 counts as 1). */
void axis_from_zero(struct axis *a, double high);

/* Logarithmic, ends and ticks at 1, 2, 5 times powers of ten; decades only when it is long. Takes
   positive ends; others give a linear axis from 0 to 1. */
void axis_decades(struct axis *a, double low, double high);

/* Logarithmic around 1, for ratios: holds 1, low and high, has a tick at 1, is never narrower than
   0.95 to 1.05 and never wider than AXIS_RATIO_LIMIT either way (what lies outside is clipped). */
#define AXIS_RATIO_LIMIT 8.0
void axis_ratio(struct axis *a, double low, double high);

/* Where a value lies, 0..1 (outside values are outside 0..1). */
double axis_place(const struct axis *a, double value);

#endif
