/* Suites: ranges at their edges, and refusals with file, line and key. */
#include "model/suite.h"

#include <setjmp.h>
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/scratch.h"

/* The keys of a good suite, one a line: line 2 is "schema". A case replaces or adds a line. */
static const char *const lines[][2] = {
    {"schema", "\"parity/suite\""},
    {"schema_version", "1"},
    {"name", "\"mine\""},
    {"title", "\"My suite\""},
    {"servers", "[\"reactor\", \"lighttpd\"]"},
    {"reference", "\"lighttpd\""},
    {"routes", "[\"json\", \"health\"]"},
    {"generators", "[\"wrk\", \"ab\"]"},
    {"connections", "[64, 1, 8]"},
    {"modes", "[\"keep-alive\", \"close\"]"},
    {"workers", "2"},
    {"blocks", "6"},
    {"duration_s", "2.5"},
    {"warmup_s", "0.25"},
    {"seed", "42"},
};

enum {
    LINES = sizeof lines / sizeof lines[0]
};

static int setup(void **state)
{
    if (scratch_setup(state) < 0)
        return -1;
    char *home = scratch_path("home"), *suites = scratch_path("home/configs/suites");
    setenv("PARITY_HOME", home, 1);
    int rc = file_make_dir(suites, NULL);
    free(home);
    free(suites);
    free(scratch_text("home/configs/suites/.json", "{}"));
    free(scratch_text("home/configs/suites/README", "no suite"));
    return rc;
}

/* A suite's text with one key's value replaced (NULL: left out), or one more key. */
static char *make_text(const char *key, const char *value)
{
    char *text = xstrdup("{"), *more;
    bool found = false;
    for (int i = 0; i < LINES; i++) {
        bool is_it = key && strcmp(lines[i][0], key) == 0;
        const char *v = is_it ? value : lines[i][1];
        found |= is_it;
        if (!v)
            continue;
        more = xasprintf("%s%s\n\"%s\": %s", text, text[1] ? "," : "", lines[i][0], v);
        free(text);
        text = more;
    }
    more = found || !key ? xasprintf("%s}", text) : xasprintf("%s,\n\"%s\": %s}", text, key, value);
    free(text);
    return more;
}

static int load(struct suite *s, const char *key, const char *value, struct err *e)
{
    char *text = make_text(key, value), *path = scratch_text("suite.json", text);
    *e = (struct err){0};
    int rc = suite_load(s, path, e);
    free(text);
    free(path);
    return rc;
}

static void test_all_keys(void **state)
{
    (void)state;
    struct suite s;
    struct err e;
    assert_int_equal(load(&s, NULL, NULL, &e), 0);
    assert_string_equal(s.name, "mine");
    assert_string_equal(s.title, "My suite");
    assert_non_null(strstr(s.path, "/suite.json"));
    assert_int_equal(s.servers.n, 2);
    assert_string_equal(s.servers.item[0], "reactor");
    assert_string_equal(s.reference, "lighttpd");
    assert_int_equal(s.routes_n, 2);
    assert_int_equal(s.routes[0], ROUTE_JSON);
    assert_int_equal(s.routes[1], ROUTE_HEALTH);
    assert_string_equal(s.generators.item[1], "ab");
    assert_int_equal(s.connections_n, 3);
    assert_int_equal(s.connections[0], 64);
    assert_int_equal(s.connections[2], 8);
    assert_true(s.keepalive && s.close);
    assert_int_equal(s.workers, 2);
    assert_int_equal(s.blocks, 6);
    assert_float_equal(s.duration_s, 2.5, 0);
    assert_float_equal(s.warmup_s, 0.25, 0);
    assert_int_equal(s.seed, 42);
    suite_fini(&s);
    suite_fini(&s);
}

