/* Parity ratios against their history: an alert that can fire, in the right direction, on one kind
   of machine; what is new, gone, renamed or was never valid is said. */
#include "judge/gate.h"

#include "base/alloc.h"
#include "model/history.h"
#include "stats/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/gate_checks.h"
#include "tests/near.h"

#define THROUGHPUT "health volley c=64 keep-alive reactor/nginx throughput"
#define CPU        "health volley c=64 keep-alive reactor/nginx CPU per request"

static const struct interval unknown = {NAN, NAN, NAN, 0, 0};

/* A ratio with an interval of +-2 %. */
static struct interval about(double ratio)
{
    return (struct interval){ratio, ratio * 0.98, ratio * 1.02, 0.95, 6};
}

static struct history_series *add_series(struct history_run *run, const char *server,
                                         const char *route, double throughput, double cpu)
{
    struct history_series *s = xgrow(&run->series, &run->series_n, sizeof *s);
    *s = (struct history_series){.server = xstrdup(server),
                                 .route = xstrdup(route),
                                 .generator = xstrdup("volley"),
                                 .connections = 64,
                                 .keepalive = true,
                                 .verdict = VERDICT_VALID,
                                 .requests_per_s = 100000,
                                 .cpu_ns_per_request = 5000};
    s->ratio[METRIC_THROUGHPUT] = isnan(throughput) ? unknown : about(throughput);
    s->ratio[METRIC_CPU] = isnan(cpu) ? unknown : about(cpu);
    return s;
}

/* A run with the reactor on health and its reference. */
static void begin_run(struct history_run *run, size_t number, const char *machine)
{
    *run = (struct history_run){.id = xasprintf("run-%zu", number),
                                .commit = xasprintf("c%zu", number),
                                .suite = xstrdup("gate"),
                                .reference = xstrdup("nginx")};
    snprintf(run->time, sizeof run->time, "2026-01-01T00:00:00Z");
    snprintf(run->machine.key, sizeof run->machine.key, "%s", machine);
    facts_text(&run->versions, "nginx", "1.22.1");
    add_series(run, "nginx", "health", NAN, NAN);
}

static void add_run(struct history *h, double throughput, double cpu)
{
    struct history_run *run = xgrow(&h->runs, &h->n, sizeof *run);
    begin_run(run, h->n, "here");
    add_series(run, "reactor", "health", throughput, cpu);
}

static struct history_run now_run(double throughput, double cpu)
{
    struct history_run run;
    begin_run(&run, 9999, "here");
    add_series(&run, "reactor", "health", throughput, cpu);
    return run;
}

/* Judges and ends both; renamed may be NULL. */
static void judge_renamed(struct gate *g, struct history *h, struct history_run *now,
                          const struct strings *renamed)
{
    struct gate_trend_input in = {
        .history = h, .now = now, .server = "reactor", .drop = 20, .last = 20, .renamed = renamed};
    *g = (struct gate){.asked = {[GATE_TREND] = true}};
    gate_judge_trend(g, &in);
    gate_decide(g, true);
    history_run_fini(now);
    if (h)
        history_fini(h);
}

static void judge(struct gate *g, struct history *h, struct history_run now)
{
    judge_renamed(g, h, &now, NULL);
}

/* The published gate would have passed the slower one and stopped the faster one. */
static void test_direction(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    add_run(&h, 1.0, 1.0);
    judge(&g, &h, now_run(1.3, 0.8));
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    assert_check(&g, THROUGHPUT, GATE_IMPROVED, "30.0 % better");
    assert_check(&g, CPU, GATE_IMPROVED, "better");
    gate_fini(&g);
    h = (struct history){0};
    add_run(&h, 1.0, 1.0);
    judge(&g, &h, now_run(0.7, 1.4));
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_check(&g, THROUGHPUT, GATE_FAIL, "30.0 % worse, allowed 20 %");
    assert_check(&g, CPU, GATE_FAIL, "worse");
    gate_fini(&g);
}

static void test_halved_fails(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    add_run(&h, 1.4, 0.9);
    judge(&g, &h, now_run(0.7, 0.9));
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_near(gate_find(&g, THROUGHPUT)->worse, 50, 1e-9);
    assert_int_equal(gate_find(&g, CPU)->outcome, GATE_PASS);
    gate_fini(&g);
}

