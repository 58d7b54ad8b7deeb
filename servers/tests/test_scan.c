/* Every scan finds the same byte, whatever it is and wherever it lies, and reads nothing behind the
 * end. */
#include "http/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/guard.h"

static const struct {
    const char *name;
    scan_fn *fn;
    int (*here)(void);
} twins[] = {{"sse4.2", scan_line_sse42, scan_has_sse42}, {"avx2", scan_line_avx2, scan_has_avx2}};

static int forbidden(int c)
{
    return (c < 0x20 && c != '\t') || c == 0x7f;
}

static void check_every_byte_at(scan_fn *fn, char *text, size_t n, size_t at)
{
    for (int c = 0; c < 256; c++) {
        text[at] = (char)c;
        assert_int_equal(fn(guard_copy(text, n), 0, n), forbidden(c) ? at : n);
    }
    text[at] = 'a';
}

/* Each byte value at each place of each length up to three vectors. */
static void check_all(scan_fn *fn)
{
    char text[100];
    memset(text, 'a', sizeof text);
    for (size_t n = 0; n <= sizeof text; n++) {
        assert_int_equal(fn(guard_copy(text, n), 0, n), n);
        for (size_t at = 0; at < n; at++)
            check_every_byte_at(fn, text, n, at);
    }
}

static void scalar_finds_every_byte(void **state)
{
    (void)state;
    check_all(scan_line_scalar);
}

static void vectors_find_every_byte(void **state)
{
    (void)state;
    int tested = 0;
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (twins[i].here()) {
            check_all(twins[i].fn);
            tested++;
        }
    if (!tested)
        print_message("# skipped: this processor has no vector twin\n");
}

static void twins_agree_on_noise(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252ULL;
    char text[512];
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)(x % sizeof text);
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            text[i] = (char)(x % 7 ? 0x20 + x % 95 : x >> 8);
        }
        size_t wanted = scan_line_scalar(guard_copy(text, n), 0, n);
        for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
            if (twins[i].here())
                assert_int_equal(twins[i].fn(guard_copy(text, n), 0, n), wanted);
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    }
}

/* What lies before the place where a scan begins is never found, wherever that is. */
static void begins_where_told(void **state)
{
    (void)state;
    char text[100];
    memset(text, '\n', sizeof text);
    for (size_t n = 0; n <= sizeof text; n++)
        for (size_t at = 0; at <= n; at++) {
            memset(text + at, 'a', sizeof text - at);
            for (size_t bad = at; bad <= n; bad++) {
                if (bad < n)
                    text[bad] = '\r';
                const char *p = guard_copy(text, n);
                assert_int_equal(scan_line_scalar(p, at, n), bad);
                for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
                    if (twins[i].here())
                        assert_int_equal(twins[i].fn(p, at, n), bad);
                memset(text + at, 'a', sizeof text - at);
            }
            memset(text, '\n', sizeof text);
        }
}

static void choice_takes_the_best(void **state)
{
    (void)state;
    const char *name = scan_choose();
    if (scan_has_avx2())
        assert_string_equal(name, "avx2");
    else if (scan_has_sse42())
        assert_string_equal(name, "sse4.2");
    else
        assert_string_equal(name, "scalar");
    assert_true(scan_line == scan_line_avx2 || scan_line == scan_line_sse42 ||
                scan_line == scan_line_scalar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_finds_every_byte), cmocka_unit_test(vectors_find_every_byte),
        cmocka_unit_test(twins_agree_on_noise), cmocka_unit_test(begins_where_told),
        cmocka_unit_test(choice_takes_the_best)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
