/* sha256: the examples of NIST, and every length around a block's end against sha256sum. */
#include "lab/sha256.h"

#include "base/alloc.h"
#include "base/file.h"
#include "lab/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect(const char *text, size_t repeat, const char *expected)
{
    struct sha256 s;
    char hex[SHA256_HEX];
    sha256_init(&s);
    for (size_t i = 0; i < repeat; i++)
        sha256_add(&s, text, strlen(text));
    sha256_hex(&s, hex);
    assert_string_equal(hex, expected);
}

static void test_examples(void **state)
{
    (void)state;
    expect("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_lengths(void **state)
{
    (void)state;
    char path[] = "/tmp/parity-test-sha256-XXXXXX", text[130], hex[SHA256_HEX];
    close(mkstemp(path));
    char *argv[] = {(char[]){"sha256sum"}, path, NULL};
    for (size_t len = 53; len < sizeof text; len += len == 66 ? 50 : 1) {
        struct sha256 s;
        memset(text, 'x', sizeof text);
        assert_int_equal(file_replace(path, text, len, NULL), 0);
        sha256_init(&s);
        assert_true(sha256_add_file(&s, path));
        sha256_hex(&s, hex);
        char *sum = process_capture(argv, 20000, NULL, NULL);
        assert_non_null(sum);
        assert_memory_equal(sum, hex, 64);
        free(sum);
    }
    unlink(path);
    struct sha256 s;
    sha256_init(&s);
    assert_false(sha256_add_file(&s, "/no/such/file"));
    assert_false(sha256_add_file(&s, "/tmp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_lengths),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
