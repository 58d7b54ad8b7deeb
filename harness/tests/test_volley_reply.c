/* volley's reply parser: each case whole, cut at every byte, a byte at a time, and flush against a
   page that can't be read; wrong answers must be wrong however they arrive; truncated ones never
   end. */
#include "volley/pattern.h"
#include "volley/reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define CRLF "\r\n"

/* What a parse came to. */
struct outcome {
    enum reply_event event; /* REPLY_END, REPLY_BAD or REPLY_MORE */
    struct reply_head head;
    size_t used;
    char body[512];
    size_t body_len;
};

/* A copy of n bytes that ends where readable memory ends. */
struct fence {
    char *map, *p;
    size_t size;
};

static struct fence fence_new(const char *bytes, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (n + page - 1) / page * page;
    struct fence f = {.size = room + page};
    f.map = mmap(NULL, f.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.map != MAP_FAILED);
    assert_int_equal(mprotect(f.map + room, page, PROT_NONE), 0);
    f.p = f.map + room - n;
    memcpy(f.p, bytes, n);
    return f;
}

static void fence_free(struct fence f)
{
    munmap(f.map, f.size);
}

/* Gives r the bytes; what it doesn't use of them stays for the next call, as in reader.c. */
static void feed(struct reply *r, struct outcome *o, const char *p, size_t n)
{
    struct fence f = fence_new(p, n);
    size_t at = 0;
    for (;;) {
        struct reply_step s = reply_next(r, f.p + at, n - at);
        at += s.used;
        o->event = s.event;
        if (s.event == REPLY_HEAD)
            o->head = r->head;
        if (s.event == REPLY_BODY) {
            assert_true(o->body_len + s.body_len <= sizeof o->body);
            memcpy(o->body + o->body_len, s.body, s.body_len);
            o->body_len += s.body_len;
        }
        if (s.event != REPLY_HEAD && s.event != REPLY_BODY)
            break;
    }
    o->used += at;
    fence_free(f);
}

/* Parses n bytes that come in pieces of cut, then the rest (or, with step, all in pieces of cut).
 */
static struct outcome parse(const char *p, size_t n, size_t cut, bool step, bool head)
{
    struct reply r;
    struct outcome o = {.event = REPLY_MORE};
    size_t have = 0;
    reply_start(&r, head);
    while (have < n && o.event == REPLY_MORE) {
        size_t piece = have == 0 || step ? cut : n - have;
        have = piece < n - have ? have + piece : n;
        feed(&r, &o, p + o.used, have - o.used);
    }
    if (o.event == REPLY_BAD)
        assert_non_null(r.head.wrong);
    return o;
}

struct good {
    const char *bytes, *body;
    int status;
    enum reply_framing framing;
    bool keep_alive, head;
    size_t behind; /* bytes that belong to the next answer */
};

