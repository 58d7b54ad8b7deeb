/* Slices with a known slowdown in them give a block that says so; guards drop what must be. */
#include "judge/duel_block.h"

#include "base/alloc.h"
#include "tests/sample_duel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

static const size_t abba[] = {0, 1, 1, 0}, baab[] = {1, 0, 0, 1};

static struct duel_figures measure(const struct sample_load *load, const size_t *order,
                                   bool b_first)
{
    struct duel_slices slices;
    struct duel_figures f;
    struct random r;
    random_seed(&r, 11);
    sample_duel_slices(&slices, load, order, b_first, &r);
    struct duel_input in = {.slices = &slices,
                            .order = order,
                            .b_first = b_first,
                            .pids_n = {1, 1},
                            .server_cpus = 1,
                            .client_threads = 1};
    duel_block_figures(&f, &in);
    duel_slices_fini(&slices);
    return f;
}

static void test_planted_slowdowns_have_the_right_sign_and_size(void **state)
{
    (void)state;
    static const double losses[] = {-5, -1, -0.5, 0, 0.5, 1, 2, 5, 20};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        struct sample_load load = sample_quiet;
        load.slowdown = duel_slowdown_of_percent(losses[i]);
        load.noise = 0.005; /* of the mean of 50 palindromes: 0.0007 */
        for (int k = 0; k < 4; k++) {
            struct duel_figures f = measure(&load, k & 1 ? abba : baab, k & 2);
            assert_between(f.slowdown[METRIC_THROUGHPUT], load.slowdown - 0.004,
                           load.slowdown + 0.004);
            assert_between(f.slowdown[METRIC_CPU], load.slowdown - 0.004, load.slowdown + 0.004);
        }
    }
}

/* 30 % of drift within the block, half a percent of slowdown. */
static void test_drift_cancels(void **state)
{
    (void)state;
    struct sample_load load = sample_quiet;
    load.drift = 0.3;
    load.slowdown = 0.005;
    load.noise = 0;
    struct duel_figures f = measure(&load, abba, false);
    assert_between(f.slowdown[METRIC_THROUGHPUT], 0.0045, 0.0055);
    assert_between(f.slowdown[METRIC_CPU], 0.0045, 0.0055);
}

static void test_figures_for_people(void **state)
{
    (void)state;
    struct sample_load load = sample_quiet;
    load.slowdown = log(2);
    struct duel_figures f = measure(&load, baab, true);
    assert_between(f.side[DUEL_A].requests_per_s, 98000, 102000);
    assert_between(f.side[DUEL_B].requests_per_s, 49000, 51000);
    assert_between(f.side[DUEL_A].cpu_ns_per_request, 9700, 10100);
    assert_between(f.side[DUEL_B].cpu_ns_per_request, 19400, 20200);
    assert_between(f.side[DUEL_A].client_busy, 0.59, 0.61);
    assert_between(f.side[DUEL_A].server_busy, 0.93, 1.0);
    assert_true(f.side[DUEL_A].idle_share == 0);
    assert_int_equal(f.slices, 200);
}

static void test_a_process_that_is_gone_makes_the_cost_unknown(void **state)
{
    (void)state;
    struct duel_slices slices;
    struct duel_figures f;
    struct random r;
    random_seed(&r, 3);
    sample_duel_slices(&slices, &sample_quiet, abba, false, &r);
    for (size_t i = 0; i < slices.n; i++)
        slices.item[i].cpu_ns[slices.item[i].target == 1 ? 0 : 1] = NAN; /* B's */
    struct duel_input in = {&slices, abba, false, {1, 1}, 1, 1};
    duel_block_figures(&f, &in);
    assert_true(isnan(f.slowdown[METRIC_CPU]));
    assert_true(isnan(f.side[DUEL_B].cpu_ns_per_request));
    assert_between(f.slowdown[METRIC_THROUGHPUT], -0.01, 0.01);
    duel_slices_fini(&slices);
}

