/* cusum: see cusum.h. */
#include "stats/cusum.h"

#include <assert.h>
#include <math.h>

void cusum_init(struct cusum *c, double slack, double threshold)
{
    assert(slack >= 0 && threshold > 0);
    *c = (struct cusum){.slack = slack, .threshold = threshold};
}

bool cusum_feed(struct cusum *c, double z)
{
    c->n++;
    if (!isnan(z))
        c->sum = fmax(0, c->sum + z - c->slack);
    if (c->sum == 0)
        c->since = c->n;
    return c->sum >= c->threshold;
}

size_t cusum_first_alarm(const double *z, size_t n, double slack, double threshold)
{
    struct cusum c;
    cusum_init(&c, slack, threshold);
    for (size_t i = 0; i < n; i++)
        if (cusum_feed(&c, z[i]))
            return i;
    return n;
}
