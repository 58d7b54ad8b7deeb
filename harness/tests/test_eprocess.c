/* Anytime-valid tests: that nobody gets rich on fair coins (by full enumeration), the design's
   figures by simulation, and the confidence sequence against the test that it inverts. */
#include "stats/eprocess.h"

#include "stats/random.h"
#include "stats/robust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <cmocka.h>

#include "tests/near.h"

/* Mean wealth of the four gamblers after these stakes (fractions of kappa, lost if negative). */
static double wealth_after(const double *stakes, size_t n)
{
    const double kappas[] = {0.3, 0.5, 0.7, 0.9};
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double wealth = 1;
        for (size_t i = 0; i < n; i++)
            wealth *= 1 + kappas[k] * stakes[i];
        sum += wealth / 4;
    }
    return sum;
}

static void test_first_bets_by_hand(void **state)
{
    (void)state;
    const double stakes[] = {1.0 / 2, -1.0 / 3, 0, 2.5 / 5};
    const double values[] = {3, -1, 0, 1}; /* the last is tied with -1: 0 1 1 3, ranks 2 and 3 */
    struct eprocess e;
    eprocess_init(&e);
    assert_near(eprocess_log_wealth(&e), 0, 0);
    for (size_t i = 0; i < 4; i++) {
        eprocess_feed(&e, values[i]);
        assert_near(exp(eprocess_log_wealth(&e)), wealth_after(stakes, i + 1), 1e-12);
    }
    assert_near(wealth_after(stakes, 1), 1.3, 1e-15); /* half of the mean kappa, 0.6 */
    eprocess_fini(&e);
    eprocess_fini(&e);
}

/* All 2^12 sign patterns of magnitudes in no order, with a tie: the mean final wealth is exactly 1,
   and at most alpha of the patterns ever reach 1 / alpha. */
static void test_fair_coins_make_nobody_rich(void **state)
{
    (void)state;
    const double size[] = {2, 9, 0.1, 4, 4, 17, 1, 3, 0.5, 8, 30, 6};
    double wealth = 0;
    double reached5 = 0;
    double reached20 = 0;
    for (unsigned mask = 0; mask < 1u << 12; mask++) {
        struct eprocess e;
        double most = 0;
        eprocess_init(&e);
        for (int i = 0; i < 12; i++) {
            eprocess_feed(&e, mask >> i & 1 ? size[i] : -size[i]);
            most = fmax(most, eprocess_log_wealth(&e));
        }
        wealth += exp(eprocess_log_wealth(&e));
        reached5 += most >= log(5);
        reached20 += most >= log(20);
        eprocess_fini(&e);
    }
    assert_near(wealth / 4096, 1, 1e-12);
    assert_between(reached5 / 4096, 0.05, 0.2);
    assert_between(reached20 / 4096, 0.001, 0.05);
}

/* Units don't matter: only signs and ranks do. */
static void test_scale_does_not_matter(void **state)
{
    (void)state;
    struct eprocess a, b;
    struct random r;
    random_seed(&r, 14);
    eprocess_init(&a);
    eprocess_init(&b);
    for (int i = 0; i < 500; i++) {
        double x = 0.1 + random_normal(&r);
        eprocess_feed(&a, x);
        eprocess_feed(&b, x * 1e-4);
    }
    assert_near(eprocess_log_wealth(&a), eprocess_log_wealth(&b), 0);
    assert_true(isfinite(eprocess_log_wealth(&a)));
    eprocess_fini(&a);
    eprocess_fini(&b);
}

/* Thousands of blocks: the product itself would long have overflowed, the sum of logs doesn't. */
static void test_long_runs_stay_finite(void **state)
{
    (void)state;
    struct eprocess e;
    eprocess_init(&e);
    for (int i = 0; i < 4000; i++)
        eprocess_feed(&e, 1 + i % 7);
    assert_between(eprocess_log_wealth(&e), 1000, 1e5);
    eprocess_fini(&e);
}

struct outcome {
    double fail, pass, blocks; /* shares, and the mean */
};

static struct outcome simulate(double effect, bool heavy, int cap, int runs)
{
    struct outcome o = {0};
    struct random r;
    random_seed(&r, 15);
    for (int i = 0; i < runs; i++) {
        struct eprocess_test test;
        eprocess_test_init(&test, 0, 0.6, 0.01, 0.05);
        int n = 0;
        for (; n < cap && test.decision == DECISION_CONTINUE; n++) {
            double noise = random_normal(&r);
            if (heavy) {
                double x = random_normal(&r), y = random_normal(&r), z = random_normal(&r);
                noise /= sqrt(x * x + y * y + z * z);
            }
            eprocess_test_feed(&test, effect + noise);
        }
        o.fail += test.decision == DECISION_FAIL;
        o.pass += test.decision == DECISION_PASS;
        o.blocks += n;
        eprocess_test_fini(&test);
    }
    return (struct outcome){o.fail / runs, o.pass / runs, o.blocks / runs};
}

