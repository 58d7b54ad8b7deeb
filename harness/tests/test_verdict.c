/* Verdicts: names that JSON keeps for ever, each with a meaning. */
#include "model/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_names_lead_back(void **state)
{
    (void)state;
    for (int v = 0; v < VERDICT_COUNT; v++) {
        const char *name = verdict_name((enum verdict)v);
        assert_int_equal(verdict_find(name), v);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        assert_true(strlen(verdict_meaning((enum verdict)v)) > 10);
    }
}

static void test_zero_is_valid(void **state)
{
    (void)state;
    assert_int_equal(verdict_find("valid"), 0);
    assert_int_equal(VERDICT_VALID, 0);
    assert_string_equal(verdict_name(VERDICT_PORTS_EXHAUSTED), "ports_exhausted");
    assert_string_equal(verdict_name(VERDICT_UNSTABLE), "unstable");
    assert_int_equal(VERDICT_COUNT, 20);
}

static void test_unknown_names(void **state)
{
    (void)state;
    static const char *const names[] = {"", "Valid", "VALID", "valid ", "vali", "no such"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(verdict_find(names[i]), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_lead_back),
        cmocka_unit_test(test_zero_is_valid),
        cmocka_unit_test(test_unknown_names),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
