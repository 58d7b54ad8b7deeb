/* trial: see trial.h. */
#include "model/trial.h"

#include <math.h>

void trial_init(struct trial *t)
{
    *t = (struct trial){.verdict = VERDICT_NOT_RUN};
    tally_unknown(&t->tally);
    t->usage = (struct usage){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
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