/* Against the best of the last runs, not the last one: twice 15 % are seen. Beyond the last N it is
   forgotten. */
static void test_best_of_the_last(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    add_run(&h, 1.0, 1.0);
    add_run(&h, 0.85, 1.0);
    judge(&g, &h, now_run(0.72, 1.0));
    assert_check(&g, THROUGHPUT, GATE_FAIL, "1 at c1, the best of the last 20");
    gate_fini(&g);
    h = (struct history){0};
    add_run(&h, 1.0, 1.0);
    for (int i = 0; i < 20; i++)
        add_run(&h, 0.85, 1.0);
    judge(&g, &h, now_run(0.72, 1.0));
    assert_int_equal(gate_find(&g, THROUGHPUT)->outcome, GATE_PASS);
    gate_fini(&g);
}

/* 21 % below is more than allowed, but within what the intervals leave open. */
static void test_doubt(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    add_run(&h, 1.0, 1.0);
    judge(&g, &h, now_run(0.79, 1.0));
    assert_int_equal(g.verdict, GATE_VERDICT_INCONCLUSIVE);
    assert_check(&g, THROUGHPUT, GATE_INCONCLUSIVE, "the intervals don't exclude");
    gate_fini(&g);
}

static void test_first_run(void **state)
{
    (void)state;
    struct gate g;
    struct history empty = {0};
    judge(&g, NULL, now_run(1.0, 1.0));
    assert_check(&g, THROUGHPUT, GATE_NEW, "the history begins with this run");
    assert_int_equal(g.verdict, GATE_VERDICT_INCONCLUSIVE); /* alone it compared nothing */
    gate_fini(&g);
    judge(&g, &empty, now_run(1.0, 1.0));
    assert_check(&g, CPU, GATE_NEW, "the history begins with this run");
    gate_fini(&g);
}

static void test_other_machine(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    add_run(&h, 9.0, 0.1);
    snprintf(h.runs[0].machine.key, sizeof h.runs[0].machine.key, "elsewhere");
    judge(&g, &h, now_run(1.0, 1.0)); /* a ninth, and no alarm */
    assert_check(&g, THROUGHPUT, GATE_NEW, "1 earlier run on other kinds of machine");
    assert_int_equal(gate_count_of(&g, GATE_TIERS, GATE_FAIL), 0);
    gate_fini(&g);
    h = (struct history){0};
    add_run(&h, 9.0, 0.1);
    snprintf(h.runs[0].machine.key, sizeof h.runs[0].machine.key, "elsewhere");
    add_run(&h, 1.0, 1.0);
    judge(&g, &h, now_run(1.0, 1.0)); /* the one of this kind counts */
    assert_int_equal(gate_find(&g, THROUGHPUT)->outcome, GATE_PASS);
    gate_fini(&g);
}

