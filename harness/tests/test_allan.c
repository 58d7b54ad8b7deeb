/* The Allan variance of series whose variance is known, and the slice length that follows. */
#include "stats/allan.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/near.h"

enum {
    N = 6000
};

/* Counts of base intervals: white noise of 1 %, a random walk of the level, and a drift, in logs.
 */
static double *make_counts(double white, double walk, double drift)
{
    double *counts = calloc(N, sizeof *counts);
    struct random r;
    random_seed(&r, 25);
    double level = 0;
    for (int i = 0; i < N; i++) {
        level += walk * random_normal(&r) + drift;
        counts[i] = floor(1e6 * exp(level + white * random_normal(&r)));
    }
    return counts;
}

static void test_by_hand(void **state)
{
    (void)state;
    const double counts[] = {100, 200, 100, 400};
    double ln2 = M_LN2;
    /* ln steps: +ln2, -ln2, +2 ln2 */
    assert_near(allan_variance(counts, 4, 1), (1 + 1 + 4) * ln2 * ln2 / 6, 1e-14);
    double step = log(500.0 / 300);
    assert_near(allan_variance(counts, 4, 2), step * step / 2, 1e-14);
}

/* White: falls as 1 / m. */
static void test_white_noise(void **state)
{
    (void)state;
    double *counts = make_counts(0.01, 0, 0);
    for (size_t m = 1; m <= 64; m *= 4)
        assert_near(allan_variance(counts, N, m) * (double)m / 1e-4, 1, 0.25);
    free(counts);
}

/* Drift of d an interval: (m d)^2 / 2. Random walk: about m / 3 of its step's variance. */
static void test_drift_and_walk_rise(void **state)
{
    (void)state;
    double *counts = make_counts(0, 0, 1e-3);
    for (size_t m = 1; m <= 64; m *= 4) {
        double expected = (double)(m * m) * 1e-6 / 2;
        assert_near(allan_variance(counts, N, m) / expected, 1, 0.001);
    }
    free(counts);
    counts = make_counts(0, 1e-3, 0);
    for (size_t m = 4; m <= 64; m *= 4)
        assert_near(allan_variance(counts, N, m) / ((double)m * 1e-6 / 3), 1, 0.25);
    free(counts);
}

static void test_best_length_weighs_guard_against_drift(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 2, 5, 10, 20, 50, 100, 200};
    /* White noise 2 % and a walk of 0.1 % an interval: (4e-4 / m + m 1e-6 / 3) (m + guard) is least
       at m = 6.6 for a guard of half an interval, at 20 for one of 20, at 42 for 200. */
    double *counts = make_counts(0.02, 0.001, 0);
    assert_in_range(allan_best_length(counts, N, lengths, 8, 0.5), 5, 10);
    assert_int_equal(allan_best_length(counts, N, lengths, 8, 20), 20);
    assert_in_range(allan_best_length(counts, N, lengths, 8, 200), 20, 50);
    free(counts);
    /* Nothing but drift: as short as can be, whatever the guard. */
    counts = make_counts(0, 0.01, 0);
    assert_int_equal(allan_best_length(counts, N, lengths, 8, 20), 1);
    free(counts);
}

static void test_when_it_is_not_known(void **state)
{
    (void)state;
    const double counts[16] = {5, 0, 6, 7, 5, 5, 0, 6, 5, 5, 5, 7, 8, 6, 5, 4};
    const double idle[16] = {0};
    const size_t lengths[] = {4, 2, 0};
    assert_true(isnan(allan_variance(counts, 1, 1)));
    assert_true(isnan(allan_variance(counts, 16, 9)));
    assert_true(isnan(allan_variance(idle, 16, 2)));
    assert_true(isfinite(allan_variance(counts, 16, 1))); /* pairs with an empty slice left out */
    assert_int_equal(allan_best_length(counts, 16, lengths, 3, 1), 2);
    assert_int_equal(allan_best_length(counts, 15, lengths, 3, 1), 0);
    assert_int_equal(allan_best_length(idle, 16, lengths, 3, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_white_noise),
        cmocka_unit_test(test_drift_and_walk_rise),
        cmocka_unit_test(test_best_length_weighs_guard_against_drift),
        cmocka_unit_test(test_when_it_is_not_known),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
