/* The request parser: what it understands, what it refuses and how, that a prefix is never more
   than partial, and that the answer is the same with every scan. Input touches a page that can't be
   read. */
#include "http/http1.h"

#include "http/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/guard.h"

static const struct http1_limits limits = {.line = 8192, .head = 32768, .fields = 100};

static struct request parsed;

static ssize_t parse(const char *text)
{
    size_t n = strlen(text);
    return http1_parse(guard_copy(text, n), n, &limits, &parsed);
}

static void assert_str(struct str s, const char *wanted)
{
    assert_non_null(s.p);
    assert_int_equal(s.n, strlen(wanted));
    assert_memory_equal(s.p, wanted, s.n);
}

#define HEAD(line) line "\r\nHost: x\r\n\r\n"

static void whole_request(void **state)
{
    (void)state;
    const char text[] = "POST /a%20b?q=1 HTTP/1.1\r\nHost: example:80\r\nContent-Length: 12\r\n"
                        "Expect: 100-continue\r\nRange: bytes=0-1\r\nIf-Range: \"r\"\r\n"
                        "If-Match: \"m\"\r\nIf-None-Match: \"n\"\r\nIf-Modified-Since: ms\r\n"
                        "If-Unmodified-Since: us\r\n\r\n";
    assert_int_equal(parse(text), sizeof text - 1);
    assert_int_equal(parsed.method, METHOD_POST);
    assert_int_equal(parsed.minor, 1);
    assert_str(parsed.target, "/a%20b?q=1");
    assert_str(parsed.path, "/a%20b");
    assert_str(parsed.host, "example:80");
    assert_int_equal(parsed.content_length, 12);
    assert_true(parsed.expect_continue && !parsed.expect_unknown);
    assert_true(!parsed.chunked && !parsed.close);
    assert_str(parsed.range, "bytes=0-1");
    assert_str(parsed.if_range, "\"r\"");
    assert_str(parsed.if_match, "\"m\"");
    assert_str(parsed.if_none_match, "\"n\"");
    assert_str(parsed.if_modified_since, "ms");
    assert_str(parsed.if_unmodified_since, "us");
}

static void second_request_is_left_alone(void **state)
{
    (void)state;
    assert_int_equal(parse(HEAD("GET / HTTP/1.1") "GET /two"), strlen(HEAD("GET / HTTP/1.1")));
}

static void methods(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum method method;
    } known[] = {
        {HEAD("GET / HTTP/1.1"), METHOD_GET},   {HEAD("HEAD / HTTP/1.1"), METHOD_HEAD},
        {HEAD("POST / HTTP/1.1"), METHOD_POST}, {HEAD("OPTIONS * HTTP/1.1"), METHOD_OPTIONS},
        {HEAD("PUT / HTTP/1.1"), METHOD_OTHER}, {HEAD("CONNECT a:1 HTTP/1.1"), METHOD_CONNECT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(parse(known[i].text) > 0);
        assert_int_equal(parsed.method, known[i].method);
    }
    assert_int_equal(parse(HEAD("GETX / HTTP/1.1")), -501);
    assert_int_equal(parse(HEAD("get / HTTP/1.1")), -501);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int status;
    } bad[] = {
        {"GET / HTTP/1.1\r\n\r\n", -400},
        {"GET /\r\n\r\n", -400},
        {"G\r\n\r\n", -400},
        {HEAD("GET / HTTP/2.0"), -505},
        {HEAD("GET / HTTP/9.9"), -505},
        {HEAD("GET / HTTP/1"), -400},
        {HEAD("GET / HTTP/11.1"), -400},
        {HEAD("GET  HTTP/1.1"), -400},
        {HEAD("GET / / HTTP/1.1"), -400},
        {HEAD("GET x HTTP/1.1"), -400},
        {HEAD("PUT x HTTP/1.1"), -400},
        {HEAD("GET http:// HTTP/1.1"), -400},
        {HEAD("GET /\x80 HTTP/1.1"), -400},
        {"\x01", -400},
        {" GET", -400},
        {"GET / HTTP/1.1\n", -400},
        {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
         -400},
        {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: br\r\n\r\n", -501},
        {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\n", -400},
        {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775808\r\n\r\n", -400},
        {"GET / HTTP/1.1\r\nHost: x\r\nA b: 1\r\n\r\n", -400},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i].text) != bad[i].status)
            fail_msg("%s: %d, not %d", bad[i].text, (int)parse(bad[i].text), bad[i].status);
}

