/* gzip: what is packed comes back whole, and what doesn't fit is refused. */
#include "lear/gzip.c" /* NOLINT(bugprone-suspicious-include): its statics */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char text[100000], packed[100000], back[100000];

static void fill(void)
{
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "the quick brown fox jumps over "[(i * i / 7) % 31];
}

static size_t unpack(size_t n)
{
    z_stream z = {.next_in = (Bytef *)packed,
                  .avail_in = (uInt)n,
                  .next_out = (Bytef *)back,
                  .avail_out = sizeof back};
    assert_int_equal(inflateInit2(&z, GZIP_WINDOW), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    size_t got = sizeof back - z.avail_out;
    inflateEnd(&z);
    return got;
}

static void comes_back(void **state)
{
    (void)state;
    fill();
    for (int level = 1; level <= 9; level++) {
        for (size_t n = 1; n <= sizeof text; n = n * 7 + 1) {
            size_t m = gzip_pack((struct str){text, n}, packed, sizeof packed, level);
            assert_true(m > 0);
            assert_int_equal((unsigned char)packed[0], 0x1f);
            assert_int_equal((unsigned char)packed[1], 0x8b);
            assert_int_equal(unpack(m), n);
            assert_memory_equal(back, text, n);
        }
    }
}

static void must_fit(void **state)
{
    (void)state;
    fill();
    size_t n = gzip_pack((struct str){text, sizeof text}, packed, sizeof packed, 6);
    memset(packed, 'x', sizeof packed);
    assert_int_equal(gzip_pack((struct str){text, sizeof text}, packed, n, 6), n);
    assert_int_equal(packed[n], 'x');
    assert_int_equal(gzip_pack((struct str){text, sizeof text}, packed, n - 1, 6), 0);
    assert_int_equal(gzip_pack((struct str){text, sizeof text}, packed, 1, 6), 0);
}

static void suits(void **state)
{
    (void)state;
    const char *good[] = {"text/html", "text/plain", "application/json", "image/svg+xml"};
    const char *bad[] = {"image/png", "application/gzip", "application/octet-stream", "video/mp4",
                         "font/woff2"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(gzip_suits(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(gzip_suits(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(must_fit),
        cmocka_unit_test(suits),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
