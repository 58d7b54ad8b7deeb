/* tally: see tally.h. */
#include "model/tally.h"

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

void tally_unknown(struct tally *t)
{
    *t = (struct tally){0};
    t->duration_s = t->reported_per_s = NAN;
    t->requests = t->ok = t->threads = t->connections = t->reconnects = t->bytes = -1;
    for (int i = 0; i < ERROR_KINDS; i++)
        t->errors[i] = -1;
    latency_init(&t->latency);
}

int64_t tally_errors(const struct tally *t)
{
    int64_t sum = 0;
    for (int i = 0; i < ERROR_KINDS; i++)
        sum += t->errors[i] > 0 ? t->errors[i] : 0;
    return sum;
}
