/* Duels as checks of the gate: what fails must fail twice, what is unsure is not green. */
#include "judge/gate.h"

#include "base/alloc.h"
#include "judge/duel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/gate_checks.h"
#include "tests/near.h"
#include "tests/sample_duel.h"

enum {
    BLOCKS = 24
};

/* A duel over these routes whose blocks show slowdowns (log) of this mean and spread, of the route
   `slow` only (-1: of all). */
static void fight(struct duel *d, size_t routes_n, bool composite, int slow, double mean, double sd,
                  uint64_t seed)
{
    struct random r;
    struct duel_judge judge;
    random_seed(&r, seed);
    sample_duel(d, BLOCKS, 1, NAN);
    d->routes_n = routes_n;
    for (size_t i = 0; i < routes_n; i++)
        d->routes[i] = (enum route_id)i;
    d->rules.composite = composite;
    assert_int_equal(duel_judge_start(&judge, d), 0);
    while (d->verdict == DUEL_RUNNING) {
        struct duel_block b;
        sample_block(&b, d, 0, 0);
        for (size_t i = 0; i < routes_n; i++)
            for (int m = 0; m < METRIC_COUNT; m++)
                b.route[i].slowdown[m] =
                    (slow < 0 || slow == (int)i ? mean : 0) + sd * random_normal(&r);
        duel_judge_feed(&judge, &b);
    }
    duel_judge_fini(&judge);
}

/* The gate of one duel, or of one and its confirmation. Ends both. */
static void judge(struct gate *g, struct duel *d, struct duel *again)
{
    *g = (struct gate){.asked = {[GATE_DUEL] = true}};
    gate_judge_duel(g, d, again, "");
    gate_decide(g, true);
    duel_fini(d);
    if (again)
        duel_fini(again);
}

