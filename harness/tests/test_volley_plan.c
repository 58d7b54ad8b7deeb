/* volley's pure parts: the order of slices, the plan of an open loop, fingerprints, tallies, the
 * verdict on lag. */
#include "base/err.h"
#include "volley/digest.h"
#include "volley/lag.h"
#include "volley/order.h"
#include "volley/pace.h"
#include "volley/tally.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_palindromes(void **unused)
{
    (void)unused;
    struct order o;
    unsigned first[3] = {0};
    assert_int_equal(order_init(&o, "palindrome", 3, 42, NULL), 0);
    for (int round = 0; round < 3000; round++) {
        size_t got[6], seen[3] = {0};
        assert_true(order_at_round_start(&o));
        for (int i = 0; i < 6; i++) {
            got[i] = order_next(&o);
            seen[got[i]]++;
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(got[i], got[5 - i]);
            assert_int_equal(seen[i], 2);
        }
        first[got[0]]++;
    }
    for (int i = 0; i < 3; i++) /* 1000 +- 6 sd */
        assert_in_range(first[i], 845, 1155);
}

static void test_random_order_and_seeds(void **unused)
{
    (void)unused;
    struct order a, b, c;
    unsigned differ = 0;
    assert_int_equal(order_init(&a, "random", 4, 1, NULL), 0);
    assert_int_equal(order_init(&b, "random", 4, 1, NULL), 0);
    assert_int_equal(order_init(&c, "random", 4, 2, NULL), 0);
    for (int round = 0; round < 50; round++) {
        unsigned seen = 0;
        for (int i = 0; i < 4; i++) {
            size_t t = order_next(&a);
            assert_int_equal(t, order_next(&b));
            differ += t != order_next(&c);
            seen |= 1u << t;
        }
        assert_int_equal(seen, 15);
    }
    assert_true(differ > 50);
}

static void test_given_order(void **unused)
{
    (void)unused;
    struct order o;
    struct err e = {0};
    static const size_t want[] = {0, 2, 1, 1, 0, 2, 1, 1};
    assert_int_equal(order_init(&o, "0,2,1,1", 3, 1, &e), 0);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(order_at_round_start(&o), i % 4 == 0);
        assert_int_equal(order_next(&o), want[i]);
    }
    static const char *const bad[] = {"",      "0,1", "0,1,2,3",  "0,1,2,",
                                      "0;1;2", "x",   "-1,0,1,2", "Random"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e = (struct err){0};
        assert_int_equal(order_init(&o, bad[i], 3, 1, &e), -1);
        assert_int_equal(e.code, EXIT_USAGE);
    }
}

static void test_constant_pace(void **unused)
{
    (void)unused;
    struct pace p;
    pace_init(&p, 3000, false, 1);
    pace_start(&p, 1000, 0.5);
    for (uint64_t i = 0; i < 300000; i++) { /* 100 s: no drift by rounding */
        double want = 1000 + ((double)i + 0.5) * 1e9 / 3000;
        assert_true(fabs((double)pace_next_ns(&p) - want) < 2000);
        pace_advance(&p);
    }
}

static void test_poisson_pace(void **unused)
{
    (void)unused;
    enum {
        N = 100000
    };
    struct pace p, q;
    double sum = 0, squares = 0;
    pace_init(&p, 1000, true, 9);
    pace_init(&q, 1000, true, 9);
    pace_start(&p, 0, 0);
    pace_start(&q, 0, 1);
    for (int i = 0; i < N; i++) {
        uint64_t at = pace_next_ns(&p);
        assert_int_equal(at, pace_next_ns(&q));
        pace_advance(&p);
        pace_advance(&q);
        double gap = ((double)pace_next_ns(&p) - (double)at) / 1e6;
        assert_true(gap >= 0);
        sum += gap;
        squares += gap * gap;
    }
    /* Exponential with mean 1 ms: sd 1 ms; 6 standard errors of N = 1e5. */
    assert_true(fabs(sum / N - 1) < 0.019);
    assert_true(fabs(squares / N - 2) < 0.09);
}

