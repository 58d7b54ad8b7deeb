/* Blocks in, verdict out: what FAIL, PASS and INCONCLUSIVE take. */
#include "judge/duel.h"

#include "judge/duel_plan.h"
#include "tests/sample_duel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

struct ring { /* a duel and its judge */
    struct duel d;
    struct duel_judge j;
    struct random r;
};

static void begin(struct ring *ring)
{
    assert_int_equal(duel_judge_start(&ring->j, &ring->d), 0);
}

static void open_ring(struct ring *ring, size_t blocks, double margin, double detect)
{
    *ring = (struct ring){0};
    sample_duel(&ring->d, blocks, margin, detect);
    random_seed(&ring->r, 42);
}

static void close_ring(struct ring *ring)
{
    duel_judge_fini(&ring->j);
    duel_judge_fini(&ring->j);
    duel_fini(&ring->d);
    duel_fini(&ring->d);
}

/* Feeds blocks around these slowdowns until the verdict, at most so many. */
static enum duel_verdict feed(struct ring *ring, size_t most, double throughput, double cpu,
                              double sd)
{
    struct duel_block b;
    for (size_t i = 0; i < most && ring->d.verdict == DUEL_RUNNING; i++) {
        sample_block(&b, &ring->d, throughput + sd * random_normal(&ring->r),
                     cpu + sd * random_normal(&ring->r));
        duel_judge_feed(&ring->j, &b);
    }
    return ring->d.verdict;
}

static void test_equal_servers_pass(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 48, 1, NAN);
    begin(&g);
    assert_int_equal(feed(&g, 48, 0, 0, 0.005), DUEL_PASS);
    assert_int_equal(g.d.cause, DUEL_CAUSE_MEASURED);
    assert_true(g.d.counted < 48); /* and early */
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(g.d.series[i].decision, DECISION_PASS);
        assert_true(isfinite(g.d.series[i].interval.high));
        assert_true(g.d.series[i].interval.high < 0.01);
    }
    close_ring(&g);
}

static void test_a_slowdown_in_either_metric_fails(void **state)
{
    (void)state;
    for (int m = 0; m < METRIC_COUNT; m++) {
        struct ring g;
        open_ring(&g, 48, 0, NAN);
        begin(&g);
        double loss = duel_slowdown_of_percent(1);
        assert_int_equal(
            feed(&g, 48, m == METRIC_THROUGHPUT ? loss : 0, m == METRIC_CPU ? loss : 0, 0.005),
            DUEL_FAIL);
        assert_int_equal(g.d.series[m].decision, DECISION_FAIL);
        assert_between(duel_percent_of_slowdown(g.d.series[m].estimate), 0.6, 1.4);
        assert_true(g.d.series[m].interval.low > 0);
        close_ring(&g);
    }
}

static void test_margin_is_allowed_and_faster_is_no_failure(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 48, 3, NAN);
    begin(&g);
    assert_int_equal(feed(&g, 48, 0.02, 0.02, 0.003), DUEL_PASS);
    close_ring(&g);
    open_ring(&g, 48, 0, NAN);
    begin(&g);
    assert_int_equal(feed(&g, 48, -0.2, -0.2, 0.003), DUEL_PASS);
    close_ring(&g);
}

static void test_alpha_is_split_over_metrics_and_routes(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 48, 1, NAN);
    g.d.routes_n = 3;
    begin(&g);
    assert_int_equal(g.d.series_n, 6);
    assert_true(g.d.rules.alpha_bound <= 0.01);
    assert_true(g.d.rules.alpha_each <= 0.01 / 6);
    close_ring(&g);
    open_ring(&g, 48, 1, NAN);
    g.d.routes_n = 3;
    g.d.rules.composite = true;
    begin(&g);
    assert_int_equal(g.d.series_n, 2);
    assert_int_equal(g.d.series[0].route, -1);
    assert_true(g.d.rules.alpha_each > 0.01 / 4);
    close_ring(&g);
}

