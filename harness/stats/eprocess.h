/* eprocess: tests and intervals that may be looked at after every block and stopped whenever one
   likes, also continued the next day: no horizon is planned, alpha holds at all times together. */
#ifndef STATS_EPROCESS_H
#define STATS_EPROCESS_H

#include "stats/decision.h"
#include "stats/interval.h"

#include <stddef.h>

enum {
    EPROCESS_BETS = 4
};

/* Bets on the sign of each value, a stake that grows with the rank of its magnitude among those so
   far. If signs are fair coins nobody can get rich: P(wealth ever >= 1 / alpha) <= alpha (Ville).
   Needs no scale and no finite variance. */
struct eprocess {
    double log_wealth[EPROCESS_BETS]; /* one gambler for each stake 0.3 0.5 0.7 0.9 */
    double *magnitudes;               /* |values| in rising order; owned */
    size_t n;
};

void eprocess_init(struct eprocess *e);
void eprocess_fini(struct eprocess *e); /* safe twice */

/* Takes the next value: positive is what the bet is on. Zero changes no wealth. */
void eprocess_feed(struct eprocess *e, double value);

/* Natural log of the mean wealth: evidence that values are centred above 0. 0 at the start. */
double eprocess_log_wealth(const struct eprocess *e);

/* The open-ended duel: one e-process against "slowdown <= delta0" and one against
   "slowdown >= delta1". */
struct eprocess_test {
    struct eprocess fail, pass;
    double delta0, delta1; /* log slowdowns, delta0 < delta1 */
    double alpha, beta;
    enum decision decision; /* stays once it isn't CONTINUE; never UNDECIDED */
};

void eprocess_test_init(struct eprocess_test *test, double delta0, double delta1, double alpha,
                        double beta);
void eprocess_test_fini(struct eprocess_test *test); /* safe twice */

/* Takes the next block's log slowdown. Values that come after the decision are ignored. */
enum decision eprocess_test_feed(struct eprocess_test *test, double value);

/* The interval for the mean that holds at all n together, for roughly normal values: the t mixture
   of Wang and Ramdas (arXiv 2310.03722) with prior variance EPROCESS_PRIOR (in sd^2), narrowest
   near n = 45 at alpha 0.02. estimate is the mean; low and high are NaN while n is too small. */
#define EPROCESS_PRIOR 0.36
struct interval eprocess_interval(const double *x, size_t n, double alpha_two_sided);

#endif
