/* metric: what two servers are compared in. */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

enum metric {
    METRIC_THROUGHPUT,
    METRIC_CPU,
    METRIC_COUNT
};                                      /* requests/s; server CPU per request */
const char *metric_name(enum metric m); /* requests_per_s, cpu_ns_per_request */

#endif
