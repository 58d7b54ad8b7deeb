/* How a sequential test behaves, block by block. Its error rates are test_stopping's business. */
#include "stats/sequential.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

static struct sequential start(double delta0, double delta1)
{
    struct sequential_plan plan;
    struct sequential test;
    assert_int_equal(sequential_plan_init_blocks(&plan, 48, 0.01, 0.05), 0);
    sequential_init(&test, &plan, delta0, delta1);
    return test;
}

/* Feeds +size and -size in turn, a little larger each time, shifted by centre: no two tie. */
static enum decision feed(struct sequential *test, size_t blocks, double centre, double size)
{
    for (size_t i = 0; i < blocks; i++) {
        double noise = size * (1 + 0.01 * (double)test->n);
        sequential_feed(test, centre + (test->n % 2 ? -noise : noise));
    }
    return test->decision;
}

static void test_fails_at_the_first_look_when_it_is_plain(void **state)
{
    (void)state;
    struct sequential test = start(0.01, 0.05);
    assert_int_equal(feed(&test, 11, 0.04, 0.01), DECISION_CONTINUE);
    assert_false(sequential_at_look(&test));
    assert_int_equal(feed(&test, 1, 0.04, 0.01), DECISION_FAIL);
    assert_true(sequential_at_look(&test));
    assert_int_equal(test.n, 12);
}

static void test_passes_equal_servers_on_a_quiet_machine(void **state)
{
    (void)state;
    struct sequential test = start(0.01, 0.05);
    assert_int_equal(feed(&test, 12, 0, 0.005), DECISION_PASS);
    assert_between(sequential_resolution(&test), 0.003, 0.0039);
}

/* The slowdown of 2 % is within what delta0 .. delta1 leaves open, but the margin is all that
   counts: faster than the margin allows is no failure, slower is. */
static void test_margin_is_what_it_compares_with(void **state)
{
    (void)state;
    struct sequential within = start(0.03, 0.05);
    assert_int_equal(feed(&within, 12, 0.02, 0.005), DECISION_PASS);
    struct sequential beyond = start(0.01, 0.05);
    assert_int_equal(feed(&beyond, 12, 0.02, 0.005), DECISION_FAIL);
    struct sequential faster = start(0.01, 0.05);
    assert_int_equal(feed(&faster, 12, -0.20, 0.005), DECISION_PASS);
}

/* With sd 10 % the run can't see the 4 % between delta0 and delta1: no PASS, whatever W+ is. */
static void test_noisy_machine_ends_undecided(void **state)
{
    (void)state;
    struct sequential test = start(0.01, 0.05);
    assert_int_equal(feed(&test, 47, 0, 0.10), DECISION_CONTINUE);
    assert_true(test.delta0 + sequential_resolution(&test) > test.delta1);
    assert_int_equal(feed(&test, 1, 0, 0.10), DECISION_UNDECIDED);
    assert_int_equal(test.look_count, 5);
    struct interval i = sequential_interval(&test);
    assert_true(i.low < 0.01 && i.high > 0.01);
    assert_int_equal(i.n, 48);
}

static void test_noise_does_not_hide_a_failure(void **state)
{
    (void)state;
    struct sequential test = start(0.01, 0.05);
    assert_int_equal(feed(&test, 48, 0.31, 0.20), DECISION_FAIL);
}

static void test_values_after_the_decision_are_ignored(void **state)
{
    (void)state;
    struct sequential test = start(0.01, 0.05);
    feed(&test, 12, 0.04, 0.01);
    struct interval before = sequential_interval(&test);
    assert_int_equal(sequential_feed(&test, -9), DECISION_FAIL);
    assert_int_equal(test.n, 12);
    struct interval after = sequential_interval(&test);
    assert_memory_equal(&before, &after, sizeof before);
}

static void test_interval_belongs_to_the_latest_look(void **state)
{
    (void)state;
    struct sequential test = start(0.01, 0.05);
    assert_true(isnan(sequential_interval(&test).estimate));
    assert_true(isnan(sequential_resolution(&test)));
    feed(&test, 11, 0.02, 0.04);
    struct interval i = sequential_interval(&test);
    assert_between(i.estimate, 0.01, 0.03);
    assert_true(isnan(i.low) && isnan(i.high) && i.confidence == 0);
    assert_int_equal(i.n, 11);
    feed(&test, 3, 0.02, 0.04);
    i = sequential_interval(&test);
    assert_int_equal(i.n, 12);
    assert_near(i.confidence, 0.98, 1e-15);
    assert_true(i.low < 0.02 && 0.02 < i.high);
}

/* At every look of many random runs: FAIL exactly when the interval lies above delta0. */
static void test_interval_and_decision_agree(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 9);
    struct sequential fresh = start(0.1, 0.9);
    size_t fails = 0;
    size_t looks = 0;
    for (int round = 0; round < 200; round++) {
        struct sequential test = fresh;
        while (test.decision == DECISION_CONTINUE) {
            enum decision decision = sequential_feed(&test, 0.6 + random_normal(&r));
            if (!sequential_at_look(&test))
                continue;
            assert_int_equal(sequential_interval(&test).low > 0.1, decision == DECISION_FAIL);
            looks++;
        }
        fails += test.decision == DECISION_FAIL;
    }
    assert_in_range(fails, 100, 190);
    assert_in_range(looks, 400, 1000);
}

/* Alpha for three routes: no FAIL is possible at 12 blocks, so there is no interval either. */
static void test_look_that_cannot_fail(void **state)
{
    (void)state;
    struct sequential_plan plan;
    struct sequential test;
    assert_int_equal(sequential_plan_init_blocks(&plan, 48, 0.01 / 3, 0.05), 0);
    sequential_init(&test, &plan, 0, 1);
    assert_int_equal(feed(&test, 12, 0.3, 0.01), DECISION_CONTINUE);
    struct interval i = sequential_interval(&test);
    assert_near(i.estimate, 0.3, 0.01);
    assert_true(isnan(i.low) && i.confidence == 0);
    assert_int_equal(feed(&test, 9, 0.3, 0.01), DECISION_FAIL);
}

/* All values exactly at the margin: W+ is in the middle, nothing divides by zero, and it passes. */
static void test_no_noise_at_all(void **state)
{
    (void)state;
    struct sequential test = start(0, 0.01);
    assert_int_equal(feed(&test, 48, 0, 0), DECISION_PASS);
    struct interval i = sequential_interval(&test);
    assert_near(i.low, 0, 0);
    assert_near(i.high, 0, 0);
}

static void test_decisions_have_names(void **state)
{
    (void)state;
    assert_string_equal(decision_name(DECISION_CONTINUE), "CONTINUE");
    assert_string_equal(decision_name(DECISION_FAIL), "FAIL");
    assert_string_equal(decision_name(DECISION_PASS), "PASS");
    assert_string_equal(decision_name(DECISION_UNDECIDED), "UNDECIDED");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fails_at_the_first_look_when_it_is_plain),
        cmocka_unit_test(test_passes_equal_servers_on_a_quiet_machine),
        cmocka_unit_test(test_margin_is_what_it_compares_with),
        cmocka_unit_test(test_noisy_machine_ends_undecided),
        cmocka_unit_test(test_noise_does_not_hide_a_failure),
        cmocka_unit_test(test_values_after_the_decision_are_ignored),
        cmocka_unit_test(test_interval_belongs_to_the_latest_look),
        cmocka_unit_test(test_interval_and_decision_agree),
        cmocka_unit_test(test_look_that_cannot_fail),
        cmocka_unit_test(test_no_noise_at_all),
        cmocka_unit_test(test_decisions_have_names),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
