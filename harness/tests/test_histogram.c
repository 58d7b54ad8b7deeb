/* histogram: bounds of error, exact merging, percentiles against sorted raw samples, export and
 * import. */
#include "stats/histogram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Latencies as servers have them: most around 100 us, a tail that reaches seconds. */
static uint64_t latency(void)
{
    double u = (double)(next() >> 11) * 0x1p-53;
    return (uint64_t)(20e3 + 80e3 * -log(1 - u) + (next() % 1000 == 0 ? 1e9 * u : 0));
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every value lands in a bucket that holds it and is at most 1/1024 of it wide. */
static void assert_error_bound(uint64_t v)
{
    struct histogram *h = histogram_new();
    struct histogram_bin bin;
    histogram_record(h, v);
    assert_int_equal(histogram_export(h, &bin, 1), 1);
    assert_true(bin.value_ns <= v);
    assert_true((v - bin.value_ns) * 1024 <= v);
    histogram_record(h, HISTOGRAM_MAX_NS); /* so that max doesn't cap the answer */
    uint64_t p = histogram_percentile(h, 50);
    assert_true(p >= v);
    assert_true((p - v) * 1024 <= v);
    free(h);
}

static void test_error_bounds(void **unused)
{
    (void)unused;
    for (uint64_t v = 0; v < 5000; v += 7)
        assert_error_bound(v);
    for (unsigned bit = 1; bit < 42; bit++) {
        uint64_t power = UINT64_C(1) << bit;
        if (power > HISTOGRAM_MAX_NS)
            break;
        assert_error_bound(power - 1);
        assert_error_bound(power);
        assert_error_bound(power + 1);
        assert_error_bound(
            power + next() % power > HISTOGRAM_MAX_NS ? power : power + next() % (power / 2));
    }
    assert_error_bound(HISTOGRAM_MAX_NS);
}

static void test_empty(void **unused)
{
    (void)unused;
    struct histogram *h = histogram_new(), *other = histogram_new();
    assert_int_equal(histogram_percentile(h, 99), 0);
    assert_int_equal(histogram_export(h, NULL, 0), 0);
    assert_true(histogram_mean_ns(h) == 0);
    histogram_merge(other, h);
    assert_int_equal(other->total, 0);
    assert_int_equal(other->min_ns, UINT64_MAX);
    free(h);
    free(other);
}

static void test_beyond_range(void **unused)
{
    (void)unused;
    struct histogram *h = histogram_new();
    histogram_record(h, HISTOGRAM_MAX_NS + 1);
    histogram_record(h, UINT64_MAX);
    assert_int_equal(h->total, 2);
    assert_int_equal(h->beyond, 2);
    assert_int_equal(h->max_ns, HISTOGRAM_MAX_NS);
    assert_int_equal(histogram_percentile(h, 100), HISTOGRAM_MAX_NS);
    free(h);
}

static void test_sum_saturates(void **unused)
{
    (void)unused;
    struct histogram *h = histogram_new(), *other = histogram_new();
    h->sum_ns = other->sum_ns = (uint64_t)INT64_MAX - 5;
    h->total = other->total = 1;
    histogram_record(h, 10);
    assert_int_equal(h->sum_ns, INT64_MAX);
    histogram_merge(other, h);
    assert_int_equal(other->sum_ns, INT64_MAX);
    free(h);
    free(other);
}

static void test_percentiles_against_samples(void **unused)
{
    (void)unused;
    enum {
        N = 100000
    };
    static const double percents[] = {0, 1, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100};
    uint64_t *raw = calloc(N, sizeof *raw), sum = 0;
    struct histogram *h = histogram_new();
    for (int i = 0; i < N; i++) {
        raw[i] = latency();
        sum += raw[i];
        histogram_record(h, raw[i]);
    }
    qsort(raw, N, sizeof *raw, ascending);
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        double rank = ceil(percents[i] / 100 * N);
        uint64_t exact = raw[rank < 1 ? 0 : (size_t)rank - 1];
        uint64_t got = histogram_percentile(h, percents[i]);
        assert_true(got >= exact);
        assert_true((got - exact) * 1024 <= exact);
    }
    assert_int_equal(h->min_ns, raw[0]);
    assert_int_equal(h->max_ns, raw[N - 1]);
    assert_int_equal(h->sum_ns, sum);
    assert_true(histogram_mean_ns(h) == (double)sum / N);
    free(raw);
    free(h);
}