static void persistence(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool close;
    } cases[] = {{HEAD("GET / HTTP/1.1"), false},
                 {HEAD("GET / HTTP/1.1\r\nConnection: close"), true},
                 {HEAD("GET / HTTP/1.1\r\nConnection: a, CLOSE ,b"), true},
                 {HEAD("GET / HTTP/1.1\r\nConnection: closed"), false},
                 {HEAD("GET / HTTP/1.1\r\nConnection: keep-alive\r\nConnection: close"), true},
                 {"GET / HTTP/1.0\r\n\r\n", true},
                 {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", false},
                 {"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(parse(cases[i].text) > 0);
        if (parsed.close != cases[i].close)
            fail_msg("%s", cases[i].text);
    }
}

/* Each proper prefix is partial: nothing is decided, and nothing refused, before its line is whole.
 */
static void every_prefix_is_partial(void **state)
{
    (void)state;
    const char text[] = "\r\nPOST http://h/p?q HTTP/1.1\r\nHost: h\r\nX-Long-Name-Of-A-Field: some "
                        "text that is longer than a vector of 32 bytes\r\nTransfer-Encoding: "
                        "chunked\r\nConnection: keep-alive\r\n\r\n";
    size_t n = sizeof text - 1;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(http1_parse(guard_copy(text, i), i, &limits, &parsed), 0);
    assert_int_equal(http1_parse(guard_copy(text, n), n, &limits, &parsed), n);
    assert_str(parsed.path, "/p");
    assert_true(parsed.chunked);
}

static ssize_t parse_long(const char *before, size_t count, const char *after)
{
    static char text[65536];
    char filler[count + 1];
    memset(filler, 'x', count);
    filler[count] = '\0';
    int n = snprintf(text, sizeof text, "%s%s%s", before, filler, after);
    return http1_parse(guard_copy(text, (size_t)n), (size_t)n, &limits, &parsed);
}

static void limits_have_their_statuses(void **state)
{
    (void)state;
    size_t most = limits.line - strlen("GET / HTTP/1.1");
    assert_true(parse_long("GET /", most, " HTTP/1.1\r\nHost: x\r\n\r\n") > 0);
    assert_int_equal(parse_long("GET /", most + 1, " HTTP/1.1\r\nHost: x\r\n\r\n"), -414);
    assert_int_equal(parse_long("GET /", 9000, ""), -414);
    assert_int_equal(parse_long("GET / HTTP/1.1\r\nX: ", 40000, "\r\nHost: x\r\n\r\n"), -431);
    assert_int_equal(parse_long("GET / HTTP/1.1\r\nX: ", 40000, ""), -431);
    assert_int_equal(parse_long("GET / HTTP/1.1\r\nX: ", 30000, ""), 0);
    char many[2000] = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 99; i++)
        strcat(many, "A: 1\r\n"); // NOLINT: it fits
    size_t at = strlen(many);
    strcpy(many + at, "\r\n"); // NOLINT
    assert_true(parse(many) > 0);
    strcpy(many + at, "A: 1\r\n\r\n"); // NOLINT
    assert_int_equal(parse(many), -431);
}

/* With the bytes of a good request changed at random, all scans lead to the same result. */
static void twins_agree(void **state)
{
    (void)state;
    scan_fn *const scans[] = {scan_block_scalar,
                              scan_has_sse42() ? scan_block_sse42 : scan_block_scalar,
                              scan_has_avx2() ? scan_block_avx2 : scan_block_scalar};
    const char good[] =
        "POST /a/b?c HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n"
        "Content-Length: 5\r\nUser-Agent: a longer text than one vector has\r\n\r\n";
    char text[sizeof good];
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        memcpy(text, good, sizeof good);
        for (int i = 0; i < 1 + round % 3; i++)
            text[(size_t)rand_r(&seed) % (sizeof good - 1)] = (char)rand_r(&seed);
        ssize_t wanted = 0;
        for (size_t s = 0; s < 3; s++) {
            /* cppcheck doesn't know the typedef and takes the array's initialiser for none */
            // cppcheck-suppress legacyUninitvar
            scan_block = scans[s];
            const char *input = guard_copy(text, sizeof good - 1);
            ssize_t got = http1_parse(input, sizeof good - 1, &limits, &parsed);
            if (s == 0)
                wanted = got;
            assert_int_equal(got, wanted);
        }
    }
    scan_choose();
}