static const struct good goods[] = {
    {"HTTP/1.1 200 OK" CRLF "Content-Length: 3" CRLF CRLF "ok\n", "ok\n", 200, REPLY_LENGTH, true,
     false, 0},
    {"HTTP/1.1 200 OK" CRLF "content-length:3 \t" CRLF CRLF "ok\nHTTP", "ok\n", 200, REPLY_LENGTH,
     true, false, 4},
    {"HTTP/1.1 200 " CRLF "Content-Length: 0" CRLF CRLF, "", 200, REPLY_LENGTH, true, false, 0},
    {"HTTP/1.1 404" CRLF "Content-Length: 0" CRLF CRLF, "", 404, REPLY_LENGTH, true, false, 0},
    {"HTTP/1.1 200 OK" CRLF "Content-Length: 2" CRLF "Content-Length: 2" CRLF CRLF "ab", "ab", 200,
     REPLY_LENGTH, true, false, 0},
    {"HTTP/1.1 200 OK" CRLF "Connection: x, Close" CRLF "Content-Length: 1" CRLF CRLF "a", "a", 200,
     REPLY_LENGTH, false, false, 0},
    {"HTTP/1.0 200 OK" CRLF "Content-Length: 1" CRLF CRLF "a", "a", 200, REPLY_LENGTH, false, false,
     0},
    {"HTTP/1.0 200 OK" CRLF "Connection: Keep-Alive" CRLF "Content-Length: 1" CRLF CRLF "a", "a",
     200, REPLY_LENGTH, true, false, 0},
    {"HTTP/1.1 204 No Content" CRLF CRLF, "", 204, REPLY_NO_BODY, true, false, 0},
    {"HTTP/1.1 304 Not Modified" CRLF "Content-Length: 99" CRLF CRLF, "", 304, REPLY_NO_BODY, true,
     false, 0},
    {"HTTP/1.1 200 OK" CRLF "Content-Length: 99" CRLF CRLF, "", 200, REPLY_NO_BODY, true, true, 0},
    {"HTTP/1.1 100 Continue" CRLF CRLF "HTTP/1.1 103 Early Hints" CRLF "Link: x" CRLF CRLF
     "HTTP/1.1 200 OK" CRLF "Content-Length: 1" CRLF CRLF "a",
     "a", 200, REPLY_LENGTH, true, false, 0},
    {"HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "3" CRLF "abc" CRLF
     "0" CRLF CRLF,
     "abc", 200, REPLY_CHUNKED, true, false, 0},
    {"HTTP/1.1 200 OK" CRLF "Transfer-Encoding: Chunked" CRLF CRLF "00A;name=\"v\"" CRLF
     "0123456789" CRLF "1 " CRLF "x" CRLF "0" CRLF "T: v" CRLF "U: w" CRLF CRLF "HT",
     "0123456789x", 200, REPLY_CHUNKED, true, false, 2},
    {"HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "0" CRLF CRLF, "", 200,
     REPLY_CHUNKED, true, false, 0},
};

static void assert_good(const struct good *g, const struct outcome *o)
{
    assert_int_equal(o->event, REPLY_END);
    assert_int_equal(o->head.status, g->status);
    assert_int_equal(o->head.framing, g->framing);
    assert_int_equal(o->head.keep_alive, g->keep_alive);
    assert_int_equal(o->body_len, strlen(g->body));
    assert_memory_equal(o->body, g->body, o->body_len);
}

static void test_good_answers_at_every_split(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct good *g = &goods[i];
        size_t n = strlen(g->bytes);
        for (size_t cut = 1; cut <= n; cut++) {
            struct outcome o = parse(g->bytes, n, cut, false, g->head);
            assert_good(g, &o);
            assert_int_equal(o.used, n - g->behind);
        }
        struct outcome o = parse(g->bytes, n, 1, true, g->head);
        assert_good(g, &o);
    }
}

static void test_every_prefix_is_incomplete(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct good *g = &goods[i];
        size_t whole = strlen(g->bytes) - g->behind;
        for (size_t n = 1; n < whole; n++) {
            struct outcome o = parse(g->bytes, n, n, false, g->head);
            assert_int_equal(o.event, REPLY_MORE);
        }
    }
}

static const char *const bads[] = {
    "HTTP/2 200 OK" CRLF CRLF,
    "HTTP/1.2 200 OK" CRLF CRLF,
    "http/1.1 200 OK" CRLF CRLF,
    "ICY 200 OK" CRLF CRLF,
    "HTTP/1.1  200 OK" CRLF CRLF,
    "HTTP/1.1 20 OK" CRLF CRLF,
    "HTTP/1.1 2000 OK" CRLF CRLF,
    "HTTP/1.1 600 Odd" CRLF CRLF,
    "HTTP/1.1 099 Odd" CRLF CRLF,
    "HTTP/1.1 101 Switching Protocols" CRLF CRLF,
    "HTTP/1.1 200 O\001K" CRLF CRLF,
    "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
    "HTTP/1.1 200 OK" CRLF "A: b\rc" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "A : b" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF ": b" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "no colon" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "A: b" CRLF " folded" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "A: \001" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "Content-Length: " CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "Content-Length: -1" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "Content-Length: +1" CRLF CRLF "a",
    "HTTP/1.1 200 OK" CRLF "Content-Length: 1x" CRLF CRLF "a",
    "HTTP/1.1 200 OK" CRLF "Content-Length: 1, 1" CRLF CRLF "a",
    "HTTP/1.1 200 OK" CRLF "Content-Length: 18446744073709551617" CRLF CRLF "a",
    "HTTP/1.1 200 OK" CRLF "Content-Length: 1" CRLF "Content-Length: 2" CRLF CRLF "ab",
    "HTTP/1.1 200 OK" CRLF "Content-Length: 1" CRLF "Transfer-Encoding: chunked" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: gzip, chunked" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF "Transfer-Encoding: chunked" CRLF CRLF,
    "HTTP/1.0 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "x" CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "-1" CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "1\n",
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "1;x\n",
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "1" CRLF "ab" CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "1" CRLF "a\r\r",
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "1000000000000000" CRLF,
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "0" CRLF "\rx",
    "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "0" CRLF "T: v\n",
};

