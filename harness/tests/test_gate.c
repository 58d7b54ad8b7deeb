/* The gate's verdict, and its exact tier: directions, improvements, what is new, gone, or not to be
   compared; nothing of it silently green. */
#include "judge/gate.h"

#include "base/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/gate_checks.h"
#include "tests/near.h"

static struct gate_check *add(struct gate *g, enum gate_tier tier, enum gate_outcome outcome)
{
    return gate_add(g, tier, outcome, xstrdup("a series"), xstrdup("its words"));
}

/* The verdict of checks with these outcomes, of a tier that was asked for. */
static enum gate_verdict verdict_of(enum gate_tier tier, const enum gate_outcome *o, size_t n,
                                    bool missing_fails)
{
    struct gate g = {.asked = {[GATE_DUEL] = tier == GATE_DUEL, [GATE_TREND] = tier == GATE_TREND}};
    g.asked[GATE_COUNTS] = tier == GATE_COUNTS;
    for (size_t i = 0; i < n; i++)
        add(&g, tier, o[i]);
    gate_decide(&g, missing_fails);
    enum gate_verdict v = g.verdict;
    assert_non_null(g.reason);
    assert_true(*g.reason);
    gate_fini(&g);
    return v;
}

#define VERDICT(tier, missing_fails, ...)                                                          \
    verdict_of(tier, (const enum gate_outcome[]){__VA_ARGS__},                                     \
               sizeof((const enum gate_outcome[]){__VA_ARGS__}) / sizeof(enum gate_outcome),       \
               missing_fails)

static void test_verdicts(void **state)
{
    (void)state;
    assert_int_equal(VERDICT(GATE_DUEL, true, GATE_PASS), GATE_VERDICT_PASS);
    assert_int_equal(VERDICT(GATE_DUEL, true, GATE_IMPROVED), GATE_VERDICT_PASS);
    assert_int_equal(VERDICT(GATE_DUEL, true, GATE_PASS, GATE_NOTE, GATE_NEW, GATE_NOT_COMPARED),
                     GATE_VERDICT_PASS);
    assert_int_equal(VERDICT(GATE_DUEL, true, GATE_PASS, GATE_FAIL), GATE_VERDICT_FAIL);
    assert_int_equal(VERDICT(GATE_DUEL, true, GATE_INCONCLUSIVE, GATE_FAIL), GATE_VERDICT_FAIL);
    assert_int_equal(VERDICT(GATE_DUEL, true, GATE_PASS, GATE_INCONCLUSIVE),
                     GATE_VERDICT_INCONCLUSIVE);
    assert_int_equal(VERDICT(GATE_TREND, true, GATE_PASS, GATE_MISSING), GATE_VERDICT_FAIL);
    assert_int_equal(VERDICT(GATE_TREND, false, GATE_PASS, GATE_MISSING), GATE_VERDICT_PASS);
}

/* A gate that compares nothing is not green. */
static void test_nothing_compared(void **state)
{
    (void)state;
    struct gate none = {0};
    gate_decide(&none, true);
    assert_int_equal(none.verdict, GATE_VERDICT_INCONCLUSIVE);
    gate_fini(&none);
    assert_int_equal(VERDICT(GATE_COUNTS, true, GATE_NEW), GATE_VERDICT_INCONCLUSIVE);
    assert_int_equal(VERDICT(GATE_COUNTS, true, GATE_NOT_COMPARED), GATE_VERDICT_INCONCLUSIVE);
    assert_int_equal(VERDICT(GATE_DUEL, true, GATE_NOTE), GATE_VERDICT_INCONCLUSIVE);
    assert_int_equal(VERDICT(GATE_TREND, false, GATE_MISSING), GATE_VERDICT_INCONCLUSIVE);
}

/* One tier that compared something doesn't hide another one that was asked for in vain; but a
   history may begin. */
static void test_idle_tier(void **state)
{
    (void)state;
    for (int begins = 0; begins < 2; begins++) {
        struct gate g = {.asked = {true, true, true}};
        add(&g, GATE_COUNTS, GATE_PASS);
        add(&g, GATE_DUEL, GATE_PASS);
        add(&g, GATE_TREND, begins ? GATE_NEW : GATE_NOT_COMPARED);
        gate_decide(&g, true);
        assert_int_equal(g.verdict, begins ? GATE_VERDICT_PASS : GATE_VERDICT_INCONCLUSIVE);
        if (!begins)
            assert_non_null(strstr(g.reason, "trend"));
        gate_fini(&g);
    }
}

static void test_interrupted(void **state)
{
    (void)state;
    struct gate g = {.asked = {true}, .interrupted = true};
    add(&g, GATE_COUNTS, GATE_PASS);
    gate_decide(&g, true);
    assert_int_equal(g.verdict, GATE_VERDICT_INCONCLUSIVE);
    gate_decide(&g, true); /* again: the reason is replaced, not leaked */
    assert_string_equal(g.reason, "interrupted");
    gate_fini(&g);
}

static void test_directions(void **state)
{
    (void)state;
    assert_int_equal(gate_direction("requests_per_s"), 1);
    assert_int_equal(gate_direction("cpu_ns_per_request"), -1);
    assert_int_equal(gate_direction("latency_p99_us"), -1);
    assert_int_equal(gate_direction("throughput_of_tomorrow"), 0);
    for (enum count k = 0; k < COUNT_KINDS; k++)
        assert_int_equal(gate_direction(count_name(k)), -1);
}