/* From where the order is broken on, nothing is paired with the wrong partner. */
static void test_slices_out_of_order_end_the_pairing(void **state)
{
    (void)state;
    struct duel_slices slices;
    struct duel_figures f;
    struct random r;
    random_seed(&r, 3);
    struct sample_load load = sample_quiet;
    load.slowdown = 0.05;
    sample_duel_slices(&slices, &load, abba, false, &r);
    for (size_t i = 100; i + 1 < slices.n; i++)
        slices.item[i] = slices.item[i + 1];
    struct duel_input in = {&slices, abba, false, {1, 1}, 1, 1};
    duel_block_figures(&f, &in);
    assert_between(f.slowdown[METRIC_THROUGHPUT], 0.045, 0.055);
    duel_slices_fini(&slices);
}

struct guard_case {
    const char *name, *says;
    double steal, idle, cpu;
    uint64_t errors_a, errors_b;
};

static void test_guards(void **state)
{
    (void)state;
    static const struct guard_case cases[] = {
        {"quiet", "", 0.1, 0.004, 0, 0, 0},
        {"steal", "steal 21 %", 0.21, 0, 0, 0, 0},
        {"steal at the limit", "", 0.20, 0, 0, 0, 0},
        {"idle use", "B used 0.6 %", 0, 0.006, 0, 0, 0},
        {"errors of both", "errors", 0, 0, 0, 3, 3},
        {"no cost", "too few answers", 0, 0, NAN, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct guard_case *c = &cases[i];
        struct duel d;
        struct duel_block b;
        sample_duel(&d, 48, 1, NAN);
        sample_block(&b, &d, 0.3, c->cpu); /* a large effect: guards must not care */
        b.steal_share = c->steal;
        b.route[0].side[DUEL_B].idle_share = c->idle;
        b.route[0].side[DUEL_A].errors = c->errors_a;
        b.route[0].side[DUEL_B].errors = c->errors_b;
        duel_block_guard(&b, &d);
        if (*c->says ? !strstr(b.dropped, c->says) : *b.dropped)
            fail_msg("%s: \"%s\"", c->name, b.dropped);
        duel_fini(&d);
    }
}

struct limit_case {
    const char *name;
    double server, client;
    bool bound;
};

static void test_what_limits_throughput(void **state)
{
    (void)state;
    static const struct limit_case cases[] = {
        {"servers saturated", 0.99, 0.70, false},  {"servers idle", 0.80, 0.70, true},
        {"generator saturated", 0.99, 0.97, true}, {"neither: one connection", 0.5, 0.4, true},
        {"clock not readable", NAN, 0.5, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct duel d;
        sample_duel(&d, 48, 1, NAN);
        d.blocks = xcalloc(2, sizeof *d.blocks);
        d.blocks_n = 2;
        sample_block(&d.blocks[0], &d, 0, 0);
        sample_block(&d.blocks[1], &d, 0, 0);
        d.blocks[1].dropped[0] = 'x'; /* its figures must not matter */
        d.blocks[0].route[0].side[DUEL_B].server_busy = cases[i].server;
        d.blocks[0].route[0].side[DUEL_B].client_busy = cases[i].client;
        d.blocks[1].route[0].side[DUEL_A].server_busy = 0.1;
        if (duel_is_client_bound(&d, 0) != cases[i].bound)
            fail_msg("%s", cases[i].name);
        duel_fini(&d);
    }
}

static void test_a_metric_that_is_not_tested_may_be_unknown(void **state)
{
    (void)state;
    struct duel d;
    struct duel_block b;
    sample_duel(&d, 48, 1, NAN);
    d.rules.metric[METRIC_CPU] = false;
    sample_block(&b, &d, 0.01, NAN);
    duel_block_guard(&b, &d);
    assert_string_equal(b.dropped, "");
    duel_fini(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted_slowdowns_have_the_right_sign_and_size),
        cmocka_unit_test(test_drift_cancels),
        cmocka_unit_test(test_figures_for_people),
        cmocka_unit_test(test_a_process_that_is_gone_makes_the_cost_unknown),
        cmocka_unit_test(test_slices_out_of_order_end_the_pairing),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_what_limits_throughput),
        cmocka_unit_test(test_a_metric_that_is_not_tested_may_be_unknown),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
