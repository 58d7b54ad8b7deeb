/* Distribution functions against closed forms and exact sums. */
#include "stats/distribution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tests/near.h"

static void test_normal(void **state)
{
    (void)state;
    assert_near(distribution_normal_cdf(0), 0.5, 0);
    assert_near(distribution_normal_cdf(1), 0.841344746068542948, 1e-15);
    assert_near(distribution_normal_cdf(-6), 9.865876450376981e-10, 1e-23);
    assert_near(distribution_normal_quantile(0.975), 1.959963984540054, 1e-13);
    assert_near(distribution_normal_quantile(0.01), -2.326347874040841, 1e-13);
    assert_near(distribution_normal_quantile(0.5), 0, 1e-15);
    assert_true(isinf(distribution_normal_quantile(0)) && isinf(distribution_normal_quantile(1)));
    for (int i = 1; i <= 60; i++) {
        double p = exp(-i * i / 130.0);
        assert_near(distribution_normal_cdf(distribution_normal_quantile(p)) / p, 1, 1e-9);
    }
}

/* P(X >= k) of the binomial distribution, summed. */
static double binomial_tail(int k, int n, double p)
{
    double sum = 0;
    for (int i = k; i <= n; i++)
        sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) +
                   (n - i) * log1p(-p));
    return sum;
}

/* I_p(k, n - k + 1) = P(X >= k) (DLMF 8.17.5). */
static void check_tail(int k, int n, double p)
{
    assert_near(distribution_beta_cdf(p, k, n - k + 1), binomial_tail(k, n, p), 1e-12);
}

static void test_beta_is_a_binomial_tail(void **state)
{
    (void)state;
    for (int n = 1; n <= 60; n += 7)
        for (int k = 1; k <= n; k++)
            for (int i = 1; i < 10; i++)
                check_tail(k, n, i / 10.0);
    assert_near(distribution_beta_cdf(0.3, 5000, 12000), binomial_tail(5000, 16999, 0.3), 1e-9);
    assert_near(distribution_beta_cdf(0, 2, 3), 0, 0);
    assert_near(distribution_beta_cdf(1, 2, 3), 1, 0);
}

static void test_beta_quantile_inverts(void **state)
{
    (void)state;
    const double shapes[] = {0.5, 1, 1.7, 4, 12, 39};
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            for (int i = 1; i < 10; i++) {
                double x = distribution_beta_quantile(i / 10.0, shapes[a], shapes[b]);
                assert_near(distribution_beta_cdf(x, shapes[a], shapes[b]), i / 10.0, 1e-10);
            }
    double small = distribution_beta_quantile(1e-6, 2, 3); /* cdf there is 6 x^2 to first order */
    assert_near(distribution_beta_cdf(small, 2, 3), 1e-6, 1e-14);
    assert_near(distribution_beta_quantile(0, 2, 3), 0, 0);
    assert_near(distribution_beta_quantile(1, 2, 3), 1, 0);
}

/* Closed forms for 1 and 2 degrees of freedom; percentiles of the printed tables for more. */
static void test_t(void **state)
{
    (void)state;
    for (int i = -70; i <= 70; i++) {
        double t = i * 0.7;
        assert_near(distribution_t_cdf(t, 1), 0.5 + atan(t) / M_PI, 1e-13);
        assert_near(distribution_t_cdf(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-13);
    }
    assert_near(distribution_t_cdf(2.228138852, 10), 0.975, 1e-9);
    assert_near(distribution_t_cdf(-2.462021360, 29), 0.01, 1e-9);
    assert_near(distribution_t_cdf(1.3, 1e7), distribution_normal_cdf(1.3), 1e-6);
    /* Two degrees of freedom: 1 - t / sqrt(2 + t^2), about 1 / t^2, far beyond what 1 - p could
     * hold. */
    assert_near(distribution_t_two_sided(1e10, 2) * 1e20, 1, 1e-6);
    assert_near(distribution_t_two_sided(INFINITY, 5), 0, 0);
    assert_near(distribution_t_two_sided(0, 5), 1, 1e-15);
}

/* "0 alarms in 299 runs, 1 in 473, 3 in 773" each show a rate of at most 1 % with 95 % confidence,
   and one run less doesn't. */
static void test_binomial_interval_bounds(void **state)
{
    (void)state;
    const size_t runs[][2] = {{0, 299}, {1, 473}, {3, 773}};
    for (int i = 0; i < 3; i++) {
        size_t k = runs[i][0];
        size_t n = runs[i][1];
        assert_between(distribution_binomial_interval(k, n, 0.10).high, 0.0099, 0.01);
        assert_true(distribution_binomial_interval(k, n - 1, 0.10).high > 0.01);
    }
    struct interval all = distribution_binomial_interval(59, 59, 0.10);
    assert_between(all.low, 0.95, 0.951); /* 59 of 59 show power >= 95 % */
    assert_near(all.high, 1, 0);
    assert_near(all.estimate, 1, 0);
    assert_near(all.confidence, 0.9, 1e-15);
}

/* Exact coverage, summed over all outcomes, is never below what is promised. */
static void test_binomial_interval_covers(void **state)
{
    (void)state;
    const int n = 30;
    for (int step = 1; step < 67; step++) {
        double p = step * 0.0149;
        double covered = 0;
        for (int k = 0; k <= n; k++) {
            struct interval i = distribution_binomial_interval((size_t)k, (size_t)n, 0.05);
            if (i.low <= p && p <= i.high)
                covered += binomial_tail(k, n, p) - (k < n ? binomial_tail(k + 1, n, p) : 0);
        }
        assert_between(covered, 0.95, 1.0000001);
    }
}

static void test_outside_the_domain_is_not_known(void **state)
{
    (void)state;
    assert_true(isnan(distribution_normal_quantile(-0.1)));
    assert_true(isnan(distribution_normal_quantile(NAN)));
    assert_true(isnan(distribution_beta_cdf(1.1, 1, 1)));
    assert_true(isnan(distribution_beta_cdf(0.5, 0, 1)));
    assert_true(isnan(distribution_beta_quantile(0.5, 1, -1)));
    assert_true(isnan(distribution_t_cdf(1, 0)));
    assert_true(isnan(distribution_t_two_sided(NAN, 3)));
    struct interval none = distribution_binomial_interval(0, 0, 0.05);
    assert_true(isnan(none.estimate) && isnan(none.low) && isnan(none.high));
    assert_near(none.confidence, 0, 0);
    assert_true(isnan(distribution_binomial_interval(3, 2, 0.05).high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_beta_is_a_binomial_tail),
        cmocka_unit_test(test_beta_quantile_inverts),
        cmocka_unit_test(test_t),
        cmocka_unit_test(test_binomial_interval_bounds),
        cmocka_unit_test(test_binomial_interval_covers),
        cmocka_unit_test(test_outside_the_domain_is_not_known),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
