/* Tests of present/progress. */
#include "present/progress.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct progress at(size_t done, double elapsed_s)
{
    return (struct progress){.done = done,
                             .total = 40,
                             .planned_s = 400,
                             .elapsed_s = elapsed_s,
                             .what = "reactor health wrk c=64 keep-alive",
                             .block = 1,
                             .blocks = 3};
}

static void test_time_left(void **state)
{
    struct progress start = at(0, 0), as_planned = at(10, 100), slow = at(36, 720), end = at(40, 1);
    struct progress nothing = {0};
    (void)state;
    assert_float_equal(progress_left_s(&start), 400, 1e-6);
    assert_float_equal(progress_left_s(&as_planned), 300, 1e-6);
    assert_float_equal(progress_left_s(&slow), 4 * (4 * 10 + 720) / 40.0, 1e-6);
    assert_true(progress_left_s(&end) == 0);
    assert_true(progress_left_s(&nothing) == 0);
}

static void test_line_fits_and_redraws(void **state)
{
    char text[300];
    struct progress p = at(10, 100);
    (void)state;
    progress_line(text, sizeof text, &p, 120);
    assert_string_equal(text, "\r[#####...............] 10/40, 5 min left: reactor health wrk c=64 "
                              "keep-alive, block 2 of 3\033[K");
    for (unsigned width = 1; width < 130; width++) {
        progress_line(text, sizeof text, &p, width);
        assert_true(text[0] == '\r');
        assert_true(strlen(text) - strlen("\r\033[K") < width);
        assert_null(strchr(text, '\n'));
        assert_string_equal(text + strlen(text) - 3, "\033[K");
    }
}

static void test_line_cuts_no_character(void **state)
{
    char text[300];
    struct progress p = at(40, 1);
    (void)state;
    p.what = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9";
    for (unsigned width = 46; width < 56; width++) {
        progress_line(text, sizeof text, &p, width);
        unsigned char before = (unsigned char)text[strlen(text) - 4];
        assert_true(before != 0xc3);
    }
}

static void test_log(void **state)
{
    char text[300];
    struct progress p = at(10, 100), end = at(40, 400);
    (void)state;
    progress_log(text, sizeof text, &p, 61234, VERDICT_VALID);
    assert_string_equal(text, "10/40 reactor health wrk c=64 keep-alive, block 2 of 3: valid, "
                              "requests/s 61.2k; 5 min left\n");
    progress_log(text, sizeof text, &end, NAN, VERDICT_SERVER_DIED);
    assert_string_equal(text, "40/40 reactor health wrk c=64 keep-alive, block 2 of 3: "
                              "server_died; done\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_left),
        cmocka_unit_test(test_line_fits_and_redraws),
        cmocka_unit_test(test_line_cuts_no_character),
        cmocka_unit_test(test_log),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