static struct counts counts_of(double instructions, double calls, double allocations, double bytes)
{
    struct counts c = {.server = xstrdup("reactor")};
    for (int route = 0; route < ROUTE_COUNT; route++)
        for (int k = 0; k < COUNT_KINDS; k++)
            c.per_request[route][k] = NAN;
    c.counted[ROUTE_HEALTH] = true;
    const double values[COUNT_KINDS] = {instructions, calls, allocations, bytes};
    memcpy(c.per_request[ROUTE_HEALTH], values, sizeof values);
    return c;
}

static void judge(struct gate *g, struct counts now, struct counts before, const char *differ)
{
    struct gate_counts_input in = {.now = &now,
                                   .before = &before,
                                   .source = "base.json",
                                   .instructions_differ = differ,
                                   .renewable = true};
    *g = (struct gate){.asked = {true}};
    gate_judge_counts(g, &in);
    gate_decide(g, true);
    counts_fini(&now);
    counts_fini(&before);
}

static void test_counts(void **state)
{
    (void)state;
    struct gate g;
    judge(&g, counts_of(850.3, 3, 0, 133), counts_of(850, 3, 0, 133), NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    assert_int_equal(gate_count_of(&g, GATE_COUNTS, GATE_PASS), COUNT_KINDS);
    gate_fini(&g);

    judge(&g, counts_of(851, 3, 0, 133), counts_of(850, 3, 0, 133), NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL); /* one instruction more */
    assert_check(&g, "health instructions", GATE_FAIL, "851 a request, 850 in base.json");
    assert_check(&g, "health instructions", GATE_FAIL, "--accept");
    assert_near(gate_find(&g, "health instructions")->worse, 100.0 / 850, 1e-9);
    gate_fini(&g);

    judge(&g, counts_of(850, 4, 0.5, 133), counts_of(850, 3, 0, 133), NULL);
    assert_check(&g, "health system calls", GATE_FAIL, "4 a request, 3");
    assert_check(&g, "health allocations", GATE_FAIL, "0.5 a request, 0");
    assert_true(isnan(gate_find(&g, "health allocations")->worse)); /* no percentage of 0 */
    gate_fini(&g);
}

static void test_counts_improved(void **state)
{
    (void)state;
    struct gate g;
    judge(&g, counts_of(425, 3, 0, 100), counts_of(850, 3, 1, 133), NULL);
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    assert_check(&g, "health instructions", GATE_IMPROVED, "--accept guards the new level");
    assert_check(&g, "health allocations", GATE_IMPROVED, "0 a request, 1");
    assert_true(gate_find(&g, "health instructions")->worse < 0);
    gate_fini(&g);
}

/* Another compiler: instructions are not compared, and all else is. */
static void test_counted_elsewhere(void **state)
{
    (void)state;
    struct gate g;
    judge(&g, counts_of(9999, 3, 0, 133), counts_of(850, 3, 0, 133), "compiler is B, was A");
    assert_check(&g, "health instructions", GATE_NOT_COMPARED, "compiler is B, was A");
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    assert_non_null(strstr(g.reason, "1 could not be compared"));
    gate_fini(&g);
    judge(&g, counts_of(9999, 4, 0, 133), counts_of(850, 3, 0, 133), "compiler is B, was A");
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    gate_fini(&g);
}

static void test_not_counted(void **state)
{
    (void)state;
    struct gate g;
    struct counts now = counts_of(850, NAN, 0, 133);
    now.why_not[COUNT_SYSTEM_CALLS] = xstrdup("strace is not installed");
    judge(&g, now, counts_of(850, 3, NAN, 133), NULL);
    assert_check(&g, "health system calls", GATE_NOT_COMPARED, "strace is not installed");
    assert_check(&g, "health allocations", GATE_NEW, "not in base.json yet");
    gate_fini(&g);
}

static void test_routes_new_and_gone(void **state)
{
    (void)state;
    for (int chosen = 0; chosen < 2; chosen++) {
        struct gate g = {.asked = {true}};
        struct counts now = counts_of(850, 3, 0, 133), before = counts_of(850, 3, 0, 133);
        now.counted[ROUTE_JSON] = before.counted[ROUTE_ECHO] = true;
        struct gate_counts_input in = {
            .now = &now, .before = &before, .source = "base.json", .routes_chosen = chosen};
        gate_judge_counts(&g, &in);
        gate_decide(&g, true);
        assert_check(&g, "json counts", GATE_NEW, "not in base.json yet");
        assert_check(&g, "echo counts", chosen ? GATE_NOTE : GATE_MISSING, "was not counted now");
        assert_int_equal(g.verdict, chosen ? GATE_VERDICT_PASS : GATE_VERDICT_FAIL);
        gate_fini(&g);
        counts_fini(&now);
        counts_fini(&before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),        cmocka_unit_test(test_nothing_compared),
        cmocka_unit_test(test_idle_tier),       cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_directions),      cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_improved), cmocka_unit_test(test_counted_elsewhere),
        cmocka_unit_test(test_not_counted),     cmocka_unit_test(test_routes_new_and_gone),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