/* 200 duels of equal servers: a FAIL in 1 % of them at most, give or take chance (P < 0.005). */
static void test_false_alarms(void **state)
{
    (void)state;
    size_t fails = 0, passes = 0;
    for (size_t i = 0; i < 200; i++) {
        struct ring g;
        open_ring(&g, 16, 0, NAN);
        random_seed(&g.r, i);
        begin(&g);
        enum duel_verdict v = feed(&g, 16, 0, 0, 0.005);
        fails += v == DUEL_FAIL;
        passes += v == DUEL_PASS;
        close_ring(&g);
    }
    assert_true(fails <= 6);
    assert_true(passes >= 150); /* and it does say something */
}

static void test_a_noisy_machine_is_inconclusive(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 30, 1, NAN);
    begin(&g);
    assert_int_equal(feed(&g, 60, 0, 0, 0.2), DUEL_INCONCLUSIVE);
    assert_int_equal(g.d.cause, DUEL_CAUSE_NOISE);
    assert_int_equal(g.d.counted, 30);
    assert_near(duel_percent_of_slowdown(g.d.series[0].detect), 5, 1e-9);
    close_ring(&g);
}

/* Too noisy to see 4 %, and yet it is plain that B is not slower. */
static void test_a_much_faster_b_passes_however_noisy(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 24, 1, NAN);
    begin(&g);
    assert_int_equal(feed(&g, 24, -0.6, -0.5, 0.12), DUEL_PASS);
    for (size_t i = 0; i < 2; i++) {
        assert_true(g.d.series[i].resolution > 0.04);
        assert_true(g.d.series[i].interval.high < 0.01);
    }
    close_ring(&g);
}

static void feed_bound(struct ring *g, size_t most, double throughput, double cpu)
{
    for (size_t i = 0; i < most && g->d.verdict == DUEL_RUNNING; i++) {
        struct duel_block b;
        sample_block(&b, &g->d, throughput + 0.003 * random_normal(&g->r),
                     cpu + 0.003 * random_normal(&g->r));
        for (int who = 0; who < DUEL_SIDES; who++)
            b.route[0].side[who].server_busy = 0.7;
        duel_judge_feed(&g->j, &b);
    }
}

/* Throughput looks equal because the generator is the limit: CPU per request decides alone. */
static void test_client_bound_leans_on_cpu(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 24, 1, NAN);
    begin(&g);
    feed_bound(&g, 48, 0, 0.05);
    assert_int_equal(g.d.verdict, DUEL_FAIL);
    assert_true(g.d.client_bound[0] && g.d.series[METRIC_THROUGHPUT].refused);
    close_ring(&g);
    open_ring(&g, 24, 1, NAN);
    begin(&g);
    feed_bound(&g, 48, 0, 0);
    assert_int_equal(g.d.verdict, DUEL_PASS);
    assert_true(g.d.series[METRIC_THROUGHPUT].refused && !g.d.series[METRIC_CPU].refused);
    close_ring(&g);
}

static void test_client_bound_throughput_alone_never_passes(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 24, 1, NAN);
    g.d.rules.metric[METRIC_CPU] = false;
    begin(&g);
    feed_bound(&g, 48, 0, 0);
    assert_int_equal(g.d.verdict, DUEL_INCONCLUSIVE);
    assert_int_equal(g.d.cause, DUEL_CAUSE_CLIENT_BOUND);
    close_ring(&g);
    open_ring(&g, 24, 1, NAN);
    g.d.rules.metric[METRIC_CPU] = false;
    begin(&g);
    feed_bound(&g, 48, 0.05, 0); /* compressed and yet above the margin */
    assert_int_equal(g.d.verdict, DUEL_FAIL);
    close_ring(&g);
}

struct error_case {
    const char *name;
    uint64_t a, b;
    bool wrong;
    size_t blocks; /* with it, one after the other */
    enum duel_verdict verdict;
    enum duel_cause cause;
};

