/* Answers: bytes of a head, the date in it, where a body goes, and who gives its memory back. */
#include "http/reply.h"

#include "http/mime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static char room[65536];
static struct date date = {.text = "Sun, 06 Nov 1994 08:49:37 GMT", .version = 1};
static const struct head_style plain = {0}, full = {.server = true, .date = true};

static struct out fresh(size_t cap)
{
    return (struct out){.p = room, .cap = cap};
}

static void assert_out(const struct out *out, const char *wanted)
{
    assert_int_equal(out->n, strlen(wanted));
    assert_memory_equal(out->p, wanted, out->n);
}

static void head_and_body(void **state)
{
    (void)state;
    struct head h;
    head_start(&h, &plain, 200);
    head_add(&h, "Content-Type", "text/plain");
    head_add_length(&h, 2);
    struct reply r = {.head = &h, .body = {.p = "OK", .n = 2}};
    struct out out = fresh(sizeof room);
    reply_put(&out, &r, &date, PERSIST_SILENT, false);
    assert_out(&out, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nOK");
    out.n = 0;
    reply_put(&out, &r, &date, PERSIST_CLOSE, true);
    assert_out(&out, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
                     "Connection: close\r\n\r\n");
}

static void length_and_extra(void **state)
{
    (void)state;
    struct head h;
    head_start(&h, &plain, 206);
    struct reply r = {.head = &h,
                      .body = {.p = "abc", .n = 3},
                      .length = 3,
                      .has_length = true,
                      .extra = STR("A: 1\r\nB: 2\r\n")};
    struct out out = fresh(sizeof room);
    reply_put(&out, &r, &date, PERSIST_KEEP_ALIVE, false);
    assert_out(&out, "HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\nA: 1\r\nB: 2\r\n"
                     "Connection: keep-alive\r\n\r\nabc");
}

static void date_follows_the_clock(void **state)
{
    (void)state;
    struct head h;
    head_start(&h, &full, 204);
    struct reply r = {.head = &h};
    struct date d = date;
    for (int i = 0; i < 3; i++) {
        struct out out = fresh(sizeof room);
        d.text[DATE_LEN - 5] = (char)('0' + i); /* the seconds */
        d.version++;
        reply_put(&out, &r, &d, PERSIST_SILENT, false);
        room[out.n] = '\0';
        char *at = strstr(room, "\r\nDate: ");
        assert_non_null(at);
        assert_memory_equal(at + 8, d.text, DATE_LEN);
        assert_memory_equal(at + 8 + DATE_LEN, "\r\n", 2);
        assert_non_null(strstr(room, "\r\nServer: "));
    }
}

static int released;

static void on_release(void *owner)
{
    assert_ptr_equal(owner, &released);
    released++;
}

/* A body that fits is copied and given back at once; a big one becomes the tail; for HEAD it goes.
 */
static void bodies_find_their_place(void **state)
{
    (void)state;
    static char big[REPLY_COPY_MAX + 1];
    struct head h;
    head_start(&h, &plain, 200);
    struct reply r = {.head = &h,
                      .body = {.p = big, .n = 100, .release = on_release, .owner = &released}};
    struct out out = fresh(sizeof room);
    reply_put(&out, &r, &date, PERSIST_SILENT, false);
    assert_int_equal(released, 1);
    assert_int_equal(out.tail.n, 0);

    r.body.n = sizeof big;
    out = fresh(sizeof room);
    reply_put(&out, &r, &date, PERSIST_SILENT, false);
    assert_int_equal(released, 1);
    assert_ptr_equal(out.tail.p, big);
    assert_int_equal(out.tail.n, sizeof big);

    r.body.n = 2000; /* fits the rule, but not the room */
    out = fresh(REPLY_ROOM);
    reply_put(&out, &r, &date, PERSIST_SILENT, false);
    assert_int_equal(out.tail.n, 2000);
    assert_int_equal(released, 1);

    out = fresh(sizeof room);
    reply_put(&out, &r, &date, PERSIST_SILENT, true);
    assert_int_equal(released, 2);
    assert_int_equal(out.tail.n, 0);
}

/* Bytes that die with the up-call are copied when they don't fit behind the head. */
static void borrowed_bodies_are_copied(void **state)
{
    (void)state;
    static char big[REPLY_COPY_MAX + 1];
    struct head h;
    head_start(&h, &plain, 200);
    memset(big, 'b', sizeof big);
    struct reply r = {.head = &h, .body = {.p = big, .n = sizeof big}, .borrowed = true};
    struct out out = fresh(sizeof room);
    reply_put(&out, &r, &date, PERSIST_SILENT, false);
    assert_ptr_not_equal(out.tail.p, big);
    assert_memory_equal(out.tail.p, big, sizeof big);
    assert_ptr_equal(out.tail.release, free);
    out.tail.release(out.tail.owner);
}

static void dates_there_and_back(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long when; /* -1: no date */
    } cases[] = {{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
                 {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
                 {"Sun Nov  6 08:49:37 1994", 784111777},
                 {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
                 {"Sat, 29 Feb 2020 23:59:60 GMT", 1583020800},
                 {"", -1},
                 {"Sun, 06 Nov 1994 08:49:37", -1},
                 {"Sun, 06 Nov 1994 08:49:37 GMTx", -1},
                 {"Sun, 06 Nov 1994 25:49:37 GMT", -1},
                 {"Sun, 06 Xyz 1994 08:49:37 GMT", -1},
                 {"Sun, 99 Nov 1994 08:49:37 GMT", -1},
                 {"1994-11-06T08:49:37Z", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str text = {cases[i].text, strlen(cases[i].text)};
        if (date_parse(text) != (time_t)cases[i].when)
            fail_msg("%s: %lld", cases[i].text, (long long)date_parse(text));
    }
    char text[DATE_LEN + 1];
    for (time_t when = 0; when < 4102444800; when += 86400 * 13 + 3661) {
        date_format(when, text);
        assert_int_equal(strlen(text), DATE_LEN);
        assert_int_equal(date_parse((struct str){text, DATE_LEN}), when);
    }
}

static void types_by_name(void **state)
{
    (void)state;
    assert_string_equal(mime_type(STR("/a.txt")), "text/plain");
    assert_string_equal(mime_type(STR("/A.TXT")), "text/plain");
    assert_string_equal(mime_type(STR("/a.b.html")), "text/html");
    assert_string_equal(mime_type(STR("/a.svg")), "image/svg+xml");
    assert_string_equal(mime_type(STR("/a.bin")), "application/octet-stream");
    assert_string_equal(mime_type(STR("/txt")), "application/octet-stream");
    assert_string_equal(mime_type(STR("/a.txt/b")), "application/octet-stream");
    assert_string_equal(mime_type(STR("/a.")), "application/octet-stream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(head_and_body),
                                       cmocka_unit_test(length_and_extra),
                                       cmocka_unit_test(date_follows_the_clock),
                                       cmocka_unit_test(bodies_find_their_place),
                                       cmocka_unit_test(borrowed_bodies_are_copied),
                                       cmocka_unit_test(dates_there_and_back),
                                       cmocka_unit_test(types_by_name)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
