/* volley's targets: URLs taken apart, requests as bytes, source addresses. */
#include "base/err.h"
#include "volley/flags.h"
#include "volley/source.h"
#include "volley/target.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_urls(void **unused)
{
    (void)unused;
    static const struct {
        const char *url, *host, *port, *path;
    } good[] = {{"http://h", "h", "80", "/"},
                {"HTTP://h/", "h", "80", "/"},
                {"http://h:/", "h", "80", "/"},
                {"http://127.0.0.1:8080/a/b?c=d#e", "127.0.0.1", "8080", "/a/b?c=d"},
                {"http://h?q", "h", "80", "/?q"},
                {"http://[::1]:0080/x", "::1", "80", "/x"},
                {"http://[::1]", "::1", "80", "/"}};
    static const char *const bad[] = {"",
                                      "h",
                                      "http:/h",
                                      "http://",
                                      "http://:1/",
                                      "http://[]/",
                                      "http://[::1",
                                      "http://[::1]x/",
                                      "http://h:1x/",
                                      "http://h:65536/",
                                      "http://h:0/",
                                      "http://h:-1/",
                                      "http://u@h/",
                                      "http://h/a b",
                                      "http://h/\n",
                                      "https://h/",
                                      "http://h:999999/"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct target t = {0};
        assert_int_equal(target_parse_url(&t, good[i].url, NULL), 0);
        assert_string_equal(t.host, good[i].host);
        assert_string_equal(t.port, good[i].port);
        assert_string_equal(t.path, good[i].path);
        target_fini(&t);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct target t = {0};
        struct err e = {0};
        if (target_parse_url(&t, bad[i], &e) != -1)
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(e.code, EXIT_USAGE);
        target_fini(&t);
    }
}

static struct target built(const char *url, const struct flags *o)
{
    struct target t = {0};
    assert_int_equal(target_parse_url(&t, url, NULL), 0);
    assert_int_equal(target_build_request(&t, o, NULL), 0);
    return t;
}

static void assert_request(const char *url, const struct flags *o, const char *want)
{
    struct target t = built(url, o);
    assert_int_equal(t.request_len, strlen(want));
    for (unsigned i = 0; i < t.depth; i++)
        assert_memory_equal(t.request + i * t.request_len, want, t.request_len);
    target_fini(&t);
}

static void test_requests(void **unused)
{
    (void)unused;
    struct flags o = {.pipeline = 3};
    assert_request("http://h/x", &o, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_request("http://[::1]:8080/", &o, "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n");
    o = (struct flags){.pipeline = 1, .close = true, .method = "HEAD"};
    assert_request("http://h:81/", &o,
                   "HEAD / HTTP/1.1\r\nHost: h:81\r\nConnection: close\r\n\r\n");
    struct target t = built("http://h/", &o);
    assert_true(t.head);
    target_fini(&t);
    o = (struct flags){.pipeline = 1, .body = "a=b", .headers = {{"host: other", "X: y"}, 2}};
    assert_request("http://h/", &o,
                   "POST / HTTP/1.1\r\nhost: other\r\nX: y\r\nContent-Length: 3\r\n\r\na=b");
    o = (struct flags){.pipeline = 1, .body = "", .method = "PUT"};
    assert_request("http://h/", &o, "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
}

static void test_refused_requests(void **unused)
{
    (void)unused;
    static const struct flags bad[] = {
        {.pipeline = 1, .method = "GET /"},
        {.pipeline = 1, .method = ""},
        {.pipeline = 1, .headers = {{"no colon"}, 1}},
        {.pipeline = 1, .headers = {{": empty"}, 1}},
        {.pipeline = 1, .headers = {{"A: b\r\nC: d"}, 1}},
        {.pipeline = 1, .headers = {{"transfer-encoding: chunked"}, 1}},
        {.pipeline = 1, .body = "@/nonexistent/file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct target t = {0};
        struct err e = {0};
        assert_int_equal(target_parse_url(&t, "http://h/", &e), 0);
        assert_int_equal(target_build_request(&t, &bad[i], &e), -1);
        assert_int_equal(e.code, EXIT_USAGE);
        target_fini(&t);
    }
}

static void test_sources(void **unused)
{
    (void)unused;
    struct sockaddr_storage list[SOURCE_MAX];
    struct err e = {0};
    char text[64];
    assert_int_equal(source_parse("auto", AF_INET, list, &e), 16);
    assert_string_equal(
        inet_ntop(AF_INET, &((struct sockaddr_in *)&list[15])->sin_addr, text, sizeof text),
        "127.0.0.17");
    assert_int_equal(source_parse("127.0.0.5,127.0.0.6", AF_INET, list, &e), 2);
    assert_int_equal(source_parse("::1", AF_INET6, list, &e), 1);
    assert_int_equal(e.code, 0);
    static const char *const bad[] = {"", "127.0.0.1,", "localhost", "::1", "127.0.0.1;127.0.0.2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(source_parse(bad[i], AF_INET, list, &e), -1);
    assert_int_equal(source_parse("auto", AF_INET6, list, &e), -1);
    char many[SOURCE_MAX * 11 + 10];
    size_t n = (size_t)snprintf(many, sizeof many, "127.0.0.1");
    for (int i = 0; i < SOURCE_MAX; i++)
        n += (size_t)snprintf(many + n, sizeof many - n, ",127.0.0.2");
    assert_int_equal(source_parse(many, AF_INET, list, &e), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_refused_requests),
        cmocka_unit_test(test_sources),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