static void test_errors_of_one_side(void **state)
{
    (void)state;
    static const struct error_case cases[] = {
        {"B wrong", 0, 5, true, 1, DUEL_FAIL, DUEL_CAUSE_B_FAULT},
        {"A wrong", 5, 0, true, 1, DUEL_INCONCLUSIVE, DUEL_CAUSE_A_FAULT},
        {"B lost once", 0, 1, false, 1, DUEL_RUNNING, DUEL_CAUSE_NONE},
        {"B lost twice", 0, 1, false, 2, DUEL_FAIL, DUEL_CAUSE_B_FAULT},
        {"A lost twice", 1, 0, false, 2, DUEL_INCONCLUSIVE, DUEL_CAUSE_A_FAULT},
        {"both", 3, 3, true, 3, DUEL_RUNNING, DUEL_CAUSE_NONE},
        {"both, too often", 3, 3, false, 20, DUEL_INCONCLUSIVE, DUEL_CAUSE_DROPPED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct error_case *c = &cases[i];
        struct ring g;
        struct duel_block b;
        open_ring(&g, 48, 1, NAN);
        begin(&g);
        feed(&g, 3, 0, 0, 0.005);
        for (size_t k = 0; k < c->blocks && g.d.verdict == DUEL_RUNNING; k++) {
            sample_block(&b, &g.d, 0, 0);
            b.route[0].side[DUEL_A].errors = c->a;
            b.route[0].side[DUEL_B].errors = c->b;
            b.route[0].side[DUEL_A].wrong = c->wrong && c->a;
            b.route[0].side[DUEL_B].wrong = c->wrong && c->b;
            strcpy(b.route[0].side[DUEL_B].what, "status 5");
            duel_judge_feed(&g.j, &b);
        }
        if (g.d.verdict != c->verdict || g.d.cause != c->cause)
            fail_msg("%s: %s, %s", c->name, duel_verdict_name(g.d.verdict),
                     duel_cause_name(g.d.cause));
        if (c->verdict == DUEL_FAIL)
            assert_non_null(strstr(g.d.reason, "errors on health in block"));
        assert_int_equal(g.d.counted, 3);
        close_ring(&g);
    }
}

static void test_a_server_that_dies(void **state)
{
    (void)state;
    for (int who = 0; who < DUEL_SIDES; who++) {
        struct ring g;
        struct duel_block b;
        open_ring(&g, 48, 1, NAN);
        begin(&g);
        sample_block(&b, &g.d, 0, 0);
        b.fault = who == DUEL_A ? DUEL_FAULT_A : DUEL_FAULT_B;
        strcpy(b.note, "it died: killed by SIGSEGV");
        assert_int_equal(duel_judge_feed(&g.j, &b), who == DUEL_B ? DUEL_FAIL : DUEL_INCONCLUSIVE);
        assert_int_equal(g.d.cause, who == DUEL_B ? DUEL_CAUSE_B_FAULT : DUEL_CAUSE_A_FAULT);
        assert_string_equal(g.d.reason, "it died: killed by SIGSEGV");
        close_ring(&g);
    }
}

/* A quarter of the blocks may be dropped; they don't count and are replaced. */
static void test_dropped_blocks(void **state)
{
    (void)state;
    for (size_t every = 3; every <= 5; every++) {
        struct ring g;
        open_ring(&g, 24, 0, 2);
        begin(&g);
        for (size_t i = 0; g.d.verdict == DUEL_RUNNING; i++) {
            struct duel_block b;
            sample_block(&b, &g.d, 0.02 + 0.001 * random_normal(&g.r), 0.02);
            b.steal_share = i % every == 0 ? 0.5 : 0;
            duel_judge_feed(&g.j, &b);
        }
        assert_int_equal(g.d.verdict, every > 4 ? DUEL_FAIL : DUEL_INCONCLUSIVE);
        assert_int_equal(g.d.cause, every > 4 ? DUEL_CAUSE_MEASURED : DUEL_CAUSE_DROPPED);
        close_ring(&g);
    }
}

static void test_anytime(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 0, 0, 2);
    g.d.rules.anytime = true;
    begin(&g);
    assert_int_equal(feed(&g, 500, 0, 0, 0.005), DUEL_PASS);
    close_ring(&g);
    open_ring(&g, 0, 0, NAN);
    g.d.rules.anytime = true;
    begin(&g);
    assert_int_equal(feed(&g, 500, 0.01, 0.01, 0.005), DUEL_FAIL);
    for (size_t i = 0; i + 1 < g.d.series[0].course_n; i++)
        assert_int_equal(g.d.series[0].course[i].n, i + 1);
    close_ring(&g);
}

