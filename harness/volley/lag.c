/* lag: see lag.h. Latency counts from the planned time, so lag shows in it and is never hidden;
   this says when it is large enough to be taken for the server's. */
#include "volley/lag.h"

#include <stdio.h>

static const double lag_floor_ns = 50e3, lag_share = 0.10, busy_share = 0.90;

bool lag_verdict(const struct tally *t, unsigned threads, char *reason, size_t size)
{
    double p99 = (double)histogram_percentile(t->lag, 99);
    double p50 = (double)histogram_percentile(t->latency, 50);
    double time = (double)t->duration_ns * threads;
    double busy = time > 0 ? ((double)t->cpu_ns - (double)t->spin_ns) / time : 0;
    *reason = '\0';
    if (p99 > lag_floor_ns && p99 > lag_share * p50) {
        snprintf(reason, size, "its own lag p99 is %.0f us, the median latency %.0f us", p99 / 1e3,
                 p50 / 1e3);
        return true;
    }
    if (busy > busy_share) {
        snprintf(reason, size, "its CPU was busy %.0f %% of the time", busy * 100);
        return true;
    }
    return false;
}