/* The design's simulation, cap 80 blocks: an effect of .6 sd fails .954 and passes .031, mean 36
   blocks; t3 fails .975, mean 25; no effect fails .004 and passes .99, mean 25. */
static void test_figures_of_the_design(void **state)
{
    (void)state;
    struct outcome slow = simulate(0.6, false, 80, 4000);
    assert_near(slow.fail, 0.954, 0.015);
    assert_near(slow.pass, 0.031, 0.012);
    assert_near(slow.blocks, 36, 2);
    struct outcome heavy = simulate(0.6, true, 80, 4000);
    assert_near(heavy.fail, 0.975, 0.012);
    assert_near(heavy.blocks, 25, 2);
    struct outcome equal = simulate(0, false, 80, 4000);
    assert_near(equal.fail, 0.004, 0.004);
    assert_near(equal.pass, 0.99, 0.01);
    assert_near(equal.blocks, 25, 2);
}

static void test_decision_stays(void **state)
{
    (void)state;
    struct eprocess_test test;
    eprocess_test_init(&test, 0.01, 0.05, 0.01, 0.05);
    int n = 0;
    while (eprocess_test_feed(&test, 0.2 + 0.001 * n) == DECISION_CONTINUE)
        n++;
    assert_in_range(n, 5, 15);
    assert_int_equal(test.decision, DECISION_FAIL);
    size_t fed = test.fail.n;
    assert_int_equal(eprocess_test_feed(&test, -5), DECISION_FAIL);
    assert_int_equal(test.fail.n, fed);
    eprocess_test_fini(&test);
    eprocess_test_fini(&test);
}

/* The t mixture's likelihood ratio for the hypothesis mean = mu; 1 / alpha at the interval's ends.
 */
static double mixture(const double *x, double n, double mu)
{
    double t = (robust_mean(x, (size_t)n) - mu) / robust_sd(x, (size_t)n) * sqrt(n);
    double spread = 1 + n * EPROCESS_PRIOR;
    double ratio = (1 + t * t / (n - 1)) / (1 + t * t / ((n - 1) * spread));
    return pow(ratio, n / 2) / sqrt(spread);
}

static void test_interval_inverts_the_mixture(void **state)
{
    (void)state;
    struct random r;
    double x[45];
    random_seed(&r, 16);
    for (int i = 0; i < 45; i++)
        x[i] = 2 + 0.3 * random_normal(&r);
    for (size_t n = 10; n <= 45; n += 5) {
        struct interval i = eprocess_interval(x, n, 0.02);
        assert_near(mixture(x, (double)n, i.low) * 0.02, 1, 1e-9);
        assert_near(mixture(x, (double)n, i.high) * 0.02, 1, 1e-9);
        assert_near(i.estimate, robust_mean(x, n), 0);
    }
    /* Half-width at n = 45, alpha .02: 3.57 standard errors. */
    struct interval i = eprocess_interval(x, 45, 0.02);
    double error = robust_sd(x, 45) / sqrt(45);
    assert_near((i.high - i.low) / 2 / error, 3.57, 0.006);
    assert_near(i.confidence, 0.98, 1e-15);
}

static void test_interval_needs_some_values(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4};
    struct interval i = eprocess_interval(x, 4, 0.02);
    assert_near(i.estimate, 2.5, 1e-15);
    assert_true(isnan(i.low) && isnan(i.high) && i.confidence == 0);
    i = eprocess_interval(x, 1, 0.02);
    assert_near(i.estimate, 1, 0);
    assert_true(isnan(i.low));
    assert_true(isnan(eprocess_interval(x, 0, 0.02).estimate));
}

/* Looked at after every one of 100 blocks, it misses the truth in at most alpha of the runs. */
static void test_interval_holds_at_all_times_together(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 17);
    double missed = 0;
    for (int run = 0; run < 1500; run++) {
        double x[100];
        bool miss = false;
        for (size_t n = 1; n <= 100; n++) {
            x[n - 1] = 7 + random_normal(&r);
            struct interval i = eprocess_interval(x, n, 0.05);
            miss = miss || i.low > 7 || i.high < 7;
        }
        missed += miss;
    }
    assert_between(missed / 1500, 0.005, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_bets_by_hand),
        cmocka_unit_test(test_fair_coins_make_nobody_rich),
        cmocka_unit_test(test_scale_does_not_matter),
        cmocka_unit_test(test_long_runs_stay_finite),
        cmocka_unit_test(test_figures_of_the_design),
        cmocka_unit_test(test_decision_stays),
        cmocka_unit_test(test_interval_inverts_the_mixture),
        cmocka_unit_test(test_interval_needs_some_values),
        cmocka_unit_test(test_interval_holds_at_all_times_together),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