/* 0 is no baseline; from something to 0 is a loss. Nothing says NaN or infinity. */
static void test_zeros(void **state)
{
    (void)state;
    static const struct {
        double before, now;
        enum gate_outcome outcome;
        const char *words;
    } cases[] = {{0, 0, GATE_NEW, "no baseline"},
                 {0, 500, GATE_NEW, "no baseline"},
                 {500, 0, GATE_FAIL, "100.0 % worse"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gate g;
        struct history h = {0};
        add_run(&h, cases[i].before, 1.0);
        judge(&g, &h, now_run(cases[i].now, 1.0));
        assert_check(&g, THROUGHPUT, cases[i].outcome, cases[i].words);
        char *json = gate_to_json(&g);
        assert_null(strstr(json, "nan"));
        assert_null(strstr(json, "inf"));
        free(json);
        gate_fini(&g);
    }
}

/* Cells that were aborted are listed and fail; a machine's noise doesn't; a server's errors do. */
static void test_unmeasured(void **state)
{
    (void)state;
    static const struct {
        enum verdict verdict;
        enum gate_outcome outcome;
    } cases[] = {
        {VERDICT_TOOL_FAILED, GATE_MISSING},      {VERDICT_NO_DATA, GATE_MISSING},
        {VERDICT_NOT_RUN, GATE_MISSING},          {VERDICT_ERRORS, GATE_FAIL},
        {VERDICT_SERVER_DIED, GATE_FAIL},         {VERDICT_CONTRACT_BROKEN, GATE_FAIL},
        {VERDICT_UNSTABLE, GATE_NOT_COMPARED},    {VERDICT_CLIENT_BOUND, GATE_NOT_COMPARED},
        {VERDICT_SHARED_CORES, GATE_NOT_COMPARED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gate g;
        struct history h = {0};
        struct history_run now = now_run(NAN, 1.0);
        now.series[1].verdict = cases[i].verdict;
        add_run(&h, 1.0, 1.0);
        judge(&g, &h, now);
        assert_check(&g, THROUGHPUT, cases[i].outcome, verdict_name(cases[i].verdict));
        assert_int_equal(g.verdict, cases[i].outcome == GATE_NOT_COMPARED ? GATE_VERDICT_PASS
                                                                          : GATE_VERDICT_FAIL);
        gate_fini(&g);
    }
}

/* Two of five levels aborted. */
static void test_two_of_five(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    struct history_run now = now_run(1.0, 1.0);
    add_run(&h, 1.0, 1.0);
    for (unsigned level = 1; level <= 4; level++) {
        struct history_series *s = add_series(&h.runs[0], "reactor", "health", 1.0, 1.0);
        s->connections = level;
        s = add_series(&h.runs[0], "nginx", "health", NAN, NAN);
        s->connections = level;
        bool aborted = level <= 2;
        s = add_series(&now, "reactor", "health", aborted ? NAN : 1.0, aborted ? NAN : 1.0);
        s->connections = level;
        s->verdict = aborted ? VERDICT_TOOL_TIMEOUT : VERDICT_VALID;
        s = add_series(&now, "nginx", "health", NAN, NAN);
        s->connections = level;
    }
    judge(&g, &h, now);
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_int_equal(gate_count_of(&g, GATE_TREND, GATE_MISSING), 4); /* both metrics of two */
    assert_int_equal(gate_count_of(&g, GATE_TREND, GATE_PASS), 6);
    gate_fini(&g);
}

static void test_renamed(void **state)
{
    (void)state;
    struct strings renamed = {0};
    strings_add(&renamed, "health volley c=64 keep-alive reactor=alive volley c=64 keep-alive "
                          "reactor");
    for (int mapped = 0; mapped < 2; mapped++) {
        struct gate g;
        struct history h = {0};
        struct history_run now;
        begin_run(&now, 9999, "here");
        add_series(&now, "reactor", "alive", 1.0, 1.0);
        add_series(&now, "nginx", "alive", NAN, NAN);
        add_run(&h, 1.0, 1.0);
        judge_renamed(&g, &h, &now, mapped ? &renamed : NULL);
        const char *new_name = "alive volley c=64 keep-alive reactor/nginx throughput";
        if (mapped) {
            assert_int_equal(g.verdict, GATE_VERDICT_PASS);
            assert_int_equal(gate_find(&g, new_name)->outcome, GATE_PASS);
        } else {
            assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
            assert_check(&g, new_name, GATE_NEW, "not in the history yet");
            assert_check(&g, "health volley c=64 keep-alive reactor", GATE_MISSING, "--rename");
        }
        gate_fini(&g);
    }
    strings_fini(&renamed);
}

static void test_no_such_server(void **state)
{
    (void)state;
    struct gate g;
    struct history_run now;
    begin_run(&now, 1, "here");
    judge(&g, NULL, now);
    assert_int_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_check(&g, "reactor ratios", GATE_MISSING, "no cell of reactor");
    gate_fini(&g);
}

/* A run that failed its gate is no level to compare with, whatever it measured. */
static void test_failed_runs_are_no_baseline(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    add_run(&h, 1.0, 1.0);
    add_run(&h, 5.0, 1.0);
    h.runs[1].gate = xstrdup("FAIL");
    judge(&g, &h, now_run(1.0, 1.0));
    assert_int_equal(gate_find(&g, THROUGHPUT)->outcome, GATE_PASS);
    gate_fini(&g);
}

/* A second reference is compared with as well, through the first one. */
static void test_other_reference(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    struct history_run now = now_run(1.0, 1.0);
    add_run(&h, 1.0, 1.0);
    add_series(&h.runs[0], "lighttpd", "health", 0.5, 1.0);
    add_series(&now, "lighttpd", "health", 1.0, 1.0); /* twice as fast as it was: or we, half */
    judge(&g, &h, now);
    assert_check(&g, "health volley c=64 keep-alive reactor/lighttpd throughput", GATE_FAIL,
                 "1 of lighttpd now, 2 at c1");
    assert_int_equal(gate_find(&g, THROUGHPUT)->outcome, GATE_PASS);
    gate_fini(&g);
}

static void test_reference_changed(void **state)
{
    (void)state;
    struct gate g;
    struct history h = {0};
    add_run(&h, 1.0, 1.0);
    facts_text(&h.runs[0].versions, "nginx", "1.18.0");
    judge(&g, &h, now_run(0.5, 1.0));
    assert_check(&g, THROUGHPUT, GATE_FAIL, "nginx was 1.18.0 there and is 1.22.1 now");
    gate_fini(&g);
}

/* 30 runs that vary by 8 %: no alarm, and no note of a creep that isn't there. */
static void test_noise(void **state)
{
    (void)state;
    struct random r;
    struct gate g;
    struct history h = {0};
    random_seed(&r, 12);
    for (int i = 0; i < 30; i++)
        add_run(&h, exp(0.08 * random_normal(&r)), exp(0.08 * random_normal(&r)));
    judge(&g, &h, now_run(1.0, 1.0));
    assert_int_not_equal(g.verdict, GATE_VERDICT_FAIL);
    assert_int_equal(gate_count_of(&g, GATE_TREND, GATE_NOTE), 0);
    gate_fini(&g);
}

static const struct gate_check *note_about(const struct gate *g, const char *end)
{
    for (size_t i = 0; i < g->checks_n; i++) {
        const char *series = g->checks[i].series;
        size_t len = strlen(series), tail = strlen(end);
        if (len > tail && strcmp(series + len - tail, end) == 0)
            return &g->checks[i];
    }
    return NULL;
}

/* Half a percent with each run: no comparison sees it, the cumulative sum does, and tells people
   without stopping anything. */
static void test_creep(void **state)
{
    (void)state;
    struct random r;
    struct gate g;
    struct history h = {0};
    random_seed(&r, 13);
    for (int i = 0; i < 14; i++)
        add_run(&h, exp(-0.005 * i + 0.004 * random_normal(&r)), exp(0.004 * random_normal(&r)));
    judge(&g, &h, now_run(exp(-0.07), 1.0));
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    const struct gate_check *level = note_about(&g, "throughput level");
    const struct gate_check *creep = note_about(&g, "throughput creep");
    assert_true(level || creep); /* either way people are told */
    assert_int_equal((level ? level : creep)->outcome, GATE_NOTE);
    assert_null(note_about(&g, "CPU per request creep"));
    gate_fini(&g);
}

/* A step of 5 % is found where it was, and once it is a level of its own it no longer alarms. */
static void test_new_level(void **state)
{
    (void)state;
    struct random r;
    struct gate g;
    struct history h = {0};
    random_seed(&r, 14);
    for (int i = 0; i < 30; i++)
        add_run(&h, exp((i >= 22 ? -0.05 : 0) + 0.004 * random_normal(&r)), 1.0);
    judge(&g, &h, now_run(exp(-0.05), 1.0));
    assert_int_equal(g.verdict, GATE_VERDICT_PASS);
    const struct gate_check *level = note_about(&g, "throughput level");
    assert_non_null(level);
    assert_non_null(strstr(level->words, "the level changed at c23"));
    assert_near(level->worse, 4.9, 0.5);
    assert_null(note_about(&g, "throughput creep"));
    gate_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direction),
        cmocka_unit_test(test_halved_fails),
        cmocka_unit_test(test_best_of_the_last),
        cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_first_run),
        cmocka_unit_test(test_other_machine),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_unmeasured),
        cmocka_unit_test(test_two_of_five),
        cmocka_unit_test(test_renamed),
        cmocka_unit_test(test_no_such_server),
        cmocka_unit_test(test_failed_runs_are_no_baseline),
        cmocka_unit_test(test_other_reference),
        cmocka_unit_test(test_reference_changed),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_creep),
        cmocka_unit_test(test_new_level),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
