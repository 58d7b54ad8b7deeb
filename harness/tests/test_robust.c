/* Robust estimates against values worked out by hand, and that they leave their input alone. */
#include "stats/robust.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

static const double eight[] = {2, 4, 4, 4, 5, 5, 7, 9}; /* mean 5, squares sum to 32 */

static void test_mean_sd_cv(void **state)
{
    (void)state;
    assert_near(robust_mean(eight, 8), 5, 0);
    assert_near(robust_sd(eight, 8), sqrt(32.0 / 7), 1e-15);
    assert_near(robust_cv(eight, 8), sqrt(32.0 / 7) / 5, 1e-15);
    const double negative[] = {-1, -3};
    assert_near(robust_cv(negative, 2), M_SQRT2 / 2, 1e-15);
}

/* Rates near 1e9 that differ by units: the sum of squares minus the squared sum would lose them. */
static void test_sd_does_not_cancel(void **state)
{
    (void)state;
    const double x[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    assert_near(robust_sd(x, 4), sqrt(30), 1e-9);
}

static void test_median_and_quantile(void **state)
{
    (void)state;
    const double odd[] = {9, 1, 5};
    const double even[] = {10, 1, 3, 2};
    assert_near(robust_median(odd, 3), 5, 0);
    assert_near(robust_median(even, 4), 2.5, 0);
    /* h = 3 q: 0.9 is 2.7 places up, 0.7 of the way from 3 to 10. */
    assert_near(robust_quantile(even, 4, 0.9), 7.9, 1e-14);
    assert_near(robust_quantile(even, 4, 0.25), 1.75, 1e-14);
    assert_near(robust_quantile(even, 4, 0), 1, 0);
    assert_near(robust_quantile(even, 4, 1), 10, 0);
    assert_near(robust_quantile(odd, 1, 0.37), 9, 0);
}

static void test_mad(void **state)
{
    (void)state;
    const double x[] = {1, 1, 2, 2, 4, 6, 9}; /* median 2, distances 0 0 1 1 2 4 7 */
    assert_near(robust_mad(x, 7), 1.4826, 1e-15);
    struct random r;
    double normal[4001];
    random_seed(&r, 6);
    for (int i = 0; i < 4001; i++)
        normal[i] = 3 * random_normal(&r);
    assert_near(robust_mad(normal, 4001), 3, 0.2);
}

static void test_trimmed_mean(void **state)
{
    (void)state;
    const double x[] = {1000, 1, 2, 3, 4, 5, 6, 7, 8, -1000};
    assert_near(robust_trimmed_mean(x, 10, 0.1), 4.5, 1e-15);
    assert_near(robust_trimmed_mean(x, 10, 0.2), 4.5, 1e-15);
    assert_near(robust_trimmed_mean(x, 10, 0), 3.6, 1e-12);
    assert_near(robust_trimmed_mean(x, 4, 0.2), 251.5, 1e-12); /* 0.8 of a value: none is cut */
    assert_near(robust_trimmed_mean(x, 3, 0.49), 2, 0);
}

static void test_too_few_is_not_known(void **state)
{
    (void)state;
    assert_true(isnan(robust_mean(NULL, 0)));
    assert_true(isnan(robust_median(NULL, 0)));
    assert_true(isnan(robust_quantile(NULL, 0, 0.9)));
    assert_true(isnan(robust_mad(NULL, 0)));
    assert_true(isnan(robust_trimmed_mean(NULL, 0, 0.2)));
    assert_true(isnan(robust_sd(eight, 0)));
    assert_true(isnan(robust_sd(eight, 1)));
    assert_true(isnan(robust_cv(eight, 1)));
    const double balanced[] = {-1, 1};
    assert_true(isnan(robust_cv(balanced, 2)));
}

static void test_input_is_left_alone(void **state)
{
    (void)state;
    double x[] = {5, 3, 9, 1};
    const double before[] = {5, 3, 9, 1};
    robust_median(x, 4);
    robust_mad(x, 4);
    robust_trimmed_mean(x, 4, 0.25);
    assert_memory_equal(x, before, sizeof x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_sd_cv),          cmocka_unit_test(test_sd_does_not_cancel),
        cmocka_unit_test(test_median_and_quantile), cmocka_unit_test(test_mad),
        cmocka_unit_test(test_trimmed_mean),        cmocka_unit_test(test_too_few_is_not_known),
        cmocka_unit_test(test_input_is_left_alone),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
