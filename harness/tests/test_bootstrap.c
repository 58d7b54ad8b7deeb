/* The cluster bootstrap: repeatable, of the right width, and right where a bootstrap over requests
   would be far too sure. */
#include "stats/bootstrap.h"

#include "stats/random.h"
#include "stats/robust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

static double mean_of_blocks(const size_t *blocks, size_t n, void *arg)
{
    const double *x = arg;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[blocks[i]];
    return sum / (double)n;
}

static void fill_normal(double *x, size_t n, struct random *r)
{
    for (size_t i = 0; i < n; i++)
        x[i] = random_normal(r);
}

static void test_same_seed_same_answer(void **state)
{
    (void)state;
    double x[20];
    struct random r;
    random_seed(&r, 19);
    fill_normal(x, 20, &r);
    struct bootstrap b = {mean_of_blocks, x, 500, 0.05};
    struct random again = r;
    struct interval first = bootstrap_interval(&b, 20, &r);
    struct interval second = bootstrap_interval(&b, 20, &again);
    assert_memory_equal(&first, &second, sizeof first);
    assert_memory_equal(&r, &again, sizeof r);
    assert_near(first.estimate, robust_mean(x, 20), 1e-15);
    assert_near(first.confidence, 0.95, 1e-15);
    assert_int_equal(first.n, 20);
    struct interval third = bootstrap_interval(&b, 20, &r);
    assert_true(third.low != first.low);
}

static double count_blocks(const size_t *blocks, size_t n, void *arg)
{
    double *count = arg;
    for (size_t i = 0; i < n; i++)
        count[blocks[i]]++;
    return 0;
}

static void test_draws_every_block_alike(void **state)
{
    (void)state;
    double count[8] = {0};
    struct random r;
    random_seed(&r, 30);
    struct bootstrap b = {count_blocks, count, 2000, 0.05};
    bootstrap_interval(&b, 8, &r);
    for (int i = 0; i < 8; i++)
        assert_near(count[i], 2001, 150); /* sd 42 */
}

/* The mean's bootstrap distribution is known: sd of the sample with divisor n, over sqrt(n). */
static void test_width_is_that_of_the_mean(void **state)
{
    (void)state;
    double x[200];
    struct random r;
    random_seed(&r, 20);
    fill_normal(x, 200, &r);
    struct bootstrap b = {mean_of_blocks, x, 4000, 0.05};
    struct interval i = bootstrap_interval(&b, 200, &r);
    double error = robust_sd(x, 200) * sqrt(199.0 / 200) / sqrt(200);
    assert_near((i.high - i.low) / (2 * 1.96 * error), 1, 0.05);
}

static void test_ratio_covers_the_truth(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 21);
    double covered = 0;
    for (int run = 0; run < 300; run++) {
        double a[30], b[30];
        for (int i = 0; i < 30; i++) {
            double weather = 1 + 0.5 * random_unit(&r); /* hits both servers of a block */
            a[i] = 103 * weather + random_normal(&r);
            b[i] = 100 * weather + random_normal(&r);
        }
        struct interval i = bootstrap_ratio(a, b, 30, 0.05, &r);
        covered += i.low <= 1.03 && 1.03 <= i.high;
        assert_true(i.high - i.low < 0.02); /* the weather cancels */
    }
    assert_between(covered / 300, 0.88, 0.985); /* percentile intervals of 30 blocks: about .94 */
}

/* 100 values a block that share the block's level. Resampling values would give an interval a tenth
   as wide; resampling blocks covers. */
enum {
    INSIDE = 100
};

static double p90_of_blocks(const size_t *blocks, size_t n, void *arg)
{
    const double *x = arg;
    double *merged = calloc(n * INSIDE, sizeof *merged);
    for (size_t i = 0; i < n; i++)
        memcpy(merged + i * INSIDE, x + blocks[i] * INSIDE, INSIDE * sizeof *x);
    double p90 = robust_quantile(merged, n * INSIDE, 0.9);
    free(merged);
    return p90;
}

static void test_correlated_inside_a_block(void **state)
{
    (void)state;
    enum {
        BLOCKS = 24
    };
    static double x[BLOCKS * INSIDE];
    const double truth = 1.28155 * sqrt(1 + 0.01);
    struct random r;
    random_seed(&r, 22);
    double covered = 0;
    double width = 0;
    for (int run = 0; run < 60; run++) {
        for (int b = 0; b < BLOCKS; b++) {
            double level = random_normal(&r);
            for (int i = 0; i < INSIDE; i++)
                x[b * INSIDE + i] = level + 0.1 * random_normal(&r);
        }
        struct bootstrap bootstrap = {p90_of_blocks, x, 60, 0.10};
        struct interval i = bootstrap_interval(&bootstrap, BLOCKS, &r);
        covered += i.low <= truth && truth <= i.high;
        width += (i.high - i.low) / 60;
    }
    assert_between(covered / 60, 0.7, 1);
    assert_true(width > 0.5); /* 2400 independent values would give 0.1 */
}

static double nan_if_block0(const size_t *blocks, size_t n, void *arg)
{
    size_t limit = *(size_t *)arg;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += blocks[i] == 0;
    return count > limit ? NAN : (double)count;
}

static void test_when_there_is_no_interval(void **state)
{
    (void)state;
    double x[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct random r;
    random_seed(&r, 23);
    struct bootstrap few = {mean_of_blocks, x, 0, 0.05};
    struct interval i = bootstrap_interval(&few, 7, &r);
    assert_near(i.estimate, 4, 1e-15);
    assert_true(isnan(i.low) && isnan(i.high) && i.confidence == 0);
    assert_true(isnan(bootstrap_interval(&few, 0, &r).estimate));
    size_t limit = 1; /* 1 in 4 resamples has block 0 more than once */
    struct bootstrap holes = {nan_if_block0, &limit, 400, 0.05};
    i = bootstrap_interval(&holes, 10, &r);
    assert_near(i.estimate, 1, 0);
    assert_true(isnan(i.low));
    limit = 4; /* 1 in 600 has it more than four times */
    assert_false(isnan(bootstrap_interval(&holes, 10, &r).low));
    const double zero[10] = {0};
    assert_true(isnan(bootstrap_ratio(x, zero, 10, 0.05, &r).estimate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_seed_same_answer),
        cmocka_unit_test(test_draws_every_block_alike),
        cmocka_unit_test(test_width_is_that_of_the_mean),
        cmocka_unit_test(test_ratio_covers_the_truth),
        cmocka_unit_test(test_correlated_inside_a_block),
        cmocka_unit_test(test_when_there_is_no_interval),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
