/* cusum: finds a slow creep upwards that no single comparison shows. Page's one-sided cumulative
   sum (Biometrika 41, 1954): S = max(0, S + z - slack), alarm at S >= threshold. With slack 0.5 and
   threshold 5 a series without change alarms once in about 930 values, and a shift of one standard
   error is found after about 10. */
#ifndef STATS_CUSUM_H
#define STATS_CUSUM_H

#include <stdbool.h>
#include <stddef.h>

#define CUSUM_SLACK     0.5
#define CUSUM_THRESHOLD 5.0

struct cusum {
    double sum;
    double slack, threshold;
    size_t n;     /* values fed */
    size_t since; /* index of the first value of the present rise; n when sum is 0 */
};

void cusum_init(struct cusum *c, double slack, double threshold);

/* Takes z = (value - baseline) / standard error; NaN (not measured) counts as no evidence. Returns
   whether the alarm is on; it stays on until sum falls again or the caller starts anew. */
bool cusum_feed(struct cusum *c, double z);

/* The index of the first value that raises the alarm, or n. */
size_t cusum_first_alarm(const double *z, size_t n, double slack, double threshold);

#endif
