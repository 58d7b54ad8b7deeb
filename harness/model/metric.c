/* metric: see metric.h. */
#include "model/metric.h"

const char *metric_name(enum metric m)
{
    static const char *const names[METRIC_COUNT] = {"requests_per_s", "cpu_ns_per_request"};
    return names[m];
}