static void test_defaults(void **state)
{
    (void)state;
    struct suite s;
    struct err e;
    assert_int_equal(load(&s, "title", NULL, &e), 0);
    assert_string_equal(s.title, "mine");
    suite_fini(&s);
    assert_int_equal(load(&s, "reference", NULL, &e), 0);
    assert_string_equal(s.reference, "nginx");
    suite_fini(&s);
    assert_int_equal(load(&s, "modes", NULL, &e), 0);
    assert_true(s.keepalive && !s.close);
    suite_fini(&s);
    assert_int_equal(load(&s, "modes", "[\"close\"]", &e), 0);
    assert_true(!s.keepalive && s.close);
    suite_fini(&s);
    assert_int_equal(load(&s, "workers", NULL, &e), 0);
    assert_int_equal(s.workers, 1);
    suite_fini(&s);
    assert_int_equal(load(&s, "warmup_s", NULL, &e), 0);
    assert_float_equal(s.warmup_s, 0.5, 0);
    suite_fini(&s);
    assert_int_equal(load(&s, "seed", NULL, &e), 0);
    assert_int_equal(s.seed, 0);
    suite_fini(&s);
}

static void test_edges_are_taken(void **state)
{
    (void)state;
    static const char *const edges[][2] = {
        {"workers", "1"},
        {"workers", "1024"},
        {"blocks", "1"},
        {"blocks", "1000"},
        {"duration_s", "0.1"},
        {"duration_s", "3600"},
        {"warmup_s", "0"},
        {"warmup_s", "600"},
        {"connections", "[1]"},
        {"seed", "0"},
        {"connections", "[1000000]"},
        {"seed", "9223372036854775807"},
        {"title", "\"\xe6\xb5\x8b \\u20ac\""},
        {"routes", "[\"large\", \"small\", \"echo\", \"json\", \"health\"]"},
    };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        struct suite s;
        struct err e;
        if (load(&s, edges[i][0], edges[i][1], &e) < 0)
            fail_msg("%s", e.text);
        suite_fini(&s);
    }
}

