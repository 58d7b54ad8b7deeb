/* Counts as a baseline file: written, read, refused, and what makes two not comparable. */
#include "model/counts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/scratch.h"

static const char good[] = "{\"schema\": \"parity/counts\", \"schema_version\": 1,\n"
                           " \"server\": \"reactor\", \"arguments\": null,\n"
                           " \"depends_on\": {\"compiler\": \"gcc 12\", \"libc\": \"2.36\"},\n"
                           " \"counts_per_request\": {\n"
                           "  \"health\": {\"user_instructions\": 850.02, \"system_calls\": 3,\n"
                           "   \"allocations\": 0, \"response_bytes\": null}}}\n";

static void test_read_and_write(void **state)
{
    (void)state;
    struct err e = {0};
    struct counts c, again;
    char *path = scratch_text("good.json", good);
    assert_int_equal(counts_load(&c, path, &e), 0);
    assert_string_equal(c.server, "reactor");
    assert_null(c.arguments);
    assert_true(c.counted[ROUTE_HEALTH]);
    assert_false(c.counted[ROUTE_JSON]);
    assert_near(c.per_request[ROUTE_HEALTH][COUNT_INSTRUCTIONS], 850.02, 1e-9);
    assert_near(c.per_request[ROUTE_HEALTH][COUNT_ALLOCATIONS], 0, 0);
    assert_true(isnan(c.per_request[ROUTE_HEALTH][COUNT_BYTES]));
    char *json = counts_to_json(&c), *copy = scratch_text("copy.json", json);
    assert_int_equal(counts_load(&again, copy, &e), 0);
    char *second = counts_to_json(&again);
    assert_string_equal(json, second);
    const char *out = getenv("COUNTS_OUT"); /* for the schema's test */
    if (out)
        assert_int_equal(file_replace(out, json, strlen(json), &e), 0);
    free(second);
    free(json);
    free(copy);
    free(path);
    counts_fini(&again);
    counts_fini(&c);
    counts_fini(&c);
}

/* What stands in the file, what is put in its place, and what the refusal must name. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *says;
    } bad[] = {
        {"parity/counts", "parity/gate", "parity/counts"},
        {"\"server\": \"reactor\", ", "", "server"},
        {"\"health\":", "\"helth\":", "no such route"},
        {"850.02", "-1", "0 or more"},
        {"850.02", "\"850\"", "user_instructions"},
        {"\"system_calls\": 3,", "", "system_calls"},
        {"\"gcc 12\"", "12", "compiler"},
        {"\"allocations\": 0,", "\"allocations\": 0, \"mallocs\": 1,", "mallocs"},
        {"{\"schema\"", "[\"schema\"", ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *at = strstr(good, bad[i].old);
        assert_non_null(at);
        char *text =
            xasprintf("%.*s%s%s", (int)(at - good), good, bad[i].new, at + strlen(bad[i].old));
        char *path = scratch_text("bad.json", text);
        struct err e = {0};
        struct counts c;
        assert_int_equal(counts_load(&c, path, &e), -1);
        assert_err(&e, EXIT_USAGE, path, bad[i].says);
        counts_fini(&c);
        free(path);
        free(text);
    }
    char *empty = scratch_text("empty.json", "");
    struct err e = {0};
    struct counts c;
    assert_int_equal(counts_load(&c, empty, &e), -1);
    assert_int_equal(e.code, EXIT_USAGE);
    counts_fini(&c);
    free(empty);
}

static void test_differ(void **state)
{
    (void)state;
    struct counts now = {0}, before = {0};
    facts_text(&before.depends_on, "compiler", "gcc 12");
    facts_text(&before.depends_on, "libc", "2.36");
    facts_text(&now.depends_on, "compiler", "gcc 12");
    facts_text(&now.depends_on, "libc", "2.36");
    assert_null(counts_differ(&now, &before));
    facts_text(&now.depends_on, "compiler", "gcc 13");
    char *text = counts_differ(&now, &before);
    assert_string_equal(text, "compiler is gcc 13, was gcc 12");
    free(text);
    facts_text(&before.depends_on, "valgrind", "3.19");
    text = counts_differ(&now, &before);
    assert_non_null(strstr(text, "valgrind is unknown, was 3.19"));
    free(text);
    counts_fini(&now);
    counts_fini(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_and_write),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_differ),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