static void assert_same(const struct histogram *a, const struct histogram *b)
{
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->sum_ns, b->sum_ns);
    assert_int_equal(a->min_ns, b->min_ns);
    assert_int_equal(a->max_ns, b->max_ns);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->last, b->last);
    assert_memory_equal(a->counts, b->counts, sizeof a->counts);
}

static void test_merge_is_exact(void **unused)
{
    (void)unused;
    struct histogram *whole = histogram_new(), *part[3], *merged = histogram_new();
    for (int i = 0; i < 3; i++)
        part[i] = histogram_new();
    for (int i = 0; i < 30000; i++) {
        uint64_t v = latency();
        histogram_record(whole, v);
        histogram_record(part[next() % 3], v);
    }
    for (int i = 0; i < 3; i++) {
        histogram_merge(merged, part[i]);
        free(part[i]);
    }
    assert_same(whole, merged);
    free(whole);
    free(merged);
}

static void test_reset_forgets_everything(void **unused)
{
    (void)unused;
    struct histogram *h = histogram_new(), *fresh = histogram_new();
    for (int i = 0; i < 1000; i++)
        histogram_record(h, latency());
    histogram_reset(h);
    assert_same(h, fresh);
    free(h);
    free(fresh);
}

static void test_export_import_round_trip(void **unused)
{
    (void)unused;
    struct histogram *h = histogram_new(), *back = histogram_new();
    for (int i = 0; i < 10000; i++)
        histogram_record(h, latency());
    size_t n = histogram_export(h, NULL, 0);
    assert_true(n > 100);
    struct histogram_bin *bins = calloc(n, sizeof *bins);
    assert_int_equal(histogram_export(h, bins, n), n);
    assert_int_equal(histogram_import(back, bins, n, h), 0);
    assert_same(h, back);
    /* A second import merges. */
    assert_int_equal(histogram_import(back, bins, n, h), 0);
    assert_int_equal(back->total, 2 * h->total);
    free(bins);
    free(h);
    free(back);
}

static void test_import_refuses_contradictions(void **unused)
{
    (void)unused;
    struct histogram *like = histogram_new(), *h = histogram_new();
    histogram_record(like, 100);
    histogram_record(like, 5000);
    struct histogram_bin good[2];
    assert_int_equal(histogram_export(like, good, 2), 2);
    struct histogram_bin swapped[] = {good[1], good[0]};
    assert_int_equal(histogram_import(h, swapped, 2, like), -1);
    assert_int_equal(histogram_import(h, good, 1, like), -1);
    struct histogram_bin beyond[] = {good[0], {HISTOGRAM_MAX_NS + 1, 1}};
    assert_int_equal(histogram_import(h, beyond, 2, like), -1);
    struct histogram_bin more[] = {good[0], {good[1].value_ns, 2}};
    assert_int_equal(histogram_import(h, more, 2, like), -1);
    like->min_ns = 50;
    assert_int_equal(histogram_import(h, good, 2, like), -1);
    assert_int_equal(h->total, 0);
    free(like);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_bounds),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_beyond_range),
        cmocka_unit_test(test_sum_saturates),
        cmocka_unit_test(test_percentiles_against_samples),
        cmocka_unit_test(test_merge_is_exact),
        cmocka_unit_test(test_reset_forgets_everything),
        cmocka_unit_test(test_export_import_round_trip),
        cmocka_unit_test(test_import_refuses_contradictions),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