/* Lines of every length around those of a block, so that names, colons, hosts and line ends lie on
   every side of a border; with every scan. */
static void borders_of_blocks(void **state)
{
    (void)state;
    scan_fn *const scans[] = {scan_block_scalar,
                              scan_has_sse42() ? scan_block_sse42 : scan_block_scalar,
                              scan_has_avx2() ? scan_block_avx2 : scan_block_scalar};
    char text[1200], pad[200];
    for (size_t s = 0; s < 3; s++)
        for (int n = 1; n < 150; n++) {
            memset(pad, 'p', sizeof pad);
            pad[n] = '\0';
            // cppcheck-suppress legacyUninitvar
            scan_block = scans[s];
            sprintf(text, "GET /%s HTTP/1.1\r\n%s: %s\r\nhOST:  h%s:1\t\r\nA#: 1\r\n\r\n", pad, pad,
                    pad, pad);
            assert_int_equal(parse(text), strlen(text));
            assert_int_equal(parsed.path.n, n + 1);
            assert_int_equal(parsed.host.n, n + 3);
            assert_memory_equal(parsed.host.p + n, "p:1", 3);
            sprintf(text, "GET /%s# HTTP/1.1\r\nHost: h\r\n\r\n", pad);
            assert_int_equal(parse(text), -400);
            sprintf(text, "GET /%s?%s HTTP/1.1\r\nHost: h\r\n\r\n", pad, pad);
            assert_int_equal(parse(text), strlen(text));
            assert_int_equal(parsed.path.n, n + 1);
            sprintf(text, "GET /%s HTTP/1.1\r\nHost: %s/\r\n\r\n", pad, pad);
            assert_int_equal(parse(text), -400);
            sprintf(text, "GET /%s HTTP/1.1\r\nHost: h\r\n%s : 1\r\n\r\n", pad, pad);
            assert_int_equal(parse(text), -400);
            sprintf(text, "GET /%s HTTP/1.1\r\nHost: h\r\nA: %s\x7f\r\n\r\n", pad, pad);
            assert_int_equal(parse(text), -400);
        }
    scan_choose();
}

/* What is asked most is known by it; anything said about body, persistence or expectations ends it.
 */
static void plain_requests(void **state)
{
    (void)state;
    assert_true(parse(HEAD("GET / HTTP/1.1")) > 0 && parsed.plain);
    assert_true(parse(HEAD("GET /a/b?c HTTP/1.1\r\nAccept: x")) > 0 && parsed.plain);
    static const char *const others[] = {
        HEAD("HEAD / HTTP/1.1"),
        HEAD("GET / HTTP/1.0"),
        HEAD("GET / HTTP/1.1\r\nConnection: close"),
        HEAD("GET / HTTP/1.1\r\nContent-Length: 0"),
        HEAD("GET / HTTP/1.1\r\nTransfer-Encoding: chunked"),
        HEAD("GET / HTTP/1.1\r\nExpect: 100-continue"),
        HEAD("GET / HTTP/1.1\r\nExpect: x"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_true(parse(others[i]) > 0);
        assert_false(parsed.plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_request),
        cmocka_unit_test(second_request_is_left_alone),
        cmocka_unit_test(methods),
        cmocka_unit_test(refusals),
        cmocka_unit_test(persistence),
        cmocka_unit_test(every_prefix_is_partial),
        cmocka_unit_test(limits_have_their_statuses),
        cmocka_unit_test(twins_agree),
        cmocka_unit_test(borders_of_blocks),
        cmocka_unit_test(plain_requests),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    scan_choose();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
