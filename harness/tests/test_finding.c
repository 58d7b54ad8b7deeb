/* Tests of present/finding: what may be said of a ratio, and in which words. */
#include "present/finding.h"
#include "tests/sample_result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ratio make(double estimate, double low, double high)
{
    return (struct ratio){.server = 1,
                          .metric = METRIC_THROUGHPUT,
                          .value = {estimate, low, high, isnan(low) ? 0 : 0.95, 8}};
}

static void test_kinds(void **state)
{
    struct ratio higher = make(1.05, 1.02, 1.08), lower = make(0.9, 0.85, 0.99),
                 equal = make(1.01, 0.97, 1.04), open = make(1.01, 0.94, 1.04),
                 few = make(1.1, NAN, NAN), none = make(NAN, NAN, NAN), zero = make(0, 0, 0);
    (void)state;
    assert_int_equal(finding_of(&higher), FINDING_HIGHER);
    assert_int_equal(finding_of(&lower), FINDING_LOWER);
    assert_int_equal(finding_of(&equal), FINDING_EQUAL);
    assert_int_equal(finding_of(&open), FINDING_OPEN);
    assert_int_equal(finding_of(&few), FINDING_FEW);
    assert_int_equal(finding_of(&none), FINDING_NONE);
    assert_int_equal(finding_of(&zero), FINDING_NONE);
    assert_int_equal(finding_of(NULL), FINDING_NONE);
}

/* Half width 0.05129 in logs, z 1.960 for the interval and 1.645 for the power. */
static void test_detectable(void **state)
{
    struct ratio r = make(1, 0.95, 1 / 0.95), few = make(1, NAN, NAN);
    (void)state;
    assert_float_equal(finding_detectable(&r.value), expm1(0.0512933 * 3.604818 / 1.959964), 1e-5);
    assert_true(isnan(finding_detectable(&few.value)));
}

static void assert_words(struct ratio ratio, const char *expected)
{
    struct result r;
    char *text = NULL;
    size_t size;
    sample_result_make(&r, 1);
    FILE *to = open_memstream(&text, &size);
    finding_write(to, &r, &ratio);
    fclose(to);
    assert_string_equal(text, expected);
    free(text);
    result_fini(&r);
}

static void test_words(void **state)
{
    struct ratio none = make(NAN, NAN, NAN), cpu = make(0.76, 0.755, 0.764);
    (void)state;
    assert_words(make(1.097, 1.052, 1.1125), "9.7 % more requests/s (5 to 11 %)");
    assert_words(make(0.959, 0.94, 0.978), "4.1 % fewer requests/s (2.2 to 6.0 %)");
    assert_words(make(0.021, 0.019, 0.0225), "0.021 times the requests/s (0.019 to 0.022)");
    assert_words(make(3.2, 3.1, 3.4), "3.20 times the requests/s (3.10 to 3.40)");
    assert_words(make(1.01, 0.97, 1.04), "requests/s equal within 5 % (ratio 0.97 to 1.04)");
    assert_words(make(1.01, 0.95, 1.08),
                 "no difference seen in requests/s (ratio 0.95 to 1.08; would have seen 13 %)");
    cpu.metric = METRIC_CPU;
    assert_words(cpu, "24 % less CPU per request (23.6 to 24.5 %)");
    strcpy(none.note, "nginx: client_bound");
    assert_words(none, "no ratio of requests/s (nginx: client_bound)");
}

/* Without an interval the words claim no order, whatever the ratio is. */
static void test_few_blocks(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 3);
    for (size_t i = 0; i < r.ratios_n; i++) {
        if (finding_of(&r.ratios[i]) != FINDING_FEW)
            continue;
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        finding_write(to, &r, &r.ratios[i]);
        fclose(to);
        assert_non_null(strstr(text, "too few blocks for an interval: n=3"));
        assert_non_null(strstr(text, "(blocks "));
        assert_null(strstr(text, "more"));
        assert_null(strstr(text, "less"));
        assert_null(strstr(text, "fewer"));
        free(text);
    }
    assert_int_equal(finding_confidence(&r), 0);
    result_fini(&r);
}

static void test_counts(void **state)
{
    struct result r;
    struct finding_count c;
    (void)state;
    sample_result_make(&r, 8);
    finding_count(&c, &r, 1, METRIC_THROUGHPUT);
    assert_int_equal(c.n, 24);
    assert_int_equal(c.of[FINDING_NONE], 6); /* client_bound 1, died 1, skipped 4 */
    assert_int_equal(c.of[FINDING_HIGHER], 18);
    assert_true(c.low < c.lowest && c.lowest <= c.highest && c.highest < c.high);
    finding_count(&c, &r, 1, METRIC_CPU);
    assert_int_equal(c.of[FINDING_NONE], 5); /* the client_bound one is comparable here */
    assert_true(finding_confidence(&r) >= 95 && finding_confidence(&r) < 100);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),  cmocka_unit_test(test_detectable),
        cmocka_unit_test(test_words),  cmocka_unit_test(test_few_blocks),
        cmocka_unit_test(test_counts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
