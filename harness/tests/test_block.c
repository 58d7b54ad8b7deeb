/* The block's order and value: drift cancels, stalls are trimmed, the coin mirrors the noise. */
#include "stats/block.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

static const size_t abba[] = {0, 1, 1, 0};
static const size_t baab[] = {1, 0, 0, 1};

static void test_two_targets_are_a_fair_coin(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 26);
    double heads = 0;
    for (int i = 0; i < 10000; i++) {
        size_t order[4];
        block_draw_order(&r, 2, order);
        heads += order[0] == 0;
        assert_memory_equal(order, order[0] == 0 ? abba : baab, sizeof order);
    }
    assert_near(heads / 10000, 0.5, 0.015);
}

static void test_more_targets_are_a_palindrome_of_each_once(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 27);
    double first[5] = {0};
    for (int i = 0; i < 5000; i++) {
        size_t order[10];
        size_t seen = 0;
        block_draw_order(&r, 5, order);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(order[k], order[9 - k]);
            seen |= 1u << order[k];
        }
        assert_int_equal(seen, 31);
        first[order[0]]++;
    }
    for (int k = 0; k < 5; k++)
        assert_near(first[k] / 5000, 0.2, 0.02);
}

/* Rates of a block of 40 slices: B is slower by ln_ratio, the machine drifts by 1 % a slice. */
static void fill(double *rates, const size_t *order, double ln_ratio)
{
    for (size_t i = 0; i < 40; i++) {
        double ln = log(50000) + 0.01 * (double)i;
        rates[i] = exp(order[i % 4] == 1 ? ln - ln_ratio : ln);
    }
}

static void test_linear_drift_cancels(void **state)
{
    (void)state;
    double rates[40];
    for (int side = 0; side < 2; side++) {
        const size_t *order = side ? abba : baab;
        fill(rates, order, 0.031);
        struct block block = {2, order, rates, 40};
        assert_near(block_slowdown_of_rates(&block, 0, 1), 0.031, 1e-12);
        assert_near(block_slowdown_of_rates(&block, 1, 0), -0.031, 1e-12);
        assert_near(block_slowdown_of_costs(&block, 0, 1), -0.031, 1e-12);
    }
}

/* Two of ten palindromes hit by a stall of half the slice: within the fifth that is trimmed a side.
 */
static void test_stalls_are_trimmed(void **state)
{
    (void)state;
    double rates[40];
    fill(rates, abba, 0.02);
    rates[1] /= 2;
    rates[14] /= 2;
    struct block block = {2, abba, rates, 40};
    assert_near(block_slowdown_of_rates(&block, 0, 1), 0.02, 1e-12);
}

/* Noise belongs to the time of a slice. With the other side of the coin its part of the value
   changes sign exactly, whatever it is; the slowdown's part doesn't. */
static void test_the_coin_mirrors_the_noise(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 28);
    for (int round = 0; round < 100; round++) {
        double with[40];
        double against[40];
        fill(with, abba, 0.05);
        fill(against, baab, 0.05);
        for (int i = 0; i < 40; i++) {
            double noise = exp(-random_exponential(&r, 0.1));
            with[i] *= noise;
            against[i] *= noise;
        }
        struct block a = {2, abba, with, 40};
        struct block b = {2, baab, against, 40};
        double sum = block_slowdown_of_rates(&a, 0, 1) + block_slowdown_of_rates(&b, 0, 1);
        assert_near(sum, 0.10, 1e-12);
    }
}

static void test_three_targets_compare_in_pairs(void **state)
{
    (void)state;
    const size_t order[] = {2, 0, 1, 1, 0, 2};
    const double rates[] = {400, 100, 200, 200, 100, 400, 800, 200, 400, 400, 200, 800, 7, 7};
    struct block block = {3, order, rates, 14}; /* two slices of a third palindrome */
    assert_near(block_slowdown_of_rates(&block, 1, 0), M_LN2, 1e-15);
    assert_near(block_slowdown_of_rates(&block, 2, 0), 2 * M_LN2, 1e-15);
    assert_near(block_slowdown_of_rates(&block, 1, 2), -M_LN2, 1e-15);
}

static void test_missing_slices(void **state)
{
    (void)state;
    double rates[8] = {100, 90, 90, 100, 100, NAN, 1, 1};
    struct block block = {2, abba, rates, 8};
    assert_near(block_slowdown_of_rates(&block, 0, 1), log(100.0 / 90), 1e-14);
    rates[0] = 0;
    assert_true(isnan(block_slowdown_of_rates(&block, 0, 1)));
    struct block empty = {2, abba, rates, 3};
    assert_true(isnan(block_slowdown_of_rates(&empty, 0, 1)));
    /* What a third target lacks doesn't matter to the other two. */
    const size_t order[] = {0, 2, 1, 1, 2, 0};
    const double three[] = {100, NAN, 80, 80, 0, 100};
    struct block block3 = {3, order, three, 6};
    assert_near(block_slowdown_of_rates(&block3, 0, 1), log(1.25), 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_targets_are_a_fair_coin),
        cmocka_unit_test(test_more_targets_are_a_palindrome_of_each_once),
        cmocka_unit_test(test_linear_drift_cancels),
        cmocka_unit_test(test_stalls_are_trimmed),
        cmocka_unit_test(test_the_coin_mirrors_the_noise),
        cmocka_unit_test(test_three_targets_compare_in_pairs),
        cmocka_unit_test(test_missing_slices),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