static uint64_t digest_of(const char *p, size_t n, size_t cut)
{
    struct digest d;
    digest_start(&d);
    for (size_t at = 0; at < n; at += cut)
        digest_add(&d, p + at, n - at < cut ? n - at : cut);
    return digest_value(&d);
}

static void test_digest_ignores_cuts_and_sees_changes(void **unused)
{
    (void)unused;
    char text[67];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 37);
    for (size_t n = 0; n < sizeof text; n++) {
        uint64_t whole = digest_of(text, n, sizeof text);
        for (size_t cut = 1; cut <= n; cut++)
            assert_int_equal(digest_of(text, n, cut), whole);
        assert_int_not_equal(digest_of(text, n + 1, sizeof text), whole);
        for (size_t i = 0; i < n; i++) {
            text[i] ^= 1;
            assert_int_not_equal(digest_of(text, n, sizeof text), whole);
            text[i] ^= 1;
        }
    }
    assert_int_not_equal(digest_of("\0", 1, 1), digest_of("", 0, 1));
}

static void test_tallies_join_and_add(void **unused)
{
    (void)unused;
    struct tally a, b, sum;
    tally_init(&a);
    tally_init(&b);
    tally_init(&sum);
    a.requests = 3, a.ok = 2, a.failed = 1, a.errors[ERROR_BODY] = 1;
    a.start_ns = 100, a.first_ns = 150, a.last_ns = 190, a.stop_ns = 180;
    b.requests = 1, b.ok = 1, b.start_ns = 90, b.first_ns = 170, b.last_ns = 200, b.stop_ns = 185;
    histogram_record(a.latency, 5);
    histogram_record(b.latency, 7);
    tally_join(&a, &b);
    assert_int_equal(a.requests, 4);
    assert_int_equal(a.start_ns, 90);
    assert_int_equal(a.first_ns, 150);
    assert_int_equal(a.last_ns, 200);
    assert_int_equal(a.stop_ns, 185);
    assert_int_equal(a.latency->total, 2);
    a.duration_ns = 110;
    tally_add(&sum, &a);
    tally_add(&sum, &a);
    assert_int_equal(sum.duration_ns, 220);
    assert_int_equal(sum.errors[ERROR_BODY], 2);
    assert_int_equal(sum.latency->total, 4);
    tally_reset(&sum);
    assert_int_equal(sum.requests + sum.duration_ns + sum.latency->total, 0);
    tally_fini(&a);
    tally_fini(&b);
    tally_fini(&sum);
}

/* A run of 1 s whose lag and latency are these. */
static bool lagged(uint64_t lag_ns, uint64_t latency_ns, uint64_t cpu_ns, uint64_t spin_ns)
{
    struct tally t;
    char reason[160];
    tally_init(&t);
    t.duration_ns = 1000000000;
    t.cpu_ns = cpu_ns;
    t.spin_ns = spin_ns;
    for (int i = 0; i < 100; i++) {
        histogram_record(t.lag, i < 98 ? 1000 : lag_ns);
        histogram_record(t.latency, latency_ns);
    }
    bool yes = lag_verdict(&t, 1, reason, sizeof reason);
    assert_int_equal(yes, *reason != '\0');
    tally_fini(&t);
    return yes;
}

static void test_lag_verdict(void **unused)
{
    (void)unused;
    assert_false(lagged(40000, 60000, 0, 0));              /* below 50 us: a wake-up */
    assert_true(lagged(60000, 500000, 0, 0));              /* 12 % of the median */
    assert_false(lagged(60000, 700000, 0, 0));             /* 9 % */
    assert_true(lagged(0, 700000, 950000000, 0));          /* busy */
    assert_false(lagged(0, 700000, 950000000, 500000000)); /* but half of that was waiting */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_palindromes),
        cmocka_unit_test(test_random_order_and_seeds),
        cmocka_unit_test(test_given_order),
        cmocka_unit_test(test_constant_pace),
        cmocka_unit_test(test_poisson_pace),
        cmocka_unit_test(test_digest_ignores_cuts_and_sees_changes),
        cmocka_unit_test(test_tallies_join_and_add),
        cmocka_unit_test(test_lag_verdict),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
