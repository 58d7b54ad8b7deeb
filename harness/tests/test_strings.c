/* A list of strings that serves as an argv. */
#include "model/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/alloc.h"

static void test_empty(void **state)
{
    (void)state;
    struct strings s = {0};
    assert_false(strings_has(&s, ""));
    strings_fini(&s);
    strings_fini(&s);
    assert_null(s.item);
}

static void test_add_and_take(void **state)
{
    (void)state;
    struct strings s = {0};
    char text[] = "copied", *taken = xstrdup("taken");
    strings_add(&s, text);
    text[0] = 'X';
    strings_take(&s, taken);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.item[0], "copied");
    assert_ptr_equal(s.item[1], taken);
    assert_null(s.item[2]);
    assert_true(strings_has(&s, "taken"));
    assert_false(strings_has(&s, "take"));
    assert_false(strings_has(&s, "taken "));
    strings_fini(&s);
    assert_int_equal(s.n, 0);
    strings_add(&s, "again");
    assert_string_equal(s.item[0], "again");
    strings_fini(&s);
}

/* Every length has its NULL, as execvp needs it. */
static void test_always_ended(void **state)
{
    (void)state;
    struct strings s = {0};
    for (size_t i = 0; i < 300; i++) {
        strings_take(&s, xasprintf("%zu", i));
        assert_int_equal(s.n, i + 1);
        assert_null(s.item[i + 1]);
    }
    assert_string_equal(s.item[0], "0");
    assert_string_equal(s.item[299], "299");
    strings_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_add_and_take),
        cmocka_unit_test(test_always_ended),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
