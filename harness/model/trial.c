/* trial: see trial.h. */
#include "model/trial.h"

#include <math.h>

void trial_init(struct trial *t)
{
    *t = (struct trial){.verdict = VERDICT_NOT_RUN};
    tally_unknown(&t->tally);
    t->usage = (struct usage){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int m = 0; m < METRIC_COUNT; m++)
        t->paired_log_ratio[m] = NAN;
}

double trial_requests_per_s(const struct trial *t)
{
    return t->tally.ok >= 0 && t->tally.duration_s > 0 ? (double)t->tally.ok / t->tally.duration_s
                                                       : NAN;
}

static double per_request_ns(const struct trial *t, double cpu_s)
{
    return t->tally.requests > 0 ? cpu_s * 1e9 / (double)t->tally.requests : NAN;
}

double trial_server_cpu_ns(const struct trial *t)
{
    return per_request_ns(t, t->usage.server_cpu_s);
}

double trial_client_cpu_ns(const struct trial *t)
{
    return per_request_ns(t, t->usage.client_cpu_s);
}

static double figure(const struct trial *t, enum metric metric)
{
    return metric == METRIC_CPU ? trial_server_cpu_ns(t) : trial_requests_per_s(t);
}

double trial_log_ratio(const struct trial *t, const struct trial *reference, enum metric metric)
{
    double ours = figure(t, metric), theirs = figure(reference, metric);
    if (isfinite(t->paired_log_ratio[metric]))
        return t->paired_log_ratio[metric];
    return ours > 0 && theirs > 0 ? log(ours / theirs) : NAN;
}
