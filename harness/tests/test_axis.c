/* Tests of present/axis: ranges that are never empty, hold the data and have readable ticks. */
#include "present/axis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void assert_sound(const struct axis *a)
{
    assert_true(a->low < a->high);
    assert_true(!a->log || a->low > 0);
    assert_true(a->ticks_n >= 2 && a->ticks_n <= AXIS_TICKS_MAX);
    for (size_t i = 0; i < a->ticks_n; i++) {
        double place = axis_place(a, a->ticks[i]);
        assert_true(place >= -1e-6 && place <= 1 + 1e-6);
        assert_true(i == 0 || a->ticks[i] > a->ticks[i - 1]);
    }
}

static void test_from_zero_holds_the_highest(void **state)
{
    static const double highs[] = {1e-3, 0.7, 1, 9.99, 10, 61.2, 99.9, 12345, 2e9};
    struct axis a;
    (void)state;
    for (size_t i = 0; i < sizeof highs / sizeof *highs; i++) {
        axis_from_zero(&a, highs[i]);
        assert_sound(&a);
        assert_true(a.low == 0 && a.high >= highs[i] * (1 - 1e-9) && a.high <= highs[i] * 2);
    }
}

static void test_from_zero_without_data(void **state)
{
    static const double highs[] = {0, -1, NAN, INFINITY, -INFINITY};
    struct axis a;
    (void)state;
    for (size_t i = 0; i < sizeof highs / sizeof *highs; i++) {
        axis_from_zero(&a, highs[i]);
        assert_sound(&a);
    }
}

static void test_decades_hold_both_ends(void **state)
{
    struct axis a;
    (void)state;
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 15; k++) {
            double low = 0.003 * pow(1.7, i), high = low * pow(3.1, k);
            axis_decades(&a, low, high);
            assert_sound(&a);
            assert_true(a.log && a.low <= low && a.high >= high);
        }
}

static void test_decades_refuse_what_has_no_logarithm(void **state)
{
    struct axis a;
    (void)state;
    axis_decades(&a, 0, 10);
    assert_false(a.log);
    assert_sound(&a);
    axis_decades(&a, NAN, NAN);
    assert_false(a.log);
    assert_sound(&a);
    axis_decades(&a, INFINITY, -INFINITY);
    assert_sound(&a);
}

static void test_ratio_has_one_in_it(void **state)
{
    static const double ends[][2] = {{1, 1},       {0.97, 1.02}, {1.05, 1.3},  {0.2, 0.9},
                                     {0.001, 900}, {NAN, NAN},   {0.5, 1.9999}};
    struct axis a;
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        bool one = false;
        axis_ratio(&a, ends[i][0], ends[i][1]);
        assert_sound(&a);
        for (size_t k = 0; k < a.ticks_n; k++)
            one |= a.ticks[k] == 1;
        assert_true(one);
        assert_true(a.low < 0.96 && a.high > 1.04);
        assert_true(a.high < AXIS_RATIO_LIMIT * 1.5);
        if (ends[i][0] > 1 / AXIS_RATIO_LIMIT)
            assert_true(a.low <= ends[i][0] && a.high >= ends[i][1]);
    }
}

static void test_place(void **state)
{
    struct axis a;
    (void)state;
    axis_ratio(&a, 0.9, 1.1);
    assert_float_equal(axis_place(&a, a.low), 0, 1e-9);
    assert_float_equal(axis_place(&a, 1), 0.5, 1e-9);
    assert_float_equal(axis_place(&a, a.high), 1, 1e-9);
    axis_from_zero(&a, 10);
    assert_float_equal(axis_place(&a, 5), 0.5, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_zero_holds_the_highest),
        cmocka_unit_test(test_from_zero_without_data),
        cmocka_unit_test(test_decades_hold_both_ends),
        cmocka_unit_test(test_decades_refuse_what_has_no_logarithm),
        cmocka_unit_test(test_ratio_has_one_in_it),
        cmocka_unit_test(test_place),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
