/* Change points in histories that are known: steps that must be found where they are, noise, drops
   and small steps that must not. */
#include "stats/changepoint.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tests/near.h"

enum {
    LONG = 400,
    FOUND = 16
};

static const struct changepoint_rule *const rule = &changepoint_rule_default;

/* Log ratios with sd 0.5 %, the noise of the history. */
static void fill(double *x, size_t n, uint64_t seed)
{
    struct random r;
    random_seed(&r, seed);
    for (size_t i = 0; i < n; i++)
        x[i] = 0.005 * random_normal(&r);
}

static void shift(double *x, size_t first, size_t end, double by)
{
    for (size_t i = first; i < end; i++)
        x[i] += by;
}

static void test_finds_a_step_where_it_is(void **state)
{
    (void)state;
    size_t exact = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        double x[60];
        struct changepoint found[FOUND];
        fill(x, 60, seed);
        shift(x, 35, 60, 0.02);
        assert_int_equal(changepoint_find(x, 60, rule, found, FOUND), 1);
        assert_in_range(found[0].index, 33, 37);
        assert_near(found[0].after - found[0].before, 0.02, 0.006);
        assert_between(found[0].p, 0, 0.001);
        exact += found[0].index == 35;
    }
    assert_in_range(exact, 40, 50);
}

/* Up, down again, and a long rest: windows overlap and go on where the last point was. */
static void test_finds_several_in_a_long_history(void **state)
{
    (void)state;
    double x[LONG];
    struct changepoint found[FOUND];
    const size_t at[] = {40, 58, 200, 390};
    fill(x, LONG, 100);
    shift(x, 40, LONG, 0.03);
    shift(x, 58, LONG, -0.03);
    shift(x, 200, LONG, -0.04);
    shift(x, 390, LONG, 0.05);
    assert_int_equal(changepoint_find(x, LONG, rule, found, FOUND), 4);
    for (int i = 0; i < 4; i++)
        assert_in_range(found[i].index, at[i] - 1, at[i] + 1);
    assert_near(found[0].before, 0, 0.003);
    assert_near(found[0].after, 0.03, 0.004);
    assert_near(found[1].before, found[0].after, 0);
    assert_near(found[2].after, -0.04, 0.002);
    /* Less room: the first ones, and still how many there are. */
    struct changepoint two[2];
    assert_int_equal(changepoint_find(x, LONG, rule, two, 2), 4);
    assert_int_equal(two[1].index, found[1].index);
    assert_int_equal(changepoint_find(x, LONG, rule, NULL, 0), 4);
}

/* 20000 values without any change, and a step below the magnitude that matters. */
static void test_noise_has_few(void **state)
{
    (void)state;
    struct changepoint_rule any = *rule;
    any.magnitude_min = 0;
    size_t of_any_size = 0;
    size_t that_matter = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        double x[LONG];
        struct changepoint found[FOUND];
        fill(x, LONG, 1000 + seed);
        of_any_size += changepoint_find(x, LONG, &any, found, FOUND);
        that_matter += changepoint_find(x, LONG, rule, found, FOUND);
    }
    assert_in_range(of_any_size, 1, 60); /* p isn't corrected for the search: about one in 500 */
    assert_in_range(that_matter, 0, 12);
}

static void test_small_step_is_left_out(void **state)
{
    (void)state;
    double x[100];
    struct changepoint found[FOUND];
    fill(x, 100, 200);
    shift(x, 50, 100, 0.007);
    assert_int_equal(changepoint_find(x, 100, rule, found, FOUND), 0);
    struct changepoint_rule fine = *rule;
    fine.magnitude_min = 0.004;
    assert_int_equal(changepoint_find(x, 100, &fine, found, FOUND), 1);
    assert_in_range(found[0].index, 45, 55);
}

/* One bad run is no new level. */
static void test_single_outlier_is_no_change(void **state)
{
    (void)state;
    double x[60];
    struct changepoint found[FOUND];
    fill(x, 60, 300);
    x[30] += 0.2;
    assert_int_equal(changepoint_find(x, 60, rule, found, FOUND), 0);
}

/* A weak point that a window's edge suggests falls when its real neighbours are known: a change of
   one sd, found once, not once a window. */
static void test_no_point_is_found_twice(void **state)
{
    (void)state;
    for (size_t at = 20; at <= 100; at += 5) {
        double x[120];
        struct changepoint found[FOUND];
        fill(x, 120, 400 + at);
        shift(x, at, 120, 0.03);
        assert_int_equal(changepoint_find(x, 120, rule, found, FOUND), 1);
        assert_in_range(found[0].index, at - 1, at + 1);
    }
}

static void test_without_noise(void **state)
{
    (void)state;
    double x[20] = {0};
    struct changepoint found[FOUND];
    assert_int_equal(changepoint_find(x, 20, rule, found, FOUND), 0);
    shift(x, 12, 20, 1);
    assert_int_equal(changepoint_find(x, 20, rule, found, FOUND), 1);
    assert_int_equal(found[0].index, 12);
    assert_near(found[0].p, 0, 0);
    assert_near(found[0].before, 0, 0);
    assert_near(found[0].after, 1, 0);
}

static void test_short_histories(void **state)
{
    (void)state;
    const double x[] = {0, 0.001, 0, 1, 1.001, 1};
    struct changepoint found[FOUND];
    for (size_t n = 0; n < 6; n++)
        assert_int_equal(changepoint_find(x, n, rule, found, FOUND), 0);
    assert_int_equal(changepoint_find(x, 6, rule, found, FOUND), 1);
    assert_int_equal(found[0].index, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_a_step_where_it_is),
        cmocka_unit_test(test_finds_several_in_a_long_history),
        cmocka_unit_test(test_noise_has_few),
        cmocka_unit_test(test_small_step_is_left_out),
        cmocka_unit_test(test_single_outlier_is_no_change),
        cmocka_unit_test(test_no_point_is_found_twice),
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_short_histories),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