static void test_equal_passes(void **state)
{
    (void)state;
    struct duel d;
    struct gate g;
    fight(&d, 1, false, -1, 0, 0.004, 1);
    assert_int_equal(d.verdict, DUEL_PASS);
    judge(&g, &d, NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    assert_check(&g, "health throughput", GATE_PASS, "allowed 1 %");
    gate_fini(&g);
}

static void test_faster_passes_and_says_so(void **state)
{
    (void)state;
    struct duel d;
    struct gate g;
    fight(&d, 1, false, -1, -0.3, 0.004, 2); /* 30 % faster */
    judge(&g, &d, NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    assert_check(&g, "health throughput", GATE_IMPROVED, "faster");
    assert_true(gate_find(&g, "health throughput")->worse < 0);
    gate_fini(&g);
}

/* What never fired in the wild: half the throughput. */
static void test_half_fails(void **state)
{
    (void)state;
    struct duel d, again;
    struct gate g;
    fight(&d, 1, false, -1, log(2), 0.01, 3);
    fight(&again, 1, false, -1, log(2), 0.01, 4);
    judge(&g, &d, &again);
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_check(&g, "health throughput", GATE_FAIL, "a second measurement confirmed it: 5");
    assert_near(gate_find(&g, "health throughput")->worse, 50, 2);
    gate_fini(&g);
}

static void test_not_confirmed(void **state)
{
    (void)state;
    struct duel d, again;
    struct gate g;
    fight(&d, 1, false, -1, 0.05, 0.004, 5);
    fight(&again, 1, false, -1, 0, 0.004, 6);
    assert_int_equal(d.verdict, DUEL_FAIL);
    judge(&g, &d, &again);
    assert_int_equal(g.verdict, GATE_VERDICT_INCONCLUSIVE);
    assert_check(&g, "health throughput", GATE_INCONCLUSIVE, "did not confirm it");
    gate_fini(&g);
    fight(&d, 1, false, -1, 0.05, 0.004, 5); /* and nothing measured is no confirmation */
    duel_fini(&again);
    struct duel none = {0};
    judge(&g, &d, &none);
    assert_int_equal(g.verdict, GATE_VERDICT_INCONCLUSIVE);
    assert_check(&g, "health throughput", GATE_INCONCLUSIVE, "nothing was measured");
    gate_fini(&g);
}

/* One route of three is slower: it fails, the other two don't. The second duel is of it alone. */
static void test_one_route(void **state)
{
    (void)state;
    struct duel d, again;
    struct gate g;
    fight(&d, 3, false, 1, 0.05, 0.004, 7);
    fight(&again, 1, false, -1, 0.05, 0.004, 8);
    again.routes[0] = d.routes[1];
    judge(&g, &d, &again);
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_int_equal(gate_find(&g, "json throughput")->outcome, GATE_FAIL);
    assert_int_not_equal(gate_find(&g, "health throughput")->outcome, GATE_FAIL);
    assert_int_not_equal(gate_find(&g, "echo throughput")->outcome, GATE_FAIL);
    gate_fini(&g);
}

/* The second duel ends at the first series that fails: that it was the other metric is no doubt. */
static void test_confirmed_in_the_other_metric(void **state)
{
    (void)state;
    struct duel d, again;
    struct gate g;
    fight(&d, 1, false, -1, 0.05, 0.004, 9);
    fight(&again, 1, false, -1, 0.05, 0.004, 10);
    d.series[METRIC_CPU].decision = DECISION_CONTINUE;
    again.series[METRIC_THROUGHPUT].decision = DECISION_CONTINUE;
    judge(&g, &d, &again);
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_check(&g, "health throughput", GATE_FAIL, "confirmed it");
    assert_check(&g, "health CPU per request", GATE_NOTE, "undecided when the duel ended");
    gate_fini(&g);
}

static void test_composite(void **state)
{
    (void)state;
    struct duel d, again;
    struct gate g;
    fight(&d, 3, true, -1, 0.03, 0.005, 11);
    fight(&again, 3, true, -1, 0.03, 0.005, 12);
    judge(&g, &d, &again);
    assert_check(&g, "all routes throughput", GATE_FAIL, "confirmed it");
    gate_fini(&g);
}

static void test_too_noisy(void **state)
{
    (void)state;
    struct duel d;
    struct gate g;
    fight(&d, 1, false, -1, 0.005, 0.15, 13);
    assert_int_equal(d.verdict, DUEL_INCONCLUSIVE);
    judge(&g, &d, NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_INCONCLUSIVE);
    assert_check(&g, "health throughput", GATE_INCONCLUSIVE, "could not tell");
    gate_fini(&g);
}

static void test_faults(void **state)
{
    (void)state;
    for (int who = 0; who < DUEL_SIDES; who++) {
        struct duel d;
        struct gate g;
        sample_duel(&d, BLOCKS, 1, NAN);
        d.verdict = who == DUEL_B ? DUEL_FAIL : DUEL_INCONCLUSIVE;
        d.cause = who == DUEL_B ? DUEL_CAUSE_B_FAULT : DUEL_CAUSE_A_FAULT;
        snprintf(d.reason, sizeof d.reason, "errors on health in block 1: status 12");
        judge(&g, &d, NULL);
        assert_int_equal(g.verdict, who == DUEL_B ? GATE_VERDICT_FAIL : GATE_VERDICT_INCONCLUSIVE);
        assert_check(&g, "duel", who == DUEL_B ? GATE_FAIL : GATE_INCONCLUSIVE, "status 12");
        gate_fini(&g);
    }
}

/* The generator was the limit: its ratio is compressed, so throughput is not compared. */
static void test_client_bound(void **state)
{
    (void)state;
    struct duel d;
    struct gate g;
    fight(&d, 1, false, -1, 0, 0.004, 14);
    d.series[METRIC_THROUGHPUT].refused = true;
    judge(&g, &d, NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    assert_check(&g, "health throughput", GATE_NOT_COMPARED, "the generator was the limit");
    assert_non_null(strstr(g.reason, "could not be compared"));
    gate_fini(&g);
}

static void test_time_over(void **state)
{
    (void)state;
    struct duel d;
    struct gate g;
    sample_duel(&d, BLOCKS, 1, NAN);
    d.verdict = DUEL_INCONCLUSIVE;
    d.cause = DUEL_CAUSE_TIME;
    judge(&g, &d, NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_INCONCLUSIVE);
    assert_check(&g, "duel", GATE_INCONCLUSIVE, "time");
    gate_fini(&g);
}

/* Documentation changes: 30 duels of equal builds whose blocks vary by 8 %. No alarm is confirmed;
   without the confirmation one in a hundred is allowed. */
static void test_no_alarm_on_equal_builds(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 130; seed++) {
        struct duel d, again;
        struct gate g;
        fight(&d, 1, false, -1, 0, 0.08, seed);
        bool failed = d.verdict == DUEL_FAIL;
        if (failed)
            fight(&again, 1, false, -1, 0, 0.08, seed + 1000);
        judge(&g, &d, failed ? &again : NULL);
        assert_int_not_equal(g.verdict, GATE_VERDICT_FAIL);
        gate_fini(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_passes), cmocka_unit_test(test_faster_passes_and_says_so),
        cmocka_unit_test(test_half_fails),   cmocka_unit_test(test_not_confirmed),
        cmocka_unit_test(test_one_route),    cmocka_unit_test(test_confirmed_in_the_other_metric),
        cmocka_unit_test(test_composite),    cmocka_unit_test(test_too_noisy),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_client_bound),
        cmocka_unit_test(test_time_over),    cmocka_unit_test(test_no_alarm_on_equal_builds),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
