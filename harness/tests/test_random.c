/* The generator against its authors' reference output, and each distribution against what it is. */
#include "stats/random.h"

#include "stats/distribution.h"
#include "stats/sorted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/near.h"

/* Output of the reference implementation of xoshiro256** started from 1 2 3 4. */
static void test_reference_output(void **state)
{
    (void)state;
    struct random r = {{1, 2, 3, 4}};
    const uint64_t expected[] = {11520u,
                                 0u,
                                 1509978240u,
                                 1215971899390074240u,
                                 1216172134540287360u,
                                 607988272756665600u,
                                 16172922978634559625u,
                                 8476171486693032832u,
                                 10595114339597558777u,
                                 2904607092377533576u};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(random_next(&r), expected[i]);
}

/* The first outputs of the reference splitmix64 for seeds 0 and 1234567 are the state. */
static void test_seed_fills_state_by_splitmix(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 0);
    assert_int_equal(r.state[0], 0xe220a8397b1dcdafu);
    assert_int_equal(r.state[1], 0x6e789e6aa1b965f4u);
    assert_int_equal(r.state[2], 0x06c45d188009454fu);
    assert_int_equal(r.state[3], 0xf88bb8a8724c81ecu);
    random_seed(&r, 1234567);
    assert_int_equal(r.state[0], 6457827717110365317u);
    assert_int_equal(r.state[1], 3203168211198807973u);
    assert_int_equal(r.state[2], 9817491932198370423u);
}

static void test_below_is_uniform(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 1);
    size_t count[7] = {0};
    const size_t draws = 70000;
    for (size_t i = 0; i < draws; i++) {
        uint64_t x = random_below(&r, 7);
        assert_in_range(x, 0, 6);
        count[x]++;
    }
    double chi = 0;
    for (int i = 0; i < 7; i++)
        chi += ((double)count[i] - 1e4) * ((double)count[i] - 1e4) / 1e4;
    assert_between(chi, 0.3, 22.5); /* chi-square, 6 degrees of freedom: p .9995 and .001 */
    assert_int_equal(random_below(&r, 1), 0);
}

/* With n = 3 * 2^62 a plain remainder would give the lowest third twice as often as it should. */
static void test_below_is_unbiased_for_huge_n(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 2);
    const uint64_t third = 1ull << 62;
    double low = 0;
    for (int i = 0; i < 30000; i++)
        low += random_below(&r, 3 * third) < third;
    assert_near(low / 30000, 1.0 / 3, 0.01);
}

static void test_unit_and_coin(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 3);
    double sum = 0;
    double heads = 0;
    double repeats = 0;
    bool last = false;
    for (int i = 0; i < 40000; i++) {
        double u = random_unit(&r);
        assert_true(u >= 0 && u < 1);
        sum += u;
        bool coin = random_coin(&r);
        heads += coin;
        repeats += coin == last;
        last = coin;
    }
    assert_near(sum / 40000, 0.5, 0.006);
    assert_near(heads / 40000, 0.5, 0.01);
    assert_near(repeats / 40000, 0.5, 0.01);
}

static void test_shuffle_gives_every_order_alike(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 4);
    double count[27] = {0};
    for (int i = 0; i < 60000; i++) {
        size_t items[] = {0, 1, 2};
        random_shuffle(&r, items, 3);
        count[items[0] * 9 + items[1] * 3 + items[2]]++;
    }
    const size_t orders[] = {5, 7, 11, 15, 19, 21}; /* 012 021 102 120 201 210 in base 3 */
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        assert_near(count[orders[i]], 10000, 400);
        sum += count[orders[i]];
    }
    assert_near(sum, 60000, 0);
    random_shuffle(&r, NULL, 0);
}

/* Kolmogorov and Smirnov's distance of n values from a distribution function. */
static double distance(double *x, size_t n, double (*cdf)(double))
{
    sorted_sort(x, n);
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double p = cdf(x[i]);
        most = fmax(most,
                    fmax(fabs(p - (double)i / (double)n), fabs(p - (double)(i + 1) / (double)n)));
    }
    return most;
}

static double exponential_cdf(double x)
{
    return -expm1(-x / 25);
}

static void test_exponential_and_normal_have_their_distribution(void **state)
{
    (void)state;
    enum {
        N = 20000
    };
    double *x = calloc(N, sizeof *x);
    struct random r;
    random_seed(&r, 5);
    for (int i = 0; i < N; i++)
        x[i] = random_exponential(&r, 25);
    assert_between(distance(x, N, exponential_cdf), 0, 1.95 / sqrt(N)); /* p = .001 */
    for (int i = 0; i < N; i++)
        x[i] = random_normal(&r);
    assert_between(distance(x, N, distribution_normal_cdf), 0, 1.95 / sqrt(N));
    free(x);
}

static void test_a_seed_repeats_its_numbers(void **state)
{
    (void)state;
    struct random a, b, c;
    random_seed(&a, 42);
    random_seed(&b, 42);
    random_seed(&c, 43);
    size_t same = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = random_next(&a);
        assert_int_equal(x, random_next(&b));
        same += x == random_next(&c);
    }
    assert_int_equal(same, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_output),
        cmocka_unit_test(test_seed_fills_state_by_splitmix),
        cmocka_unit_test(test_below_is_uniform),
        cmocka_unit_test(test_below_is_unbiased_for_huge_n),
        cmocka_unit_test(test_unit_and_coin),
        cmocka_unit_test(test_shuffle_gives_every_order_alike),
        cmocka_unit_test(test_exponential_and_normal_have_their_distribution),
        cmocka_unit_test(test_a_seed_repeats_its_numbers),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
