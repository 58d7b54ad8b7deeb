/* Facts: in the order in which they came, one value a key, unknown when unknown. */
#include "model/facts.h"

#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_order_and_values(void **state)
{
    (void)state;
    struct facts f = {0};
    char text[] = "6.1.0";
    facts_text(&f, "kernel", text);
    text[0] = 'X'; /* it was copied */
    facts_number(&f, "memory_mib", 7946);
    facts_number(&f, "load", 0.25);
    assert_int_equal(f.n, 3);
    assert_string_equal(f.item[0].key, "kernel");
    assert_string_equal(f.item[2].key, "load");
    assert_string_equal(facts_show(&f, "kernel"), "6.1.0");
    assert_string_equal(facts_show(&f, "memory_mib"), "7946");
    assert_string_equal(facts_show(&f, "load"), "0.25");
    assert_null(facts_find(&f, "memory_mib")->text);
    assert_true(facts_find(&f, "memory_mib")->number == 7946);
    assert_true(isnan(facts_find(&f, "kernel")->number));
    facts_fini(&f);
    facts_fini(&f);
    assert_int_equal(f.n, 0);
}

static void test_unknown(void **state)
{
    (void)state;
    struct facts f = {0};
    facts_text(&f, "governor", NULL);
    facts_number(&f, "mhz", NAN);
    facts_text(&f, "empty", "");
    assert_string_equal(facts_show(&f, "governor"), "unknown");
    assert_string_equal(facts_show(&f, "mhz"), "unknown");
    assert_string_equal(facts_show(&f, "nobody asked"), "unknown");
    assert_string_equal(facts_show(&f, "empty"), "");
    assert_non_null(facts_find(&f, "governor"));
    assert_null(facts_find(&f, "nobody asked"));
    assert_null(facts_find(&f, "mh"));
    facts_fini(&f);
}

/* JSON has one value a key, so a list with two would not come back as it went. */
static void test_a_key_has_one_value(void **state)
{
    (void)state;
    struct facts f = {0};
    facts_text(&f, "version", "1.22");
    facts_number(&f, "cores", 2);
    facts_text(&f, "version", "1.24");
    facts_number(&f, "version", 3);
    facts_text(&f, "cores", "many");
    assert_int_equal(f.n, 2);
    assert_string_equal(f.item[0].key, "version");
    assert_string_equal(facts_show(&f, "version"), "3");
    assert_string_equal(facts_show(&f, "cores"), "many");
    /* The new value may be the old one itself. */
    facts_text(&f, "cores", facts_find(&f, "cores")->text);
    assert_string_equal(facts_show(&f, "cores"), "many");
    facts_fini(&f);
}

/* Four in one printf. */
static void test_four_at_once(void **state)
{
    (void)state;
    struct facts f = {0};
    const char *shown[4];
    static const char *const keys[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++)
        facts_number(&f, keys[i], i + 0.5);
    for (int i = 0; i < 4; i++)
        shown[i] = facts_show(&f, keys[i]);
    assert_string_equal(shown[0], "0.5");
    assert_string_equal(shown[1], "1.5");
    assert_string_equal(shown[2], "2.5");
    assert_string_equal(shown[3], "3.5");
    facts_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_values),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_a_key_has_one_value),
        cmocka_unit_test(test_four_at_once),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
