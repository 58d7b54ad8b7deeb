/* Every scan marks the same bytes, whatever they are and wherever they lie, and reads nothing
 * behind the end. */
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
} twins[] = {{"sse4.2", scan_block_sse42, scan_has_sse42},
             {"avx2", scan_block_avx2, scan_has_avx2}};

static int is_control(int c)
{
    return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* RFC 9110 5.6.2, and '#'. */
static int is_odd(int c)
{
    return c == 0 || !strchr("!$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                             c);
}

static void assert_marks(scan_fn *fn, const char *text, size_t n, struct marks wanted)
{
    struct marks got = {~0ULL, ~0ULL};
    fn(guard_copy(text, n), n, &got);
    assert_int_equal(got.control, wanted.control);
    assert_int_equal(got.odd, wanted.odd);
}

static void check_every_byte_at(scan_fn *fn, char *text, size_t n, size_t at)
{
    uint64_t bit = at < SCAN_BLOCK ? 1ULL << at : 0;
    for (int c = 0; c < 256; c++) {
        text[at] = (char)c;
        assert_marks(fn, text, n, (struct marks){is_control(c) ? bit : 0, is_odd(c) ? bit : 0});
    }
    text[at] = 'a';
}

/* Each byte value at each place of each length beyond a block; what is beyond isn't told of. */
static void check_all(scan_fn *fn)
{
    char text[SCAN_BLOCK + 36];
    memset(text, 'a', sizeof text);
    for (size_t n = 1; n <= sizeof text; n++) {
        assert_marks(fn, text, n, (struct marks){0, 0});
        for (size_t at = 0; at < n; at++)
            check_every_byte_at(fn, text, n, at);
    }
}

static void scalar_marks_every_byte(void **state)
{
    (void)state;
    check_all(scan_block_scalar);
}

static void vectors_mark_every_byte(void **state)
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
    char text[2 * SCAN_BLOCK];
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + (size_t)(x % sizeof text);
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            text[i] = (char)(x >> 8);
        }
        struct marks wanted;
        scan_block_scalar(guard_copy(text, n), n, &wanted);
        for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
            if (twins[i].here())
                assert_marks(twins[i].fn, text, n, wanted);
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
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
    assert_true(scan_block == scan_block_avx2 || scan_block == scan_block_sse42 ||
                scan_block == scan_block_scalar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_marks_every_byte), cmocka_unit_test(vectors_mark_every_byte),
        cmocka_unit_test(twins_agree_on_noise), cmocka_unit_test(choice_takes_the_best)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
