/* The signed-rank test and its interval against full enumeration of the signs, and a textbook. */
#include "stats/signed_rank.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/near.h"

/* W+ of values with magnitudes 1..n whose signs are the bits of mask. */
static size_t enumerated_w(unsigned mask, size_t n)
{
    size_t w = 0;
    for (size_t i = 0; i < n; i++)
        w += mask >> i & 1 ? i + 1 : 0;
    return w;
}

static void test_null_distribution_is_exact(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 12; n++) {
        size_t count[79] = {0};
        for (unsigned mask = 0; mask < 1u << n; mask++)
            count[enumerated_w(mask, n)]++;
        double tail = 0;
        for (size_t w = n * (n + 1) / 2 + 1; w-- > 0;) {
            tail += (double)count[w];
            assert_near(signed_rank_p_greater(2 * w, n), ldexp(tail, -(int)n), 1e-15);
            assert_near(signed_rank_p_greater(2 * w + 1, n), ldexp(tail, -(int)n), 1e-15);
        }
    }
    assert_near(signed_rank_p_greater(0, 0), 1, 0);
}

static void test_critical_is_the_smallest_rare_enough(void **state)
{
    (void)state;
    const double levels[] = {0.4, 0.05, 0.025, 0.01, 0.000625, 0.0001};
    for (size_t n = 1; n <= 60; n += 3)
        for (int i = 0; i < 6; i++) {
            size_t w = signed_rank_critical(n, levels[i]);
            assert_true(signed_rank_p_greater(2 * w, n) <= levels[i]);
            assert_true(signed_rank_p_greater(2 * w - 2, n) > levels[i]);
        }
    assert_int_equal(signed_rank_critical(5, 0.025), 16); /* 1 / 32 is the rarest there is */
    assert_int_equal(signed_rank_critical(6, 1.0 / 64), 21);
    assert_int_equal(signed_rank_critical(0, 0.4), 1);
}

/* Just beyond the exact range the normal distribution agrees with the recursion, written here once
   more; out in the tail it is a little too careful, never too bold. */
static void test_large_n_joins_the_exact_range(void **state)
{
    (void)state;
    enum {
        N = SIGNED_RANK_EXACT + 1,
        SUM = N * (N + 1) / 2
    };
    double *mass = calloc(SUM + 1, sizeof *mass);
    mass[0] = 1;
    for (int k = 1; k <= N; k++)
        for (int w = SUM; w >= 0; w--)
            mass[w] = mass[w] / 2 + (w >= k ? mass[w - k] / 2 : 0);
    double tail = 0;
    for (int w = SUM; w > SUM / 2; w--) {
        tail += mass[w];
        double error = signed_rank_p_greater(2 * (size_t)w, N) / tail - 1;
        if (tail > 0.0005)
            assert_between(error, tail < 0.04 ? 0 : -0.01, tail < 0.04 ? 0.13 : 0.01);
    }
    free(mass);
    size_t w = signed_rank_critical(500, 0.01);
    assert_true(signed_rank_p_greater(2 * w, 500) <= 0.01);
    assert_true(signed_rank_p_greater(2 * w - 2, 500) > 0.01);
}

static void test_midranks_and_zeros(void **state)
{
    (void)state;
    const double plain[] = {3, -1, 2};
    assert_int_equal(signed_rank_w2_plus(plain, 3), 2 * (3 + 2));
    const double tied[] = {2, -2, 2, 1}; /* 1 has rank 1, the twos share 3 */
    assert_int_equal(signed_rank_w2_plus(tied, 4), 2 * (3 + 3 + 1));
    const double half[] = {-1, 1, 5}; /* ranks 1.5 1.5 3 */
    assert_int_equal(signed_rank_w2_plus(half, 3), 9);
    const double zeros[] = {0, -4, 0, 7}; /* zeros: 1.5 each, half of it counts; 7 has 4 */
    assert_int_equal(signed_rank_w2_plus(zeros, 4), 2 * 4 + 3);
    const double nothing[] = {0, 0, 0, 0, 0}; /* exactly the middle of 0..15 */
    assert_int_equal(signed_rank_w2_plus(nothing, 5), 15);
    assert_int_equal(signed_rank_w2_plus(NULL, 0), 0);
}

/* The share of all sign patterns of these magnitudes that reach the critical value. */
static double rejected_share(const double *size, size_t n, size_t critical)
{
    size_t rejected = 0;
    for (unsigned mask = 0; mask < 1u << n; mask++) {
        double x[10];
        for (size_t i = 0; i < n; i++)
            x[i] = mask >> i & 1 ? size[i] : -size[i];
        rejected += signed_rank_w2_plus(x, n) >= 2 * critical;
    }
    return ldexp((double)rejected, -(int)n);
}

/* Ten magnitudes of which many are tied or 0: the level holds on average, if not for each of them.
 */
static void test_ties_keep_the_level_on_average(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 7);
    size_t critical = signed_rank_critical(10, 0.025);
    double sum = 0;
    for (int round = 0; round < 200; round++) {
        double size[10];
        for (size_t i = 0; i < 10; i++)
            size[i] = (double)random_below(&r, 6);
        double share = rejected_share(size, 10, critical);
        assert_between(share, 0, 0.05);
        sum += share;
    }
    assert_between(sum / 200, 0.01, 0.025);
}

