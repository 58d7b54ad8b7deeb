/* Tests of present/figure: digits, units, unknowns, locales. */
#include "present/figure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static void test_three_digits(void **state)
{
    (void)state;
    assert_string_equal(figure_number(61.24).text, "61.2");
    assert_string_equal(figure_number(1234).text, "1230");
    assert_string_equal(figure_number(0.021349).text, "0.0213");
    assert_string_equal(figure_number(0).text, "0");
    assert_string_equal(figure_number(9.996).text, "10.0");
}

static void test_units(void **state)
{
    (void)state;
    assert_string_equal(figure_rate(850.4).text, "850");
    assert_string_equal(figure_rate(61234).text, "61.2k");
    assert_string_equal(figure_rate(999.6).text, "1.00k");
    assert_string_equal(figure_rate(999999).text, "1.00M");
    assert_string_equal(figure_time(102, "").text, "102us");
    assert_string_equal(figure_time(4200, " ").text, "4.20 ms");
    assert_string_equal(figure_time(1999999, "").text, "2.00s");
    assert_string_equal(figure_time(0, "").text, "0us");
    assert_string_equal(figure_percent(0.081).text, "8.1 %");
    assert_string_equal(figure_percent(0.254).text, "25 %");
    assert_string_equal(figure_duration(45).text, "45 s");
    assert_string_equal(figure_duration(200).text, "3 min 20 s");
    assert_string_equal(figure_duration(7500).text, "2 h 5 min");
}

static void test_unknown_is_a_dash(void **state)
{
    (void)state;
    assert_string_equal(figure_number(NAN).text, "-");
    assert_string_equal(figure_rate(INFINITY).text, "-");
    assert_string_equal(figure_time(NAN, "").text, "-");
    assert_string_equal(figure_percent(NAN).text, "-");
    assert_string_equal(figure_ratio(NAN, 1, 2).text, "-");
    assert_string_equal(figure_duration(NAN).text, "-");
}

static void test_ratio_decimals_follow_the_interval(void **state)
{
    (void)state;
    assert_string_equal(figure_ratio(1.0412, 0.98, 1.1).text, "1.04");
    assert_string_equal(figure_ratio(1.0412, 1.036, 1.047).text, "1.041");
    assert_string_equal(figure_ratio(1.0412, 1.0410, 1.0415).text, "1.0412");
    assert_string_equal(figure_ratio(1.0412, NAN, NAN).text, "1.04");
    assert_string_equal(figure_ratio(0.0213, 0.01, 0.04).text, "0.021");
    assert_string_equal(figure_ratio(0.00213, 0.001, 0.004).text, "0.0021");
    assert_string_equal(figure_ratio(0.999, 0.9, 1.1).text, "1.00");
}

static void test_counts_stay_whole(void **state)
{
    (void)state;
    assert_string_equal(figure_count(2229306).text, "2229306");
    assert_string_equal(figure_count(0.25).text, "0.250");
    assert_string_equal(figure_count(NAN).text, "-");
}

static void test_one_has_no_s(void **state)
{
    (void)state;
    assert_string_equal(figure_many(0, "cell").text, "0 cells");
    assert_string_equal(figure_many(1, "cell").text, "1 cell");
    assert_string_equal(figure_many(2, "cell").text, "2 cells");
    assert_string_equal(figure_many(1234567, "more reason").text, "1234567 more reasons");
}

static void test_points_in_any_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "pl_PL.UTF-8", "fr_FR.UTF-8"};
    char text[16];
    size_t i = 0, n = sizeof names / sizeof *names;
    (void)state;
    while (i < n && !setlocale(LC_ALL, names[i]))
        i++;
    if (i == n)
        return; /* none with a decimal comma is installed */
    locale_t before = figure_locale_begin();
    assert_string_equal(figure_number(1.5).text, "1.50");
    figure_locale_end(before);
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); /* the caller's own locale is back */
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_digits),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_unknown_is_a_dash),
        cmocka_unit_test(test_ratio_decimals_follow_the_interval),
        cmocka_unit_test(test_counts_stay_whole),
        cmocka_unit_test(test_one_has_no_s),
        cmocka_unit_test(test_points_in_any_locale),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
