/* eprocess: see eprocess.h. The bet: given the magnitudes so far, a stake of kappa * rank / (i + 1)
   on the sign of value i. It is fair if signs are, so wealth is a martingale; ranks make it forget
   the scale, and large values, which say most about a shift, get the large stakes. */
#include "stats/eprocess.h"

#include "base/alloc.h"
#include "stats/robust.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double kappas[EPROCESS_BETS] = {0.3, 0.5, 0.7, 0.9};

void eprocess_init(struct eprocess *e)
{
    *e = (struct eprocess){0};
}

void eprocess_fini(struct eprocess *e)
{
    free(e->magnitudes);
    eprocess_init(e);
}

/* Puts size in its place. Returns its rank in 1..n, the mean rank where sizes are tied. */
static double insert(struct eprocess *e, double size)
{
    xgrow(&e->magnitudes, &e->n, sizeof *e->magnitudes);
    size_t end = e->n - 1;
    while (end > 0 && e->magnitudes[end - 1] > size)
        end--;
    memmove(e->magnitudes + end + 1, e->magnitudes + end, (e->n - 1 - end) * sizeof *e->magnitudes);
    e->magnitudes[end] = size;
    size_t first = end;
    while (first > 0 && e->magnitudes[first - 1] == size)
        first--;
    return (double)(first + 1 + end + 1) / 2;
}

void eprocess_feed(struct eprocess *e, double value)
{
    assert(isfinite(value));
    double rank = insert(e, fabs(value));
    double sign = (value > 0) - (value < 0);
    for (int k = 0; k < EPROCESS_BETS; k++)
        e->log_wealth[k] += log1p(kappas[k] * sign * rank / (double)(e->n + 1));
}

double eprocess_log_wealth(const struct eprocess *e)
{
    double most = e->log_wealth[0];
    for (int k = 1; k < EPROCESS_BETS; k++)
        most = fmax(most, e->log_wealth[k]);
    double sum = 0;
    for (int k = 0; k < EPROCESS_BETS; k++)
        sum += exp(e->log_wealth[k] - most);
    return most + log(sum / EPROCESS_BETS);
}

void eprocess_test_init(struct eprocess_test *test, double delta0, double delta1, double alpha,
                        double beta)
{
    assert(delta0 < delta1 && alpha > 0 && alpha < 1 && beta > 0 && beta < 1);
    *test =
        (struct eprocess_test){.delta0 = delta0, .delta1 = delta1, .alpha = alpha, .beta = beta};
}

void eprocess_test_fini(struct eprocess_test *test)
{
    eprocess_fini(&test->fail);
    eprocess_fini(&test->pass);
}

enum decision eprocess_test_feed(struct eprocess_test *test, double value)
{
    if (test->decision != DECISION_CONTINUE)
        return test->decision;
    eprocess_feed(&test->fail, value - test->delta0);
    eprocess_feed(&test->pass, test->delta1 - value);
    if (eprocess_log_wealth(&test->fail) >= -log(test->alpha))
        test->decision = DECISION_FAIL;
    else if (eprocess_log_wealth(&test->pass) >= -log(test->beta))
        test->decision = DECISION_PASS;
    return test->decision;
}

struct interval eprocess_interval(const double *x, size_t n, double alpha_two_sided)
{
    assert(alpha_two_sided > 0 && alpha_two_sided < 1);
    struct interval i = {robust_mean(x, n), NAN, NAN, 0, n};
    if (n < 2)
        return i;
    double count = (double)n;
    double spread = 1 + count * EPROCESS_PRIOR;
    double k = pow(sqrt(spread) / alpha_two_sided, 2 / count);
    if (k >= spread)
        return i;
    double t_squared = (count - 1) * (k - 1) / (1 - k / spread);
    double half = robust_sd(x, n) * sqrt(t_squared / count);
    i.low = i.estimate - half;
    i.high = i.estimate + half;
    i.confidence = 1 - alpha_two_sided;
    return i;
}
