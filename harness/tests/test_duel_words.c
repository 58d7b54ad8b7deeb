/* The verdict in words, the live line, the chart and the JSON say what the duel found, no more. */
#include "present/duel.h"

#include "judge/duel.h"
#include "present/duel_chart.h"
#include "tests/sample_duel.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

/* A duel of so many blocks around these slowdowns. */
static void hold(struct duel *d, size_t blocks, double throughput, double cpu, double sd)
{
    struct duel_judge j;
    struct random r;
    struct duel_block b;
    random_seed(&r, 9);
    assert_int_equal(duel_judge_start(&j, d), 0);
    for (size_t i = 0; i < blocks && d->verdict == DUEL_RUNNING; i++) {
        sample_block(&b, d, throughput + sd * random_normal(&r), cpu + sd * random_normal(&r));
        duel_judge_feed(&j, &b);
    }
    duel_judge_fini(&j);
}

static void says(const struct duel *d, const char *const *parts, const char *const *never)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    duel_write_verdict(to, d, false);
    fclose(to);
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("\"%s\" is not in:\n%s", *parts, text);
    for (; never && *never; never++)
        if (strstr(text, *never))
            fail_msg("\"%s\" is in:\n%s", *never, text);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_null(strstr(text, "no difference"));
    assert_null(strstr(text, "significant"));
    free(text);
}

static void test_fail(void **state)
{
    (void)state;
    struct duel d;
    sample_duel(&d, 30, 1, NAN);
    hold(&d, 60, duel_slowdown_of_percent(4), 0, 0.003);
    assert_int_equal(d.verdict, DUEL_FAIL);
    says(&d,
         (const char *[]){"FAIL  B is 3.93", " % slower than A (99.", "sequential interval", "38 s",
                          "health throughput", "Rule: slowdown > 1 %, false alarm <= 1 %", "seed 7",
                          "slices of 5", "0 dropped", "A  reactor@main (0123456789ab)", NULL},
         NULL);
    duel_fini(&d);
}

static void test_fail_by_cpu(void **state)
{
    (void)state;
    struct duel d;
    sample_duel(&d, 30, 1, NAN);
    hold(&d, 60, 0, log(1.05), 0.003);
    says(&d,
         (const char *[]){"FAIL  B takes 5.", " % more CPU per request than A, a slowdown of 4.",
                          "health CPU per request", NULL},
         NULL);
    duel_fini(&d);
}

static void test_pass_names_its_bound(void **state)
{
    (void)state;
    struct duel d;
    sample_duel(&d, 48, 1, NAN);
    hold(&d, 60, 0, 0, 0.002);
    assert_int_equal(d.verdict, DUEL_PASS);
    says(&d,
         (const char *[]){"PASS  no slowdown above 0.", "one-sided 99.", "would have caught 1.",
                          "95 % power", "Equal within +-1 %", NULL},
         (const char *[]){"generator bound", NULL});
    duel_fini(&d);
}

/* Equal throughput behind a generator that is the limit is no parity. */
static void test_client_bound_is_never_called_equal(void **state)
{
    (void)state;
    struct duel d;
    sample_duel(&d, 48, 1, NAN);
    hold(&d, 60, 0, 0, 0.002);
    for (size_t i = 0; i < d.blocks_n; i++)
        for (int who = 0; who < DUEL_SIDES; who++) {
            d.blocks[i].route[0].side[who].server_busy = 0.7;
            d.blocks[i].route[0].side[who].client_busy = 0.99;
        }
    d.client_bound[0] = d.series[METRIC_THROUGHPUT].refused = true;
    says(&d,
         (const char *[]){"compressed: no sign of parity", "health is generator bound",
                          "Not judged, for its ratio is compressed: health throughput", NULL},
         (const char *[]){"Equal within", NULL});
    duel_fini(&d);
}

static void test_inconclusive_says_what_it_would_take(void **state)
{
    (void)state;
    struct duel d;
    sample_duel(&d, 30, 1, NAN);
    hold(&d, 60, 0, 0, 0.11);
    assert_int_equal(d.verdict, DUEL_INCONCLUSIVE);
    says(&d,
         (const char *[]){"INCONCLUSIVE  health", "machine too noisy (block sd 1",
                          "would need about", "for 5.0 %", NULL},
         NULL);
    duel_fini(&d);
}

