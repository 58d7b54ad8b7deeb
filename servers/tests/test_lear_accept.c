/* Accept-Encoding: who gets gzip (RFC 9110 12.5.3, 12.4.2). */
#include "lear/accept.c" /* NOLINT(bugprone-suspicious-include): its statics */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/guard.h"

static const struct {
    const char *value;
    bool gzip;
} cases[] = {
    {"gzip", true},
    {"GZIP", true},
    {"x-gzip", true},
    {"gzip, deflate, br", true},
    {"deflate,gzip", true},
    {"br;q=1.0, gzip;q=0.8, *;q=0.1", true},
    {"*", true},
    {"*;q=0.1", true},
    {"gzip;q=0.001", true},
    {"gzip;q=1.000", true},
    {"gzip;Q=1", true},
    {"gzip ; q=0.5", true},
    {"gzip;\tq=0.5", true},
    {", ,gzip,", true},
    {"identity;q=0, gzip", true},
    {"identity, gzip", true}, /* as welcome as each other: the shorter one */
    {"identity;q=0.5, gzip;q=0.5", true},
    {"*;q=0, gzip", true},
    {"gzip;q=0.5, br", true},
    {"", false},
    {"identity", false},
    {"deflate, br", false},
    {"gzip;q=0", false},
    {"gzip;q=0.0", false},
    {"gzip;q=0.000", false},
    {"gzip;q=0, *", false},
    {"*;q=0", false},
    {"identity;q=1, gzip;q=0.9", false},
    {"identity, *;q=0.9", false},
    {"gzipped", false},
    {"agzip", false},
    {"gzi", false},
    {"gzip;q=", false}, /* malformed: says nothing */
    {"gzip;q=2", false},
    {"gzip;q=1.001", false},
    {"gzip;q=0.1234", false},
    {"gzip;q=-1", false},
    {"gzip;q=.5", false},
    {"gzip;q=a", false},
    {"gzip;q=0.a", false},
    {"gzip;level=9", false},
    {"gzip;", false},
    {"\"gzip\"", false},
};

/* The value alone, flush against memory that can't be read; then as a field of a request. */
static void prefers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct accept a = {-1, -1, -1};
        size_t n = strlen(cases[i].value);
        accept_take(&a, (struct str){guard_copy(cases[i].value, n), n});
        if (accept_prefers_gzip(&a) != cases[i].gzip)
            fail_msg("'%s': gzip is %spreferred", cases[i].value, cases[i].gzip ? "not " : "");
        char text[300];
        int length = snprintf(text, sizeof text,
                              "GET /a HTTP/1.1\r\nHost: x\r\nAccept-encoding:%s\r\nX: y\r\n\r\n",
                              cases[i].value);
        const char *p = guard_copy(text, (size_t)length);
        struct request r = {.target = {p + 4, 2}};
        assert_int_equal(accept_gzip(&r), cases[i].gzip);
    }
}

static bool gzip_for(const char *fields)
{
    char text[300];
    int n = snprintf(text, sizeof text, "GET /gzip HTTP/1.1\r\n%s\r\n", fields);
    struct request r = {.target = {guard_copy(text, (size_t)n) + 4, 5}};
    return accept_gzip(&r);
}

static void finds_the_field(void **state)
{
    (void)state;
    assert_false(gzip_for(""));
    assert_false(gzip_for("Host: gzip\r\n"));
    assert_false(gzip_for("Accept: gzip\r\nAccept-Encodings: gzip\r\nX-Accept-Encoding: gzip\r\n"));
    assert_false(gzip_for("Accept-Encoding:\r\n"));
    assert_true(gzip_for("ACCEPT-ENCODING: gzip\r\n"));
    assert_true(gzip_for("accept-encoding:gzip\r\nHost: x\r\n"));
    assert_true(gzip_for("Accept-Encoding: br\r\nHost: x\r\nAccept-Encoding: gzip\r\n"));
    assert_false(gzip_for("Accept-Encoding: gzip\r\nAccept-Encoding: gzip;q=0\r\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefers),
        cmocka_unit_test(finds_the_field),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
