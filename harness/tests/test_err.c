/* The error value: the first one wins, prefixes go before it, and nothing overflows. */
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_set_records(void **state)
{
    (void)state;
    struct err e = {0};
    assert_int_equal(err_set(&e, EXIT_MACHINE, "port %d is in use by %s", 8080, "python3"), -1);
    assert_int_equal(e.code, EXIT_MACHINE);
    assert_string_equal(e.text, "port 8080 is in use by python3");
}

static void test_first_error_wins(void **state)
{
    (void)state;
    struct err e = {0};
    err_set(&e, EXIT_USAGE, "first");
    assert_int_equal(err_set(&e, EXIT_MACHINE, "second"), -1);
    assert_int_equal(e.code, EXIT_USAGE);
    assert_string_equal(e.text, "first");
}

static void test_null_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, EXIT_USAGE, "nobody reads %s", "this"), -1);
    assert_int_equal(err_prefix(NULL, "nor this"), -1);
}

static void test_long_text_is_cut_and_ended(void **state)
{
    (void)state;
    char text[2000];
    struct err e;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    memset(&e, 0xff, sizeof e);
    e.code = 0;
    err_set(&e, EXIT_FAIL, "%s", text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
}

static void test_prefix(void **state)
{
    (void)state;
    struct err e = {0};
    err_set(&e, EXIT_USAGE, "there is no server \"x\"");
    assert_int_equal(err_prefix(&e, "reference %d", 7), -1);
    assert_string_equal(e.text, "reference 7: there is no server \"x\"");
    err_prefix(&e, "suite");
    assert_string_equal(e.text, "suite: reference 7: there is no server \"x\"");
    assert_int_equal(e.code, EXIT_USAGE);
}

static void test_prefix_without_error_does_nothing(void **state)
{
    (void)state;
    struct err e = {0};
    err_prefix(&e, "lonely");
    assert_int_equal(e.code, 0);
    assert_string_equal(e.text, "");
}

/* A prefix may fill the text wholly, or leave room for a part of the old one. */
static void test_prefix_is_cut(void **state)
{
    (void)state;
    char prefix[sizeof((struct err *)0)->text + 50];
    for (size_t len = sizeof prefix - 60; len < sizeof prefix; len++) {
        struct err e = {0};
        memset(prefix, 'p', len);
        prefix[len] = '\0';
        err_set(&e, EXIT_USAGE, "a cause of some length");
        err_prefix(&e, "%s", prefix);
        assert_true(strlen(e.text) < sizeof e.text);
        assert_int_equal(e.text[0], 'p');
        if (len + 3 < sizeof e.text)
            assert_memory_equal(e.text + len, ": a", 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_records),
        cmocka_unit_test(test_first_error_wins),
        cmocka_unit_test(test_null_is_allowed),
        cmocka_unit_test(test_long_text_is_cut_and_ended),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_prefix_without_error_does_nothing),
        cmocka_unit_test(test_prefix_is_cut),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
