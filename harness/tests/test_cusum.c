/* The cumulative sum by hand, and its run lengths with and without a shift. */
#include "stats/cusum.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tests/near.h"

static void test_by_hand(void **state)
{
    (void)state;
    struct cusum c;
    cusum_init(&c, 0.5, 2);
    assert_false(cusum_feed(&c, -3));
    assert_near(c.sum, 0, 0);
    assert_int_equal(c.since, 1);
    assert_false(cusum_feed(&c, 1.5));
    assert_near(c.sum, 1, 0);
    assert_false(cusum_feed(&c, NAN)); /* not measured: nothing changes */
    assert_near(c.sum, 1, 0);
    assert_true(cusum_feed(&c, 1.5));
    assert_near(c.sum, 2, 0);
    assert_int_equal(c.since, 1); /* the rise began with the second value */
    assert_int_equal(c.n, 4);
    assert_false(cusum_feed(&c, 0));
    assert_false(cusum_feed(&c, -9));
    assert_int_equal(c.since, 6);
}

static void test_first_alarm(void **state)
{
    (void)state;
    const double z[] = {0, 1.5, 1.5, 9, -9};
    assert_int_equal(cusum_first_alarm(z, 5, 0.5, 2), 2);
    assert_int_equal(cusum_first_alarm(z, 2, 0.5, 2), 2);
    assert_int_equal(cusum_first_alarm(z, 5, 0.5, 100), 5);
    assert_int_equal(cusum_first_alarm(z, 0, 0.5, 2), 0);
}

static double mean_run_length(double shift, double threshold, int runs)
{
    struct random r;
    random_seed(&r, 24);
    double total = 0;
    for (int i = 0; i < runs; i++) {
        struct cusum c;
        cusum_init(&c, CUSUM_SLACK, threshold);
        while (!cusum_feed(&c, shift + random_normal(&r))) {
        }
        total += (double)c.n;
    }
    return total / runs;
}

/* One-sided average run lengths: 930 and 10.4 at threshold 5, 336 and 8.4 at 4. */
static void test_run_lengths(void **state)
{
    (void)state;
    assert_near(mean_run_length(0, CUSUM_THRESHOLD, 1500), 930, 75);
    assert_near(mean_run_length(1, CUSUM_THRESHOLD, 4000), 10.4, 0.3);
    assert_near(mean_run_length(0, 4, 2000), 336, 24);
    assert_near(mean_run_length(1, 4, 4000), 8.4, 0.3);
}

/* Getting faster is no alarm. */
static void test_one_sided(void **state)
{
    (void)state;
    struct cusum c;
    cusum_init(&c, CUSUM_SLACK, CUSUM_THRESHOLD);
    for (int i = 0; i < 1000; i++)
        assert_false(cusum_feed(&c, -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_first_alarm),
        cmocka_unit_test(test_run_lengths),
        cmocka_unit_test(test_one_sided),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
