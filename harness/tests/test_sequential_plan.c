/* The computed plan against the published-in-our-docs table of 48 blocks, and properties of any
 * plan. */
#include "stats/sequential_plan.h"

#include "stats/brownian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tests/near.h"

static struct sequential_plan make(size_t blocks, double alpha)
{
    struct sequential_plan plan;
    assert_int_equal(sequential_plan_init_blocks(&plan, blocks, alpha, 0.05), 0);
    return plan;
}

/* The design table (alpha 1 %, beta 5 %), as it was first computed, independently of this code. It
   prints z_pass of the third look as 1.158; on ever finer grids it is 1.15748. */
static const struct {
    size_t n;
    double z_fail, p_fail;
    size_t w_fail;
    double z_pass;
    long w_pass;
} table[] = {
    {12, 3.227, .000625, 77, -0.625, 31},  {21, 2.971, .001485, 198, 0.371, 126},
    {30, 2.781, .002710, 365, 1.157, 288}, {39, 2.626, .004314, 576, 1.831, 521},
    {48, 2.494, .006322, 830, 2.494, 829},
};

static void test_reproduces_the_table(void **state)
{
    (void)state;
    struct sequential_plan plan = make(48, 0.01);
    assert_int_equal(plan.look_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(plan.looks[i].n, table[i].n);
        assert_near(plan.looks[i].z_fail, table[i].z_fail, 0.00051);
        assert_near(plan.looks[i].p_fail, table[i].p_fail, 0.00000051);
        assert_near(plan.looks[i].z_pass, table[i].z_pass, 0.00051);
        assert_int_equal(plan.looks[i].w_fail, table[i].w_fail);
    }
    assert_near(plan.drift * plan.drift / 15.7704, 1.128, 0.00051); /* over (2.326 + 1.645)^2 */
}

/* The table's PASS numbers are mean + z sd, rounded down. Ours come from the exact distribution,
   whose steps are centred on the whole numbers (the continuity correction), and are one less where
   the half step matters: PASS is then a little rarer, which is the safe side. */
static void test_pass_numbers_are_the_tables_or_one_less(void **state)
{
    (void)state;
    struct sequential_plan plan = make(48, 0.01);
    for (int i = 0; i < 4; i++) {
        double n = (double)table[i].n;
        double mean = n * (n + 1) / 4;
        double sd = sqrt(n * (n + 1) * (2 * n + 1) / 24);
        assert_int_equal(table[i].w_pass, (long)floor(mean + plan.looks[i].z_pass * sd));
        assert_int_equal(plan.looks[i].w_pass, (long)floor(mean + plan.looks[i].z_pass * sd - 0.5));
    }
    assert_int_equal(plan.looks[4].w_pass, table[4].w_pass);
}

/* Three routes that may each fail: z 3.529 3.300 3.133 2.999 2.885, W+ none 206 380 601 866. */
static void test_reproduces_the_row_of_three_routes(void **state)
{
    (void)state;
    struct sequential_plan plan = make(48, 0.01 / 3);
    const double z[] = {3.529, 3.300, 3.133, 2.999, 2.885};
    const size_t w[] = {12 * 13 / 2 + 1, 206, 380, 601, 866};
    for (int i = 0; i < 5; i++) {
        assert_near(plan.looks[i].z_fail, z[i], 0.00051);
        assert_int_equal(plan.looks[i].w_fail, w[i]);
    }
}

/* With the motion's own drift, all misses add up to beta; without, all false alarms to alpha though
   the PASS boundary is ignored. */
static void check_spending(const struct sequential_plan *plan)
{
    struct brownian null, effect;
    double alarms = 0;
    double misses = 0;
    brownian_start(&null, 0);
    brownian_start(&effect, plan->drift);
    for (size_t i = 0; i < plan->look_count; i++) {
        const struct sequential_look *look = &plan->looks[i];
        double time = (double)look->n / (double)sequential_plan_blocks(plan);
        alarms += brownian_above(&null, time, look->z_fail);
        misses += brownian_below(&effect, time, look->z_pass);
        assert_near(alarms, plan->alpha * time * time, 1e-8);
        assert_near(misses, plan->beta * time * time, 1e-8);
        brownian_advance(&null, time, -INFINITY, look->z_fail);
        brownian_advance(&effect, time, look->z_pass, look->z_fail);
    }
}

/* Exactly what the whole numbers promise, and that they rise. */
static void check_thresholds(const struct sequential_plan *plan)
{
    for (size_t i = 0; i < plan->look_count; i++) {
        const struct sequential_look *look = &plan->looks[i];
        size_t sum = look->n * (look->n + 1) / 2;
        assert_true(signed_rank_p_greater(2 * look->w_fail, look->n) <= look->p_fail ||
                    look->w_fail == sum + 1);
        assert_in_range(look->w_fail, sum / 2, sum + 1);
        assert_true(look->w_pass >= -1 && look->w_pass < (long)look->w_fail);
        assert_true(look->z_pass <= look->z_fail);
    }
}