static void test_bad_answers_at_every_split(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        size_t n = strlen(bads[i]);
        for (size_t cut = 1; cut <= n; cut++) {
            struct outcome o = parse(bads[i], n, cut, false, false);
            if (o.event != REPLY_BAD)
                fail_msg("case %zu cut at %zu: %s", i, cut, bads[i]);
        }
        assert_int_equal(parse(bads[i], n, 1, true, false).event, REPLY_BAD);
    }
}

static void test_head_without_end_is_bounded(void **unused)
{
    (void)unused;
    size_t n = REPLY_HEAD_MAX + 100;
    char *p = malloc(n);
    memset(p, 'a', n);
    static const char start[] = "HTTP/1.1 200 OK" CRLF "X: ";
    memcpy(p, start, sizeof start - 1);
    struct reply_head h;
    assert_int_equal(reply_head_read(&h, p, REPLY_HEAD_MAX - 1, false), 0);
    assert_int_equal(reply_head_read(&h, p, REPLY_HEAD_MAX, false), -1);
    static const char end[] = CRLF CRLF;
    memcpy(p + n - 4, end, sizeof end - 1);
    assert_int_equal(reply_head_read(&h, p, n, false), -1);
    free(p);
}

static void test_chunk_lines_are_bounded(void **unused)
{
    (void)unused;
    static const char head[] = "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF;
    static const char *const starts[] = {"1;", "0" CRLF "T: "};
    for (size_t i = 0; i < 2; i++) {
        size_t n = sizeof head - 1 + strlen(starts[i]) + 5000;
        char *p = malloc(n + 1);
        memset(p, 'a', n);
        memcpy(p, head, sizeof head - 1);
        memcpy(p + sizeof head - 1, starts[i], strlen(starts[i]));
        assert_int_equal(parse(p, n, n, false, false).event, REPLY_BAD);
        free(p);
    }
}

static struct reply after(const char *bytes, struct outcome *o)
{
    struct reply r;
    *o = (struct outcome){0};
    reply_start(&r, false);
    feed(&r, o, bytes, strlen(bytes));
    return r;
}

static void test_end_of_stream(void **unused)
{
    (void)unused;
    struct outcome o;
    struct reply r = after("HTTP/1.1 200 OK" CRLF CRLF "some", &o);
    assert_int_equal(o.event, REPLY_MORE);
    assert_int_equal(r.head.framing, REPLY_UNTIL_CLOSE);
    assert_false(r.head.keep_alive);
    assert_int_equal(reply_eof(&r), REPLY_END);
    assert_int_equal(r.body_len, 4);
    static const char *const early[] = {
        "HTTP/1.1 200 OK" CRLF "Content-Le",
        "HTTP/1.1 200 OK" CRLF "Content-Length: 5" CRLF CRLF "four",
        "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "5" CRLF "four",
        "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "4" CRLF "four" CRLF,
        "HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF "0" CRLF,
    };
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        r = after(early[i], &o);
        assert_int_equal(o.event, REPLY_MORE);
        assert_int_equal(reply_eof(&r), REPLY_BAD);
    }
}

