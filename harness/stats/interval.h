/* interval: an estimate and how sure it is. */
#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include <stddef.h>

struct interval {
    double estimate;   /* NaN: not known (no data) */
    double low, high;  /* NaN: no such interval can be given from these data */
    double confidence; /* what the method really guarantees, 0..1; 0 where low and high are NaN */
    size_t n;          /* how many independent values it rests on */
};

#endif
