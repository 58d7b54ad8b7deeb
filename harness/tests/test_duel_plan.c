/* What a duel decides before it compares anything. */
#include "judge/duel_plan.h"

#include "model/duel.h"
#include "stats/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/near.h"

static void test_false_alarms_are_bounded_whatever_the_noise_does(void **state)
{
    (void)state;
    for (size_t blocks = 12; blocks <= 120; blocks += 27)
        for (size_t i = 1; i <= 11; i += 5) {
            struct sequential_plan plan;
            double alpha = 0.001 * (double)i;
            assert_int_equal(duel_plan_make(&plan, blocks, alpha, 0.05), 0);
            assert_true(sequential_plan_alpha_bound(&plan) <= alpha);
            assert_true(sequential_plan_alpha_bound(&plan) > 0.6 * alpha); /* and not wasted */
            assert_int_equal(sequential_plan_blocks(&plan), blocks);
        }
}

static void test_every_look_can_fail(void **state)
{
    (void)state;
    for (size_t blocks = 9; blocks <= 120; blocks++) {
        struct sequential_plan plan;
        if (blocks > 30 && blocks % 13)
            continue;
        assert_int_equal(duel_plan_make(&plan, blocks, 0.005, 0.05), 0);
        for (size_t i = 0; i < plan.look_count; i++)
            assert_true(plan.looks[i].w_fail <= plan.looks[i].n * (plan.looks[i].n + 1) / 2);
    }
}

/* 2^-9 is the first that fits into half of 0.005. */
static void test_least_blocks(void **state)
{
    (void)state;
    struct sequential_plan plan;
    assert_int_equal(duel_plan_blocks_least(0.005), 9);
    assert_int_equal(duel_plan_make(&plan, 9, 0.005, 0.05), 0);
    assert_int_equal(duel_plan_make(&plan, 8, 0.005, 0.05), -1);
    assert_true(duel_plan_blocks_least(0.0005) > duel_plan_blocks_least(0.01));
}

static void test_the_price_of_the_bound(void **state)
{
    (void)state;
    struct sequential_plan nominal, strict;
    assert_int_equal(sequential_plan_init_blocks(&nominal, 48, 0.01, 0.05), 0);
    assert_int_equal(duel_plan_make(&strict, 48, 0.01, 0.05), 0);
    double price = sequential_plan_resolution(&strict, 1) / sequential_plan_resolution(&nominal, 1);
    assert_between(price, 1.0, 1.06);
}

static void test_series(void **state)
{
    (void)state;
    struct duel_rules r = {.metric = {true, true}};
    assert_int_equal(duel_plan_series(&r, 3), 6);
    r.composite = true;
    assert_int_equal(duel_plan_series(&r, 3), 2);
    r.metric[METRIC_CPU] = false;
    assert_int_equal(duel_plan_series(&r, 3), 1);
}

static void test_detect_follows_the_noise_in_steps(void **state)
{
    (void)state;
    double margin = duel_slowdown_of_percent(1);
    assert_near(duel_percent_of_slowdown(duel_plan_detect(margin, 0.001)), 1.5, 1e-9);
    assert_near(duel_percent_of_slowdown(duel_plan_detect(margin, 0.003)), 2, 1e-9);
    assert_near(duel_percent_of_slowdown(duel_plan_detect(margin, 0.02)), 5, 1e-9);
    /* Too noisy: no promise is made of it. */
    assert_near(duel_percent_of_slowdown(duel_plan_detect(0, 0.5)), 4, 1e-9);
    assert_near(duel_percent_of_slowdown(duel_plan_detect(0, NAN)), 4, 1e-9);
}

static double block_for(double left_s, double slice_s)
{
    struct duel_time t = {.left_s = left_s, .overhead_s = 0.2, .slice_s = slice_s, .routes = 1};
    return duel_plan_block_s(&t);
}

static void test_block_length_fits_the_budget(void **state)
{
    (void)state;
    assert_near(block_for(NAN, 0.005), 1, 1e-12);
    assert_near(block_for(60, 0.005), 1, 1e-12);
    assert_near(block_for(12, 0.005), 0.55, 1e-12); /* 16 blocks of 0.75 s */
    assert_near(block_for(4, 0.005), 0.25, 1e-12);  /* too short: the caller refuses */
    assert_near(block_for(600, 0.005), 4.8, 1e-12); /* 120 blocks of 5 s */
    assert_near(block_for(60, 0.2), 3.2, 1e-12);    /* 16 slices of a slow server */
    assert_near(block_for(20, 0.2), 3.2, 1e-12);
}

static double slice_for(double rate, double white, double walk, unsigned connections)
{
    double rates[400], level = 0;
    struct random r;
    random_seed(&r, 5);
    for (size_t i = 0; i < 400; i++) {
        level += walk * random_normal(&r);
        rates[i] = rate * exp(level + white * random_normal(&r));
    }
    struct duel_pilot p = {
        .rates = rates, .n = 400, .base_s = 0.005, .gap_s = 0.002, .connections = connections};
    return duel_plan_slice_s(&p);
}

/* White noise: a longer slice wastes less on gaps. A random walk: neighbours must be near. */
static void test_slice_length_by_allan_variance(void **state)
{
    (void)state;
    assert_near(slice_for(100000, 0.02, 0, 64), 0.020, 1e-9);
    assert_near(slice_for(100000, 0.001, 0.02, 64), 0.005, 1e-9);
}

/* Four answers a connection: 64 x 4 at 3000/s take 85 ms, 1000 x 4 at 100k/s 40 ms. */
static void test_slow_servers_get_longer_slices(void **state)
{
    (void)state;
    assert_near(slice_for(3000, 0.001, 0.02, 64), 0.100, 1e-9);
    assert_near(slice_for(100000, 0.001, 0.02, 1000), 0.050, 1e-9);
    assert_near(slice_for(10, 0.001, 0.02, 64), 0.200, 1e-9); /* no slice is longer */
}

static void test_a_pilot_without_rates(void **state)
{
    (void)state;
    double nothing[] = {NAN, NAN};
    struct duel_pilot p = {.rates = nothing, .n = 2, .base_s = 0.005, .connections = 1};
    assert_near(duel_plan_slice_s(&p), 0.005, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_alarms_are_bounded_whatever_the_noise_does),
        cmocka_unit_test(test_every_look_can_fail),
        cmocka_unit_test(test_least_blocks),
        cmocka_unit_test(test_the_price_of_the_bound),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_detect_follows_the_noise_in_steps),
        cmocka_unit_test(test_block_length_fits_the_budget),
        cmocka_unit_test(test_slice_length_by_allan_variance),
        cmocka_unit_test(test_slow_servers_get_longer_slices),
        cmocka_unit_test(test_a_pilot_without_rates),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
