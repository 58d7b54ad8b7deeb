/* progress: how far a run is, for people. Pure: a state in, text out; the caller has the clock and
   the terminal. */
#ifndef PRESENT_PROGRESS_H
#define PRESENT_PROGRESS_H

#include "model/verdict.h"

#include <stddef.h>

struct progress {
    size_t done, total;     /* trials */
    double planned_s;       /* of all of them together, as the plan estimates it */
    double elapsed_s;       /* since the first one began */
    const char *what;       /* the trial that runs (or has just ended): "reactor health wrk c=64" */
    unsigned block, blocks; /* 0-based, and how many */
};

/* Seconds left: the plan's estimate, corrected by what the trials so far really took. */
double progress_left_s(const struct progress *p);

/* One line for a terminal of width columns (0 = 80), to be written over the one before: begins with
   a carriage return, erases the rest of the line, has no newline. Returns to. */
char *progress_line(char *to, size_t size, const struct progress *p, unsigned width);

/* Erases that line, for other output. */
const char *progress_erase(void);

/* One plain line for a log once a trial has ended (done counts it already), with its rate (NaN =
   none) and verdict; ends in a newline. Returns to. */
char *progress_log(char *to, size_t size, const struct progress *p, double requests_per_s,
                   enum verdict verdict);

#endif
