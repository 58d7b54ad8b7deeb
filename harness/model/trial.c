/* trial: see trial.h. */
#include "model/trial.h"

#include <math.h>

const char *error_kind_name(enum error_kind kind)
{
    static const char *const names[ERROR_KINDS] = {"connect", "read",   "write", "timeout",
                                                   "status",  "length", "other"};
    return names[kind];
}

static void latency_init(struct latency *l)
{
    *l = (struct latency){.mean = NAN, .stdev = NAN, .min = NAN, .max = NAN, .resolution = NAN};
    for (int i = 0; i < LATENCY_N; i++)
        l->p[i] = NAN;
}

void trial_init(struct trial *t)
{
    *t = (struct trial){.verdict = VERDICT_NOT_RUN};
    struct tally *a = &t->tally;
    a->duration_s = a->reported_per_s = NAN;
    a->requests = a->ok = a->threads = a->connections = a->reconnects = a->bytes = -1;
    for (int i = 0; i < ERROR_KINDS; i++)
        a->errors[i] = -1;
    latency_init(&a->latency);
    t->usage = (struct usage){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
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

int64_t tally_errors(const struct tally *t)
{
    int64_t sum = 0;
    for (int i = 0; i < ERROR_KINDS; i++)
        sum += t->errors[i] > 0 ? t->errors[i] : 0;
    return sum;
}