/* Hollander and Wolfe, "Nonparametric Statistical Methods", example 3.1 and 3.3: Hamilton
   depression scale before and after a tranquilizer. W+ 40, P 0.0195, estimate 0.46. */
static const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
static const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};

static void test_textbook_example(void **state)
{
    (void)state;
    double x[9];
    for (int i = 0; i < 9; i++)
        x[i] = before[i] - after[i];
    assert_int_equal(signed_rank_w2_plus(x, 9), 80);
    assert_near(signed_rank_p_greater(80, 9), 10.0 / 512, 1e-15);
    struct interval i = signed_rank_interval(x, 9, 0.05);
    assert_near(i.estimate, 0.46, 1e-12);
    assert_near(i.low, 0.010, 1e-12);
    assert_near(i.high, 0.786, 1e-12);
    assert_near(i.confidence, 1 - 2 * 10.0 / 512, 1e-15);
    assert_int_equal(i.n, 9);
}

/* Over all signs of the deviations, the interval holds the centre exactly as often as it says. */
static void test_confidence_is_exact(void **state)
{
    (void)state;
    const double size[] = {0.3, 0.45, 1.1, 2.3, 2.9, 5.3, 7.7, 9.2, 20.1};
    for (size_t n = 6; n <= 9; n++) {
        size_t covered = 0;
        struct interval i = {0};
        for (unsigned mask = 0; mask < 1u << n; mask++) {
            double x[9];
            for (size_t k = 0; k < n; k++)
                x[k] = 100 + (mask >> k & 1 ? size[k] : -size[k]);
            i = signed_rank_interval(x, n, 0.10);
            covered += i.low <= 100 && 100 <= i.high;
        }
        assert_near(ldexp((double)covered, -(int)n), i.confidence, 1e-12);
        assert_true(i.confidence >= 0.90);
    }
}

/* The interval is what the test keeps: its low end is above c exactly when x - c is rejected. */
static void test_interval_and_test_agree(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 8);
    for (int round = 0; round < 300; round++) {
        double x[48];
        size_t n = 7 + random_below(&r, 42);
        size_t critical = signed_rank_critical(n, 0.01);
        for (size_t i = 0; i < n; i++)
            x[i] = 0.4 + random_normal(&r);
        struct interval i = signed_rank_interval_at(x, n, critical);
        assert_int_equal(i.low > 0, signed_rank_w2_plus(x, n) >= 2 * critical);
        assert_true(i.low <= i.estimate && i.estimate <= i.high);
    }
}

static void test_estimate_moves_with_the_data(void **state)
{
    (void)state;
    const double x[] = {1.5, -2, 7.25, 0.125, 40};
    double moved[5];
    double mirrored[5];
    for (int i = 0; i < 5; i++) {
        moved[i] = 2 * x[i] + 3;
        mirrored[i] = -x[i];
    }
    double estimate = signed_rank_estimate(x, 5);
    assert_near(signed_rank_estimate(moved, 5), 2 * estimate + 3, 1e-12);
    assert_near(signed_rank_estimate(mirrored, 5), -estimate, 1e-12);
    const double three[] = {0, 1, 5}; /* averages 0 .5 1 2.5 3 5 */
    assert_near(signed_rank_estimate(three, 3), 1.75, 1e-15);
    assert_near(signed_rank_estimate(x, 1), 1.5, 0);
}

static void test_too_few_values(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct interval i = signed_rank_interval(x, 5, 0.05);
    assert_near(i.estimate, 3, 1e-15);
    assert_true(isnan(i.low) && isnan(i.high));
    assert_near(i.confidence, 0, 0);
    i = signed_rank_interval(x, 6, 0.05);
    assert_near(i.low, 1, 0);
    assert_near(i.high, 6, 0);
    assert_near(i.confidence, 1 - 2.0 / 64, 1e-15);
    i = signed_rank_interval(NULL, 0, 0.05);
    assert_true(isnan(i.estimate) && isnan(i.low) && i.confidence == 0 && i.n == 0);
    assert_int_equal(signed_rank_smallest_n(0.05), 6);
    assert_int_equal(signed_rank_smallest_n(0.02), 7);
    assert_int_equal(signed_rank_smallest_n(0.01), 8);
    assert_int_equal(signed_rank_smallest_n(0.5), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_distribution_is_exact),
        cmocka_unit_test(test_critical_is_the_smallest_rare_enough),
        cmocka_unit_test(test_large_n_joins_the_exact_range),
        cmocka_unit_test(test_midranks_and_zeros),
        cmocka_unit_test(test_ties_keep_the_level_on_average),
        cmocka_unit_test(test_textbook_example),
        cmocka_unit_test(test_confidence_is_exact),
        cmocka_unit_test(test_interval_and_test_agree),
        cmocka_unit_test(test_estimate_moves_with_the_data),
        cmocka_unit_test(test_too_few_values),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
