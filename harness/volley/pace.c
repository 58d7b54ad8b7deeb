/* pace: see pace.h. */
#include "volley/pace.h"

#include <assert.h>

void pace_init(struct pace *p, double rate, bool poisson, uint64_t seed)
{
    assert(rate > 0);
    *p = (struct pace){.gap_ns = 1e9 / rate, .poisson = poisson};
    random_seed(&p->random, seed);
}

void pace_start(struct pace *p, uint64_t start_ns, double phase)
{
    p->start_ns = start_ns;
    p->at_ns = p->poisson ? random_exponential(&p->random, p->gap_ns) : p->gap_ns * phase;
}

uint64_t pace_next_ns(const struct pace *p)
{
    return p->start_ns + (uint64_t)p->at_ns;
}

void pace_advance(struct pace *p)
{
    p->at_ns += p->poisson ? random_exponential(&p->random, p->gap_ns) : p->gap_ns;
}
