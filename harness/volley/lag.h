/* lag: was the generator itself too slow for the rate it was asked for? Pure. */
#ifndef VOLLEY_LAG_H
#define VOLLEY_LAG_H

#include "volley/tally.h"

#include <stdbool.h>
#include <stddef.h>

/* True when an open loop's figures are not only the server's: the generator's own lag p99 exceeds
   10 % of the median latency (and 50 us: below that it's a wake-up), or its CPU was busy for more
   than 90 % of the time. Says which and how much in reason (else ""). */
bool lag_verdict(const struct tally *t, unsigned threads, char *reason, size_t size);

#endif
