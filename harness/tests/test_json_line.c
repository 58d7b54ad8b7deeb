/* Lines of values in JSON text: whatever the layout, and whatever the keys look like. */
#include "model/json_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"

static const char text[] = "{\n"                              /* 1 */
                           "  \"name\": \"a}]\\\"{[,:\",\n"   /* 2 */
                           "  \"list\": [1, 2,\n"             /* 3 */
                           "    -3.5e+1,\n"                   /* 4 */
                           "    [], {}, [[\n"                 /* 5 */
                           "      true]], null],\n"           /* 6 */
                           "  \"deep\": {\"x\": {\n"          /* 7 */
                           "     \"name\":\n"                 /* 8 */
                           "       {\"y\": [{},\n"            /* 9 */
                           "         {\"z\": false}]}}},\n"   /* 10 */
                           "  \"a.b\": 1,\n"                  /* 11 */
                           "  \"a\": {\"b\": 1,\n"            /* 12 */
                           "     \"c[0]\": 2},\n"             /* 13 */
                           "  \"\\u0061\\tq\\\"\": 5,\n"      /* 14 */
                           "  \"\": 6,\n"                     /* 15 */
                           "  \"schl\xc3\xbcssel\": \"x\",\n" /* 16 */
                           "  \"last\" : \"\"\n"              /* 17 */
                           "}\n";

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int line;
    } cases[] = {
        {"", 1},
        {"name", 2},
        {"list", 3},
        {"list[0]", 3},
        {"list[1]", 3},
        {"list[2]", 4},
        {"list[3]", 5},
        {"list[4]", 5},
        {"list[5][0][0]", 6},
        {"list[6]", 6},
        {"deep.x", 7},
        {"deep.x.name", 9}, /* of the value, not of the key */
        {"deep.x.name.y[0]", 9},
        {"deep.x.name.y[1].z", 10},
        {"[\"a.b\"]", 11},
        {"a.b", 12},
        {"a[\"c[0]\"]", 13},
        {"[\"a\\tq\\\"\"]", 14},
        {"[\"\"]", 15},
        {"schl\xc3\xbcssel", 16},
        {"last", 17},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (json_line(text, cases[i].path) != cases[i].line)
            print_error("path %s\n", cases[i].path);
        assert_int_equal(json_line(text, cases[i].path), cases[i].line);
    }
}

/* A path that leads nowhere stops at the last thing that is there. */
static void test_paths_to_nothing(void **state)
{
    (void)state;
    assert_int_equal(json_line(text, "nothing"), 1);
    assert_int_equal(json_line(text, "deep.nothing.more"), 7);
    assert_int_equal(json_line(text, "list[2].x"), 4);
    assert_int_equal(json_line(text, "list[99]"), 3);
    assert_int_equal(json_line(text, "name[0]"), 2);
    assert_int_equal(json_line(text, "name.b"), 2);
    assert_int_equal(json_line(text, "nam"), 1);
    assert_int_equal(json_line(text, "names"), 1);
}

/* Paths that were cut short in the making, or are plain nonsense, end too. */
static void test_broken_paths(void **state)
{
    (void)state;
    static const char *const paths[] = {".",       "..",     "[",      "[]",  "[\"",
                                        "[\"a",    "[\"a\"", "a..",    "]",   "list[1",
                                        "list[x]", "[\"\\",  "deep.[", "[-1]"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int line = json_line(text, paths[i]);
        assert_true(line >= 1 && line <= 18);
    }
}

static void test_other_roots(void **state)
{
    (void)state;
    assert_int_equal(json_line("\n\n  [\n1,\n2]", "[1]"), 5);
    assert_int_equal(json_line("\n\n  [\n1,\n2]", ""), 3);
    assert_int_equal(json_line("{\"a\":1}", "a"), 1);
    assert_int_equal(json_line("[1,2,\n3]", "[2]"), 2);
}

/* Nesting as deep as the parser allows: no recursion that a file could exhaust. */
static void test_deep_nesting(void **state)
{
    (void)state;
    enum {
        DEPTH = 2000
    };
    char *deep = xcalloc(2 * DEPTH + 40, 1);
    memset(deep, '[', DEPTH);
    memset(deep + DEPTH, ']', DEPTH);
    char *whole = xasprintf("{\"deep\": %s,\n\"next\": 1}", deep);
    assert_int_equal(json_line(whole, "next"), 2);
    free(deep);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),        cmocka_unit_test(test_paths_to_nothing),
        cmocka_unit_test(test_broken_paths), cmocka_unit_test(test_other_roots),
        cmocka_unit_test(test_deep_nesting),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
