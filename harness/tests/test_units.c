/* Numbers of wrk and ab: cases W03, W05 and W16 of other people's bug reports, in four locales. */
#include "load/units.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/scratch.h"

struct expected {
    enum units kind;
    const char *token;
    double value;
};

static const struct expected good[] = {
    {UNITS_TIME, "0.87ms", 870},     {UNITS_TIME, "849.00us", 849},
    {UNITS_TIME, "2.00m", 120e6},    {UNITS_TIME, "120.00m", 7200e6},
    {UNITS_TIME, "0.90m", 54e6},     {UNITS_TIME, "500.00ms", 500000},
    {UNITS_TIME, "1.50s", 1500000},  {UNITS_TIME, "350.00us", 350},
    {UNITS_TIME, "1.50m", 90e6},     {UNITS_TIME, "2.10h", 7560e6},
    {UNITS_COUNT, "0.99k", 990},     {UNITS_COUNT, "0.90k", 900},
    {UNITS_COUNT, "1.02M", 1020000}, {UNITS_COUNT, "0.00", 0},
    {UNITS_BYTES, "0.88KB", 901.12}, {UNITS_BYTES, "1.50GB", 1610612736},
    {UNITS_BYTES, "0.00B", 0},       {UNITS_BYTES, "849.00B", 849},
    {UNITS_PERCENT, "97.40%", 97.4}, {UNITS_PLAIN, "98842.11", 98842.11},
    {UNITS_PLAIN, "5", 5},
};

static const struct {
    enum units kind;
    const char *token;
} bad[] = {
    {UNITS_TIME, "5"},       {UNITS_TIME, ""},
    {UNITS_TIME, "ms"},      {UNITS_TIME, "1.2.3ms"},
    {UNITS_TIME, "1,50s"},   {UNITS_TIME, "1.s"},
    {UNITS_TIME, "1.50S"},   {UNITS_TIME, "1.5ms "},
    {UNITS_TIME, "-1.00ms"}, {UNITS_TIME, "1.5e3us"},
    {UNITS_COUNT, "1.00K"},  {UNITS_COUNT, "1.00m"},
    {UNITS_BYTES, "1.00kB"}, {UNITS_BYTES, "1.00K"},
    {UNITS_BYTES, "1.00"},   {UNITS_PERCENT, "97.40"},
    {UNITS_PLAIN, "0x10"},   {UNITS_PLAIN, "inf"},
    {UNITS_PLAIN, "."},      {UNITS_PLAIN, "1000000000000000000000"},
    {UNITS_TIME, "nanx"},    {UNITS_PERCENT, "-na%"},
};

static const struct {
    enum units kind;
    const char *token;
} nans[] = {
    {UNITS_PERCENT, "-nan%"}, {UNITS_PERCENT, "nan%"}, {UNITS_PERCENT, "-nan(ind)%"},
    {UNITS_COUNT, "-nan"},    {UNITS_COUNT, "nan"},    {UNITS_COUNT, "NaN"},
    {UNITS_TIME, "-nanus"},   {UNITS_TIME, "nan"},     {UNITS_BYTES, "-nanB"},
};

static void check_all(void)
{
    struct quantity q;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!units_parse(good[i].kind, good[i].token, strlen(good[i].token), &q))
            fail_msg("%s is refused", good[i].token);
        if (q.value != good[i].value)
            fail_msg("%s gives %.17g, not %.17g", good[i].token, q.value, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        q.value = 42;
        if (units_parse(bad[i].kind, bad[i].token, strlen(bad[i].token), &q))
            fail_msg("'%s' is taken as %g", bad[i].token, q.value);
        assert_true(q.value == 42);
    }
    for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++) {
        if (!units_parse(nans[i].kind, nans[i].token, strlen(nans[i].token), &q))
            fail_msg("%s is refused", nans[i].token);
        assert_true(isnan(q.value));
    }
}

static void numbers_in_the_c_locale(void **state)
{
    (void)state;
    check_all();
}

static void numbers_under_comma_locales(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "pl_PL.UTF-8"};
    size_t tried = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        char shown[16];
        snprintf(shown, sizeof shown, "%.1f", 0.5);
        assert_string_equal(shown, "0,5"); /* the locale is really in force */
        tried++;
        check_all();
    }
    setlocale(LC_ALL, "C");
    if (!tried)
        skip_because("no comma locale is installed");
}

static void steps_say_how_fine_a_figure_is(void **state)
{
    (void)state;
    struct quantity q;
    assert_true(units_parse(UNITS_TIME, "1.85ms", 6, &q));
    assert_true(q.step == 10);
    assert_true(units_parse(UNITS_TIME, "45.66us", 7, &q));
    assert_true(q.step == 0.01);
    assert_true(units_parse(UNITS_TIME, "1.56s", 5, &q));
    assert_true(q.step == 10000);
}

static void the_length_bounds_the_token(void **state)
{
    (void)state;
    struct quantity q;
    const char token[] = {'1', '.', '5', '0', 's', '9'}; /* no NUL: ASan sees a read past the end */
    assert_true(units_parse(UNITS_TIME, token, 5, &q));
    assert_true(q.value == 1.5e6);
    assert_false(units_parse(UNITS_TIME, token, 6, &q));
    assert_false(units_parse(UNITS_TIME, token, 0, &q));
}

static void whole_numbers(void **state)
{
    (void)state;
    int64_t n = -1;
    assert_true(units_parse_integer("999999999999999999", 18, &n));
    assert_int_equal(n, 999999999999999999);
    static const char *const refused[] = {
        "", "1.0", "1k", "-1", " 1", "1e3", "9999999999999999999"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(units_parse_integer(refused[i], strlen(refused[i]), &n));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_the_c_locale),
        cmocka_unit_test(numbers_under_comma_locales),
        cmocka_unit_test(steps_say_how_fine_a_figure_is),
        cmocka_unit_test(the_length_bounds_the_token),
        cmocka_unit_test(whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
