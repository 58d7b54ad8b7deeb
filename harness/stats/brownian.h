/* brownian: how likely Brownian motion with drift leaves a sequence of gates, by recursive
   numerical integration (Armitage, McPherson and Rowe, JRSS A 132, 1969; Jennison and Turnbull,
   "Group Sequential Methods", 2000, ch. 19). Time runs from 0 to 1; at time t the motion has mean
   drift * t and variance t, and z = position / sqrt(t). */
#ifndef STATS_BROWNIAN_H
#define STATS_BROWNIAN_H

#include <stddef.h>

enum {
    BROWNIAN_GRID = 18,
    BROWNIAN_POINTS = 12 * BROWNIAN_GRID + 1
};

/* Where the motion is, given as masses at positions, as far as it has not left yet. */
struct brownian {
    double drift, time;
    size_t n;
    double position[BROWNIAN_POINTS];
    double mass[BROWNIAN_POINTS]; /* their sum: the probability of not having left */
};

void brownian_start(struct brownian *b, double drift);

/* The probability of not having left before and being above (below) z at this later time. */
double brownian_above(const struct brownian *b, double time, double z);
double brownian_below(const struct brownian *b, double time, double z);

/* Goes on to this later time and keeps what is between z_low and z_high there (-+INFINITY: no
   gate). To about 1e-6. */
void brownian_advance(struct brownian *b, double time, double z_low, double z_high);

#endif