static void test_causes(void **state)
{
    (void)state;
    struct duel d;
    static const struct {
        enum duel_verdict verdict;
        enum duel_cause cause;
        const char *says;
    } cases[] = {
        {DUEL_FAIL, DUEL_CAUSE_B_FAULT, "FAIL  B is at fault: status 5."},
        {DUEL_INCONCLUSIVE, DUEL_CAUSE_A_FAULT, "A is at fault, so nothing is said of B: status 5"},
        {DUEL_INCONCLUSIVE, DUEL_CAUSE_CLIENT_BOUND, "no sign of parity"},
        {DUEL_INCONCLUSIVE, DUEL_CAUSE_TIME, "time was over after 5 of 48 blocks"},
        {DUEL_INCONCLUSIVE, DUEL_CAUSE_INTERRUPTED, "INCONCLUSIVE  interrupted"},
        {DUEL_INCONCLUSIVE, DUEL_CAUSE_DROPPED, "0 of 5 blocks were dropped"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample_duel(&d, 48, 1, NAN);
        hold(&d, 5, 0, 0, 0.01);
        d.verdict = cases[i].verdict;
        d.cause = cases[i].cause;
        strcpy(d.reason, "status 5");
        says(&d, (const char *[]){cases[i].says, NULL}, NULL);
        duel_fini(&d);
    }
}

static void test_before_the_first_block(void **state)
{
    (void)state;
    struct duel d;
    char line[200];
    sample_duel(&d, 48, 1, NAN);
    d.verdict = DUEL_INCONCLUSIVE;
    d.cause = DUEL_CAUSE_INTERRUPTED;
    says(&d, (const char *[]){"INCONCLUSIVE  interrupted. too few blocks", NULL}, NULL);
    duel_write_line(line, sizeof line, &d, 60);
    assert_string_equal(line, "block 0/48  no value yet  1 min 0 s left");
    duel_fini(&d);
}

static void test_live_line(void **state)
{
    (void)state;
    struct duel d;
    char line[200];
    sample_duel(&d, 48, 1, NAN);
    hold(&d, 14, 0.011, 0, 0.001);
    duel_write_line(line, sizeof line, &d, 41);
    assert_non_null(strstr(line, "/48  health throughput: B 1.0"));
    assert_non_null(strstr(line, " % slower ("));
    assert_non_null(strstr(line, "can see 0."));
    assert_non_null(strstr(line, "41 s left"));
    duel_fini(&d);
}

static void test_charts(void **state)
{
    (void)state;
    struct duel d;
    struct charts c;
    sample_duel(&d, 48, 1, NAN);
    free(d.side[DUEL_B].name);
    d.side[DUEL_B].name = strdup("it's\nB");
    hold(&d, 30, 0.003, 0, 0.003);
    duel_charts_make(&c, &d);
    assert_int_equal(c.n, 2);
    assert_string_equal(c.item[0].name, "duel-health-throughput");
    assert_string_equal(c.item[1].name, "duel-health-cpu");
    assert_non_null(strstr(c.item[0].script, "B = it''s B against A = reactor@main'"));
    assert_non_null(strstr(c.item[0].script, "margin"));
    assert_non_null(strstr(c.item[0].data, "\n13 "));
    assert_null(strstr(c.item[0].data, "nan"));
    charts_fini(&c);
    duel_fini(&d);
    sample_duel(&d, 48, 1, NAN);
    hold(&d, 0, 0, 0, 0);
    duel_charts_make(&c, &d);
    assert_null(c.item[0].script);
    assert_string_equal(c.item[0].note, "no block was measured");
    charts_fini(&c);
    duel_fini(&d);
}

static void test_json(void **state)
{
    (void)state;
    struct duel d;
    sample_duel(&d, 30, 1, NAN);
    strcpy(d.reason, "bytes \xff\xfe of a server");
    hold(&d, 60, 0.05, 0, 0.003);
    d.blocks[0].steal_share = NAN;
    char *text = duel_to_json(&d);
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(o);
    assert_string_equal(json_string_value(json_object_get(o, "verdict")), "FAIL");
    assert_true(json_is_null(
        json_object_get(json_array_get(json_object_get(o, "blocks"), 0), "steal_share")));
    json_t *series = json_array_get(json_object_get(o, "series"), 0);
    assert_near(json_number_value(json_object_get(series, "slowdown_percent")),
                duel_percent_of_slowdown(d.series[0].estimate), 1e-9);
    assert_near(json_number_value(json_object_get(series, "ratio")), exp(-d.series[0].estimate),
                1e-9);
    assert_int_equal(json_array_size(json_object_get(o, "blocks")), d.blocks_n);
    json_decref(o);
    free(text);
    duel_fini(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fail),
        cmocka_unit_test(test_fail_by_cpu),
        cmocka_unit_test(test_pass_names_its_bound),
        cmocka_unit_test(test_client_bound_is_never_called_equal),
        cmocka_unit_test(test_inconclusive_says_what_it_would_take),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_before_the_first_block),
        cmocka_unit_test(test_live_line),
        cmocka_unit_test(test_charts),
        cmocka_unit_test(test_json),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
