/* judged: see judged.h. */
#include "model/judged.h"

#include <math.h>

/* Nothing is known of it: 0 would be a measured zero. */
void cell_result_init(struct cell_result *c)
{
    *c = (struct cell_result){.verdict = VERDICT_NOT_RUN, .requests_per_s = NAN};
    c->requests_per_s_low = c->requests_per_s_high = NAN;
    c->latency_mean = c->latency_resolution = NAN;
    for (int i = 0; i < LATENCY_N; i++)
        c->latency[i] = NAN;
    c->cpu_ns_per_request = c->client_cpu_ns_per_request = NAN;
    c->server_busy = c->client_busy = c->peak_rss_kib = NAN;
}