static const struct {
    const char *key, *value, *message;
} refused[] = {
    {"schema", "\"parity/server\"", ":2: schema: is \"parity/server\"; this must be a"},
    {"schema", NULL, ":1: schema: is missing"},
    {"schema_version", "2", ":3: schema_version: this program reads version 1"},
    {"schema_version", "\"1\"", ":3: schema_version: is a string"},
    {"schema_version", "0", ":3: schema_version: is 0; it must be from 1"},
    {"name", NULL, ":1: name: is missing"},
    {"name", "\"\"", ":4: name: must be 1 to 60 characters"},
    {"name", "\"../x\"", ":4: name: must be 1 to 60 characters"},
    {"name", "\"a/b\"", ":4: name: must be 1 to 60 characters"},
    {"title", "[]", ":5: title: is an array"},
    {"servers", NULL, ":1: servers: at least one server is needed"},
    {"servers", "[]", ":6: servers: at least one server is needed"},
    {"servers", "\"nginx\"", ":6: servers: is a string; it must be an array of strings"},
    {"servers", "[\"nginx\",\n\"nginx\"]", ":7: servers[1]: is there twice"},
    {"servers", "[\"nginx\",\nnull]", ":7: servers[1]: is null; it must be a string"},
    {"reference", "1", ":7: reference: is a number"},
    {"routes", NULL, ":1: routes: at least one route is needed"},
    {"routes", "[]", ":8: routes: at least one route is needed"},
    {"routes", "[\"helth\"]", ":8: routes[0]: \"helth\" is no route"},
    {"routes", "[\"json\",\n\"json\"]", ":9: routes[1]: is there twice"},
    {"routes",
     "[\"json\", \"health\", \"echo\", \"small\", \"large\",\n\"json\", \"json\", \"json\"]",
     ":9: routes[5]: is there twice"},
    {"generators", NULL, ":1: generators: at least one generator is needed"},
    {"generators", "[\"wrk\",\n\"wrk\"]", ":10: generators[1]: is there twice"},
    {"connections", NULL, ":1: connections: must be an array of 1 to 64"},
    {"connections", "[]", ":10: connections: must be an array of 1 to 64"},
    {"connections", "8", ":10: connections: must be an array of 1 to 64"},
    {"connections", "[1,\n0]", ":11: connections[1]: is 0; it must be from 1 to 1000000"},
    {"connections", "[-8]", ":10: connections[0]: is -8; it must be from 1"},
    {"connections", "[8.5]", ":10: connections[0]: is 8.5; it must be a whole number"},
    {"connections", "[1000001]", ":10: connections[0]: is 1000001"},
    {"connections", "[9223372036854775807]", ":10: connections[0]: is 9223372036854775807"},
    {"connections", "[\"8\"]", ":10: connections[0]: is a string"},
    {"connections", "[8,\n8]", ":11: connections[1]: is there twice"},
    {"connections",
     "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
     "33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,"
     "62,63,64,65]",
     ":10: connections: must be an array of 1 to 64"},
    {"modes", "[]", ":11: modes: at least one mode is needed"},
    {"modes", "[\"keepalive\"]", ":11: modes[0]: is \"keepalive\"; modes are keep-alive"},
    {"modes", "[\"close\",\n\"close\"]", ":12: modes[1]: is there twice"},
    {"modes", "\"close\"", ":11: modes: is a string; it must be an array of strings"},
    {"workers", "0", ":12: workers: is 0; it must be from 1 to 1024"},
    {"workers", "1025", ":12: workers: is 1025; it must be from 1 to 1024"},
    {"workers", "1.0", ":12: workers: is 1; it must be a whole number"},
    {"blocks", NULL, ":1: blocks: is missing"},
    {"blocks", "0", ":13: blocks: is 0; it must be from 1 to 1000"},
    {"blocks", "1001", ":13: blocks: is 1001; it must be from 1 to 1000"},
    {"blocks", "4294967297", ":13: blocks: is 4294967297; it must be from 1 to 1000"},
    {"blocks", "true", ":13: blocks: is true; it must be a whole number"},
    {"duration_s", NULL, ":1: duration_s: is missing"},
    {"duration_s", "0.09", ":14: duration_s: is 0.09; it must be from 0.1 to 3600"},
    {"duration_s", "3600.5", ":14: duration_s: is 3600.5; it must be from 0.1 to 3600"},
    {"duration_s", "\"2s\"", ":14: duration_s: is a string; it must be a number"},
    {"duration_s", "1e308", ":14: duration_s: is 1e+308"},
    {"warmup_s", "-0.5", ":15: warmup_s: is -0.5; it must be from 0 to 600"},
    {"warmup_s", "600.1", ":15: warmup_s: is 600.1; it must be from 0 to 600"},
    {"seed", "-1", ":16: seed: is -1; it must be from 0"},
    {"seed", "1.5", ":16: seed: is 1.5; it must be a whole number"},
    {"seed", "9223372036854775808", ":16: not valid JSON: too big integer"},
    {"blocks_of", "[\"wrk\"]", ":17: blocks_of: is an array"},
    {"blocks_of", "2", ":17: blocks_of: is a number"},
    {"blocks_of", "null", ":17: blocks_of: is null"},
    {"blocks_of", "{\"wrk\": 2,\n\"volley\": 2}",
     ":18: blocks_of.volley: \"volley\" is none of the suite's generators"},
    {"blocks_of", "{\n\"wrk\": 0}", ":18: blocks_of.wrk: is 0; it must be from 1 to 1000"},
    {"blocks_of", "{\"ab\":\n1001}", ":18: blocks_of.ab: is 1001; it must be from 1 to 1000"},
    {"blocks_of", "{\"ab\": -1}", ":17: blocks_of.ab: is -1; it must be from 1 to 1000"},
    {"blocks_of", "{\"ab\": 1.5}", ":17: blocks_of.ab: is 1.5; it must be a whole number"},
    {"blocks_of", "{\"ab\": \"2\"}", ":17: blocks_of.ab: is a string; it must be a whole number"},
    {"blocks_of", "{\"ab\": null}", ":17: blocks_of.ab: is null; it must be a whole number"},
    {"blocks_of", "{\"ab\": 2, \"ab\": 3}", ":17: not valid JSON: duplicate object key"},
    {"duration_of", "{\"volley\": 2}",
     ":17: duration_of.volley: \"volley\" is none of the suite's generators"},
    {"duration_of", "{\"ab\": 0}", ":17: duration_of.ab: is 0; it must be from 0.1 to 3600"},
    {"duration_of", "2", ":17: duration_of: is a number"},
    {"requests", "-1", ":17: requests: is -1; it must be from 0 to 100000000"},
    {"requests", "100000001", ":17: requests: is 100000001; it must be from 0 to 100000000"},
    {"block", "3", ":17: block: unknown key; known here are: schema schema_version name title"},
    {"title", "\"\xff\"", ":5: not valid JSON: unable to decode byte 0xff"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct suite s;
        struct err e;
        assert_int_equal(load(&s, refused[i].key, refused[i].value, &e), -1);
        assert_err(&e, EXIT_USAGE, scratch_dir, refused[i].message);
        char *path = scratch_path("suite.json");
        assert_ptr_equal(strstr(e.text, refused[i].message), e.text + strlen(path));
        free(path);
        suite_fini(&s);
    }
}