static void test_every_plan_spends_what_it_has(void **state)
{
    (void)state;
    const double alphas[] = {0.05, 0.01, 0.0025, 0.0001};
    const size_t blocks[] = {5, 8, 20, 48, 120};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 5; b++) {
            struct sequential_plan plan = make(blocks[b], alphas[a]);
            check_spending(&plan);
            check_thresholds(&plan);
        }
}

static void test_other_looks(void **state)
{
    (void)state;
    struct sequential_plan plan;
    const size_t one[] = {48};
    assert_int_equal(sequential_plan_init(&plan, one, 1, 0.01, 0.05), 0);
    assert_near(plan.looks[0].z_fail, 2.3263478740, 1e-7); /* the fixed test */
    assert_near(plan.drift, 2.3263478740 + 1.6448536270, 1e-6);
    const size_t many[] = {7, 10, 14, 17, 21, 24, 28, 31, 35, 38, 42, 45, 49, 52, 56, 60};
    assert_int_equal(sequential_plan_init(&plan, many, 16, 0.01, 0.05), 0);
    check_spending(&plan);
    check_thresholds(&plan);
}

static void test_alpha_bound(void **state)
{
    (void)state;
    struct sequential_plan plan = make(48, 0.01);
    /* The exact tails of W+ >= 77, 198, 365, 576 and 830. */
    assert_near(sequential_plan_alpha_bound(&plan), 0.0150486, 1e-6);
    plan = make(48, 0.0068);
    assert_between(sequential_plan_alpha_bound(&plan), 0.0098, 0.01);
    assert_between(sequential_plan_resolution(&plan, 1) / 0.638, 1.03, 1.04);
    plan = make(48, 0.00002); /* can't fail before the third look */
    assert_between(sequential_plan_alpha_bound(&plan), 0.00001, 0.00004);
}

static void test_resolution_and_horizon(void **state)
{
    (void)state;
    struct sequential_plan plan = make(48, 0.01);
    assert_near(sequential_plan_resolution(&plan, 1), 0.64, 0.005);
    assert_near(sequential_plan_resolution(&plan, 0.005), 0.0032, 0.00003);
    assert_near(sequential_plan_resolution(&plan, 0), 0, 0);
    assert_true(isnan(sequential_plan_resolution(&plan, NAN)));
    /* n = (4.42 sd / delta)^2 */
    assert_int_equal(sequential_plan_horizon(&plan, 0.047, 0.03), 48);
    assert_int_equal(sequential_plan_horizon(&plan, 0.02, 0.01), 79);
    assert_int_equal(sequential_plan_horizon(&plan, 0.001, 0.01), 48);
    assert_int_equal(sequential_plan_horizon(&plan, 0.05, 0.01), 120);
    assert_int_equal(sequential_plan_horizon(&plan, 0.05, 0), 120);
    assert_int_equal(sequential_plan_horizon(&plan, NAN, 0.01), 48);
    struct sequential_plan longer = make(sequential_plan_horizon(&plan, 0.02, 0.01), 0.01);
    assert_between(sequential_plan_resolution(&longer, 0.02), 0.0098, 0.0100001);
}

static void test_refuses_what_makes_no_plan(void **state)
{
    (void)state;
    struct sequential_plan plan;
    const size_t falling[] = {12, 12};
    const size_t zero[] = {0, 12};
    const size_t far[] = {12, 121};
    const size_t good[] = {12, 24};
    assert_int_equal(sequential_plan_init(&plan, falling, 2, 0.01, 0.05), -1);
    assert_int_equal(sequential_plan_init(&plan, zero, 2, 0.01, 0.05), -1);
    assert_int_equal(sequential_plan_init(&plan, far, 2, 0.01, 0.05), -1);
    assert_int_equal(sequential_plan_init(&plan, good, 0, 0.01, 0.05), -1);
    assert_int_equal(sequential_plan_init(&plan, good, 17, 0.01, 0.05), -1);
    assert_int_equal(sequential_plan_init(&plan, good, 2, 0, 0.05), -1);
    assert_int_equal(sequential_plan_init(&plan, good, 2, 0.01, NAN), -1);
    assert_int_equal(sequential_plan_init(&plan, good, 2, 0.5, 0.05), -1);
    assert_int_equal(sequential_plan_init(&plan, good, 2, 0.01, 0.05), 0);
    assert_int_equal(sequential_plan_init_blocks(&plan, 4, 0.01, 0.05), -1);
    assert_int_equal(sequential_plan_init_blocks(&plan, 121, 0.01, 0.05), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reproduces_the_table),
        cmocka_unit_test(test_pass_numbers_are_the_tables_or_one_less),
        cmocka_unit_test(test_reproduces_the_row_of_three_routes),
        cmocka_unit_test(test_every_plan_spends_what_it_has),
        cmocka_unit_test(test_other_looks),
        cmocka_unit_test(test_alpha_bound),
        cmocka_unit_test(test_resolution_and_horizon),
        cmocka_unit_test(test_refuses_what_makes_no_plan),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
