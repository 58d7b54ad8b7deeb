/* The chunked decoder: every split of a body gives the same content; what is malformed is refused
   at the byte where it is; nothing is read behind the end. */
#include "http/chunked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/guard.h"

/* Decodes text fed in pieces of step bytes. Returns all bytes taken or -1; content gathers in to.
 */
static ssize_t decode(const char *text, size_t n, size_t step, char *to, size_t *length)
{
    struct chunked c = {0};
    size_t at = 0;
    *length = 0;
    while (at < n && !c.done) {
        size_t piece = n - at < step ? n - at : step, got;
        char *p = guard_copy(text + at, piece);
        ssize_t taken = chunked_decode(&c, p, piece, &got);
        if (taken < 0)
            return -1;
        memcpy(to + *length, p, got);
        *length += got;
        at += (size_t)taken;
        assert_true(c.done || (size_t)taken == piece);
    }
    return c.done ? (ssize_t)at : 0;
}

static void every_split(void **state)
{
    (void)state;
    const char text[] = "5\r\nhello\r\n001;a=\"b\";c\r\n,\r\nB ;x\r\n big world!\r\n0;last\r\n"
                        "X-T: 1\r\nX-U:\t\r\n\r\nGET /next";
    const size_t n = sizeof text - 1, own = n - strlen("GET /next");
    char to[sizeof text];
    size_t length;
    for (size_t step = 1; step <= n; step++) {
        assert_int_equal(decode(text, n, step, to, &length), own);
        assert_int_equal(length, 17);
        assert_memory_equal(to, "hello, big world!", 17);
    }
}

static void every_prefix_is_unfinished(void **state)
{
    (void)state;
    const char text[] = "3;e\r\nabc\r\n0\r\nT: v\r\n\r\n";
    char to[sizeof text];
    size_t length;
    for (size_t n = 0; n < sizeof text - 1; n++)
        assert_int_equal(decode(text, n, 1, to, &length), 0);
}

static void refusals(void **state)
{
    (void)state;
    static const char *bad[] = {"\r\n",
                                "g\r\n",
                                " 5\r\n",
                                "-1\r\n",
                                "+5\r\n",
                                "5\n",
                                "5\r5",
                                "5 6\r\n",
                                "5;a\nb\r\n",
                                "2\r\nabc",
                                "2\r\nab\rX",
                                "2\r\nab\n",
                                "0\r\n\n",
                                "0\r\n T: 1\r\n",
                                "0\r\nT 1\r\n",
                                "0\r\nT: \x01\r\n",
                                "0\r\n\rX",
                                "8000000000000000\r\n",
                                "10000000000000000\r\n",
                                "0\r\n:\r\n"};
    char to[64];
    size_t length;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (size_t step = 1; step <= 32; step += 31)
            if (decode(bad[i], strlen(bad[i]), step, to, &length) != -1)
                fail_msg("accepted: %s", bad[i]);
}

static void largest_size_is_taken(void **state)
{
    (void)state;
    struct chunked c = {0};
    char text[] = "07ffffffffffffffF\r\nx";
    size_t got;
    assert_int_equal(chunked_decode(&c, text, sizeof text - 1, &got), sizeof text - 1);
    assert_int_equal(c.left, INT64_MAX - 1);
    assert_int_equal(got, 1);
}

/* Size lines and trailers are bounded, however they are cut. */
static void overhead_is_bounded(void **state)
{
    (void)state;
    static const char *starts[] = {"1;", "0\r\nT: "};
    for (size_t i = 0; i < 2; i++) {
        struct chunked c = {0};
        size_t got, taken = 0;
        char text[16];
        strcpy(text, starts[i]); // NOLINT: it fits
        assert_true(chunked_decode(&c, text, strlen(text), &got) > 0);
        ssize_t last = 1;
        for (; taken < 20000 && last > 0; taken++) {
            char x = 'x';
            last = chunked_decode(&c, &x, 1, &got);
        }
        assert_int_equal(last, -1);
        assert_in_range(taken, 8000, 8400);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split), cmocka_unit_test(every_prefix_is_unfinished),
        cmocka_unit_test(refusals), cmocka_unit_test(largest_size_is_taken),
        cmocka_unit_test(overhead_is_bounded)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