static void test_skipped_body_counts(void **unused)
{
    (void)unused;
    struct outcome o;
    struct reply r = after("HTTP/1.1 200 OK" CRLF "Content-Length: 1000" CRLF CRLF "abc", &o);
    assert_int_equal(reply_body_left(&r), 997);
    reply_skip(&r, 997);
    assert_int_equal(reply_body_left(&r), 0);
    assert_int_equal(reply_next(&r, "", 0).event, REPLY_END);
    assert_int_equal(r.body_len, 1000);
}

#define DATED(date, more)                                                                          \
    "HTTP/1.1 200 OK" CRLF "Date: " date CRLF "Content-Length: 2" CRLF more CRLF

static struct pattern learnt(const char *head)
{
    static struct pattern p;
    struct reply_head h;
    p = (struct pattern){0};
    long n = reply_head_read(&h, head, strlen(head), false);
    assert_int_equal(n, strlen(head));
    pattern_learn(&p, &h, head, (size_t)n);
    return p;
}

static bool matches(struct pattern *p, const char *bytes)
{
    struct fence f = fence_new(bytes, strlen(bytes));
    bool yes = pattern_match(p, f.p, strlen(bytes));
    fence_free(f);
    return yes;
}

static void test_pattern(void **unused)
{
    (void)unused;
    struct pattern p = learnt(DATED("Sun, 06 Nov 1994 08:49:37 GMT", ""));
    assert_int_equal(p.head.length, 2);
    assert_true(matches(&p, DATED("Sun, 06 Nov 1994 08:49:37 GMT", "")));
    assert_true(matches(&p, DATED("Mon, 07 Nov 1994 00:00:01 GMT", "") "ok"));
    assert_true(matches(&p, DATED("Mon, 07 Nov 1994 00:00:01 GMT", "") "ok"));
    /* Not a date, though as long; an injected line end; another head; too short. */
    assert_false(matches(&p, DATED("Mon, 07 Nov 1994 00:00:0x GMT", "")));
    assert_false(matches(&p, DATED("Mon, 07 Nov 1994 00\r\n0: 1 GMT", "")));
    assert_false(matches(&p, DATED("Mon, 07 Nov 1994 00:00:01 GMT", "X: y" CRLF)));
    assert_false(matches(&p, "HTTP/1.1 201 OK" CRLF "Date: Mon, 07 Nov 1994 00:00:01 GMT" CRLF
                             "Content-Length: 2" CRLF CRLF));
    assert_false(matches(&p, "HTTP/1.1 200 OK" CRLF "Date: Mon, 07 Nov 1994 00:00:01 GMT" CRLF
                             "Content-Length: 3" CRLF CRLF));
    assert_false(matches(&p, "HTTP/1.1 200 OK" CRLF "Date: Sun, 06"));
    p = learnt("HTTP/1.1 200 OK" CRLF "Content-Length: 2" CRLF CRLF);
    assert_true(matches(&p, "HTTP/1.1 200 OK" CRLF "Content-Length: 2" CRLF CRLF));
    assert_false(matches(&p, "HTTP/1.1 200 OK" CRLF "Content-Length: 7" CRLF CRLF));
}

static void test_pattern_learns_only_fixed_lengths(void **unused)
{
    (void)unused;
    assert_int_equal(learnt("HTTP/1.1 200 OK" CRLF "Transfer-Encoding: chunked" CRLF CRLF).head_len,
                     0);
    assert_int_equal(learnt("HTTP/1.1 200 OK" CRLF CRLF).head_len, 0);
    assert_int_not_equal(learnt("HTTP/1.1 204 No" CRLF CRLF).head_len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_answers_at_every_split),
        cmocka_unit_test(test_every_prefix_is_incomplete),
        cmocka_unit_test(test_bad_answers_at_every_split),
        cmocka_unit_test(test_head_without_end_is_bounded),
        cmocka_unit_test(test_chunk_lines_are_bounded),
        cmocka_unit_test(test_end_of_stream),
        cmocka_unit_test(test_skipped_body_counts),
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_pattern_learns_only_fixed_lengths),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