static void test_composite_is_the_mean_over_routes(void **state)
{
    (void)state;
    struct ring g;
    struct duel_block b;
    open_ring(&g, 48, 0, NAN);
    g.d.routes_n = 2;
    g.d.routes[1] = ROUTE_JSON;
    g.d.rules.composite = true;
    begin(&g);
    for (size_t i = 0; i < 5; i++) {
        sample_block(&b, &g.d, 0, 0);
        b.route[0].slowdown[METRIC_CPU] = 0.01;
        b.route[1].slowdown[METRIC_CPU] = 0.03;
        duel_judge_feed(&g.j, &b);
    }
    assert_near(g.d.series[1].estimate, 0.02, 1e-12);
    close_ring(&g);
}

static void test_replanning_by_the_noise_keeps_the_blocks(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 48, 0, 1);
    begin(&g);
    feed(&g, DUEL_PILOT_BLOCKS, 0, 0, 0.02);
    double alpha_bound = g.d.rules.alpha_bound;
    size_t blocks = duel_judge_replan(&g.j);
    assert_true(blocks > 48 && blocks <= 120);
    assert_int_equal(g.d.rules.blocks, blocks);
    assert_int_equal(g.j.test[0].looks.n, DUEL_PILOT_BLOCKS);
    assert_true(g.d.rules.alpha_bound <= 0.01 && alpha_bound <= 0.01);
    assert_int_not_equal(feed(&g, 200, 0, 0, 0.02), DUEL_RUNNING);
    assert_true(g.d.counted <= blocks);
    close_ring(&g);
    open_ring(&g, 48, 0, 5);
    begin(&g);
    feed(&g, DUEL_PILOT_BLOCKS, 0, 0, 0.005);
    assert_int_equal(duel_judge_replan(&g.j), 48); /* quiet: nothing to do */
    close_ring(&g);
}

static void test_an_end_from_outside(void **state)
{
    (void)state;
    struct ring g;
    open_ring(&g, 48, 1, NAN);
    begin(&g);
    feed(&g, 4, 0, 0, 0.005);
    duel_judge_end(&g.j, DUEL_CAUSE_INTERRUPTED, "by a test");
    assert_int_equal(g.d.verdict, DUEL_INCONCLUSIVE);
    assert_int_equal(g.d.cause, DUEL_CAUSE_INTERRUPTED);
    duel_judge_end(&g.j, DUEL_CAUSE_TIME, "too late");
    assert_int_equal(g.d.cause, DUEL_CAUSE_INTERRUPTED);
    close_ring(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_servers_pass),
        cmocka_unit_test(test_a_slowdown_in_either_metric_fails),
        cmocka_unit_test(test_margin_is_allowed_and_faster_is_no_failure),
        cmocka_unit_test(test_alpha_is_split_over_metrics_and_routes),
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_a_noisy_machine_is_inconclusive),
        cmocka_unit_test(test_a_much_faster_b_passes_however_noisy),
        cmocka_unit_test(test_client_bound_leans_on_cpu),
        cmocka_unit_test(test_client_bound_throughput_alone_never_passes),
        cmocka_unit_test(test_errors_of_one_side),
        cmocka_unit_test(test_a_server_that_dies),
        cmocka_unit_test(test_dropped_blocks),
        cmocka_unit_test(test_anytime),
        cmocka_unit_test(test_composite_is_the_mean_over_routes),
        cmocka_unit_test(test_replanning_by_the_noise_keeps_the_blocks),
        cmocka_unit_test(test_an_end_from_outside),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
