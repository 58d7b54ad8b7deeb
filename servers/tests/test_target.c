/* Paths: decoded once, made canonical, never above the root. */
#include "http/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/guard.h"

static const struct {
    const char *path;
    const char *wanted; /* NULL: refused */
} cases[] = {
    {"/", "/"},
    {"/a", "/a"},
    {"/a/", "/a/"},
    {"/a/b.c", "/a/b.c"},
    {"//a///b", "/a/b"},
    {"/./a/./b/.", "/a/b/"},
    {"/a/..", "/"},
    {"/a/../", "/"},
    {"/a/../b", "/b"},
    {"/a/b/../../c", "/c"},
    {"/a/b/..", "/a/"},
    {"/...", "/..."},
    {"/..a/b..", "/..a/b.."},
    {"/.a", "/.a"},
    {"/%61%2fb", "/a/b"},
    {"/%2E/a", "/a"},
    {"/a%20b", "/a b"},
    {"/%252e%252e/a", "/%2e%2e/a"},
    {"/%ff%C3", "/\xff\xc3"},
    {"/a\\..\\b", "/a\\..\\b"},
    {"/..", NULL},
    {"/../", NULL},
    {"/../a", NULL},
    {"/a/../..", NULL},
    {"/a/../../b", NULL},
    {"/%2e%2e/a", NULL},
    {"/..%2fa", NULL},
    {"/.%2e", NULL},
    {"/%00", NULL},
    {"/a%00.b", NULL},
    {"/%", NULL},
    {"/%4", NULL},
    {"/%4g", NULL},
    {"/%g4", NULL},
    {"/%u0041", NULL},
    {"/%-1", NULL},
    {"", NULL},
    {"a", NULL},
    {"%2f", NULL},
};

static void decodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].path);
        char to[64];
        struct str got = {NULL, 0};
        int code = target_decode((struct str){guard_copy(cases[i].path, n), n}, to, &got);
        if (code != (cases[i].wanted ? 0 : -400))
            fail_msg("%s: %d", cases[i].path, code);
        if (cases[i].wanted)
            assert_string_equal(got.p, cases[i].wanted);
        if (cases[i].wanted)
            assert_int_equal(got.n, strlen(cases[i].wanted));
    }
}

/* Whatever comes out begins with a slash and has no segment that means something else. */
static void noise_stays_below_the_root(void **state)
{
    (void)state;
    static const char alphabet[] = "/.%2eEfFa\\0";
    unsigned seed = 7;
    for (int round = 0; round < 200000; round++) {
        char path[24] = "/", to[sizeof path + 1];
        size_t n = 1 + (size_t)rand_r(&seed) % (sizeof path - 1);
        for (size_t i = 1; i < n; i++)
            path[i] = alphabet[(size_t)rand_r(&seed) % (sizeof alphabet - 1)];
        struct str got;
        if (target_decode((struct str){guard_copy(path, n), n}, to, &got) != 0)
            continue;
        assert_int_equal(got.p[0], '/');
        assert_int_equal(strlen(got.p), got.n);
        assert_true(got.n <= n);
        assert_null(strstr(got.p, "//"));
        assert_null(strstr(got.p, "/./"));
        assert_null(strstr(got.p, "/../"));
        assert_true(got.n < 3 || strcmp(got.p + got.n - 3, "/..") != 0);
    }
}

/* A path that is called plain is its own canonical form. */
static void plain_paths_stay_as_they_are(void **state)
{
    (void)state;
    int plain = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str path = {cases[i].path, strlen(cases[i].path)};
        if (!target_is_plain((struct str){guard_copy(path.p, path.n), path.n}))
            continue;
        plain++;
        assert_non_null(cases[i].wanted);
        assert_string_equal(cases[i].path, cases[i].wanted);
    }
    assert_in_range(plain, 4, 20);
    assert_true(target_is_plain(STR("/health")) && !target_is_plain(STR("/%61")));
    assert_true(!target_is_plain(STR("/a//b")) && !target_is_plain(STR("/a/../b")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_paths_stay_as_they_are),
                                       cmocka_unit_test(decodes),
                                       cmocka_unit_test(noise_stays_below_the_root)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