/* A generator's own number of blocks, fewer or more than the others'. */
static void test_blocks_of(void **state)
{
    (void)state;
    static const struct {
        const char *value, *text;
        unsigned wrk, ab, most;
    } cases[] = {{NULL, "6 blocks", 6, 6, 6},
                 {"{}", "6 blocks", 6, 6, 6},
                 {"{\"ab\": 2}", "6 blocks (ab 2)", 6, 2, 6},
                 {"{\"wrk\": 6}", "6 blocks", 6, 6, 6},
                 {"{\"wrk\": 1, \"ab\": 1000}", "1000 blocks (wrk 1)", 1, 1000, 1000},
                 {"{\"ab\": 2, \"wrk\": 3}", "3 blocks (ab 2)", 3, 2, 3},
                 {"{\"ab\": 1, \"wrk\": 1}", "1 block", 1, 1, 1},
                 {"{\"ab\": 9}", "9 blocks (wrk 6)", 6, 9, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct suite s;
        struct err e;
        if (load(&s, cases[i].value ? "blocks_of" : NULL, cases[i].value, &e) < 0)
            fail_msg("%s", e.text);
        assert_int_equal(suite_blocks(&s, 0), cases[i].wrk);
        assert_int_equal(suite_blocks(&s, 1), cases[i].ab);
        assert_int_equal(suite_blocks(&s, 2), 6); /* no such generator: what all get */
        assert_int_equal(suite_blocks_most(&s), cases[i].most);
        assert_string_equal(suite_blocks_text(&s), cases[i].text);
        suite_set_blocks(&s, 4); /* --blocks: for all */
        assert_int_equal(suite_blocks(&s, 0), 4);
        assert_int_equal(suite_blocks(&s, 1), 4);
        assert_int_equal(suite_blocks_most(&s), 4);
        assert_string_equal(suite_blocks_text(&s), "4 blocks");
        suite_fini(&s);
    }
}

/* A generator's own duration; --duration is for all. */
static void test_duration_of(void **state)
{
    (void)state;
    struct suite s;
    struct err e;
    assert_int_equal(load(&s, "duration_of", "{\"ab\": 0.5}", &e), 0);
    assert_true(suite_duration(&s, 0) == 2.5);
    assert_true(suite_duration(&s, 1) == 0.5);
    assert_true(suite_duration(&s, 2) == 2.5);
    assert_int_equal(s.requests, 0);
    suite_set_duration(&s, 3);
    assert_true(suite_duration(&s, 0) == 3 && suite_duration(&s, 1) == 3);
    suite_fini(&s);
    assert_int_equal(load(&s, "requests", "50000", &e), 0);
    assert_int_equal(s.requests, 50000);
    suite_fini(&s);
}

static void test_blocks_of_two_others(void **state)
{
    (void)state;
    struct suite s;
    struct err e;
    assert_int_equal(load(&s, "blocks_of", "{\"ab\": 2, \"wrk\": 3}", &e), 0);
    strings_add(&s.generators, "volley"); /* as --generator may */
    assert_string_equal(suite_blocks_text(&s), "6 blocks (wrk 3, ab 2)");
    while (s.generators.n)
        free(s.generators.item[--s.generators.n]);
    assert_int_equal(suite_blocks_most(&s), 6); /* contracts alone: nobody loads */
    suite_fini(&s);
}

/* What flags may have put into a suite after it was read. */
static void test_check_after_flags(void **state)
{
    (void)state;
    struct suite s;
    struct err e;
    assert_int_equal(load(&s, NULL, NULL, &e), 0);
#define REFUSED(field, bad, part)                                                                  \
    do {                                                                                           \
        struct err own = {0};                                                                      \
        __typeof__(s.field) good = s.field;                                                        \
        s.field = (bad);                                                                           \
        assert_int_equal(suite_check(&s, &own), -1);                                               \
        assert_err(&own, EXIT_USAGE, part, "");                                                    \
        s.field = good;                                                                            \
        assert_int_equal(suite_check(&s, &own), 0);                                                \
    } while (0)
    REFUSED(servers.n, 0, "servers: at least one");
    REFUSED(generators.n, 0, "generators: at least one");
    REFUSED(routes_n, 0, "routes: at least one");
    REFUSED(connections_n, 0, "connections: at least one");
    REFUSED(connections[1], 0, "connections: 0; it must be from 1");
    REFUSED(connections[1], 1000001, "connections: 1000001; it must be");
    REFUSED(connections[1], 64, "connections: 64 is there twice");
    REFUSED(routes[1], ROUTE_JSON, "routes: json is there twice");
    REFUSED(blocks, 0, "blocks: 0;");
    REFUSED(blocks, 1001, "blocks: 1001;");
    REFUSED(workers, 0, "workers: 0;");
    REFUSED(workers, 1025, "workers: 1025;");
    REFUSED(duration_s, 0.05, "duration: 0.05 s;");
    REFUSED(duration_s, 3601, "duration: 3601 s;");
    REFUSED(duration_s, __builtin_nan(""), "duration: ");
    REFUSED(warmup_s, -1, "warmup: -1 s;");
    REFUSED(warmup_s, 601, "warmup: 601 s;");
    REFUSED(warmup_s, __builtin_nan(""), "warmup: ");
    s.close = false;
    REFUSED(keepalive, false, "modes: at least one of");
    strings_add(&s.servers, "reactor");
    assert_int_equal(suite_check(&s, &e), -1);
    assert_err(&e, EXIT_USAGE, "servers: reactor is there twice", "");
    suite_fini(&s);
}

static void test_resolve(void **state)
{
    (void)state;
    struct suite s;
    struct err e = {0};
    char *text = make_text(NULL, NULL);
    char *ours = scratch_text("home/configs/suites/ours.json", text);
    char *other = scratch_text("other", text);
    free(scratch_text("home/configs/suites/b.json", text));
    assert_int_equal(suite_resolve(&s, "ours", &e), 0);
    assert_string_equal(s.path, ours);
    suite_fini(&s);
    assert_int_equal(suite_resolve(&s, other, &e), 0);
    assert_string_equal(s.path, other);
    suite_fini(&s);
    assert_int_equal(suite_resolve(&s, "theirs", &e), -1);
    assert_err(&e, EXIT_USAGE, "there is no suite \"theirs\"; give a file's path or one of: b ours",
               "");
    suite_fini(&s);
    e = (struct err){0};
    assert_int_equal(suite_resolve(&s, scratch_dir, &e), -1);
    assert_err(&e, EXIT_USAGE, "cannot read ", "Is a directory");
    suite_fini(&s);
    struct strings names = {0};
    suite_names(&names);
    assert_int_equal(names.n, 2); /* neither .json nor README */
    assert_string_equal(names.item[0], "b");
    assert_string_equal(names.item[1], "ours");
    strings_fini(&names);
    free(text);
    free(ours);
    free(other);
}

/* P12 */
static void test_comma_locale(void **state)
{
    (void)state;
    struct suite s;
    struct err e;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip_because("no locale de_DE.UTF-8");
    int rc = load(&s, NULL, NULL, &e);
    setlocale(LC_ALL, "C");
    assert_int_equal(rc, 0);
    assert_float_equal(s.duration_s, 2.5, 0);
    assert_float_equal(s.warmup_s, 0.25, 0);
    suite_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_keys),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_edges_are_taken),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_check_after_flags),
        cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_comma_locale),
        cmocka_unit_test(test_blocks_of),
        cmocka_unit_test(test_blocks_of_two_others),
        cmocka_unit_test(test_duration_of),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
