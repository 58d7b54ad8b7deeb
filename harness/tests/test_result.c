/* Results: JSON out and in again is the same. What isn't a result is in test_result_read.c.
   With RESULT_OUT=FILE the JSON of the fullest result is written there for schema.t. */
#include "model/result.h"

#include <setjmp.h>
#include <jansson.h>
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/full_result.h"
#include "tests/near.h"
#include "tests/scratch.h"

/* JSON -> result -> JSON; fails when the reading does. */
static char *round_trip(const char *text)
{
    struct result r;
    struct err e = {0};
    int rc = result_from_json(&r, text, "result.json", &e);
    assert_string_equal(e.text, "");
    assert_int_equal(rc, 0);
    char *again = result_to_json(&r);
    result_fini(&r);
    return again;
}

static void test_round_trip_is_identity(void **state)
{
    (void)state;
    char *text = full_json(), *again = round_trip(text);
    assert_string_equal(text, again);
    const char *out = getenv("RESULT_OUT");
    if (out)
        assert_int_equal(file_replace(out, text, strlen(text), NULL), 0);
    free(text);
    free(again);
}

/* As the plan is before anything ran: nothing is measured, so nothing is 0. */
static void test_nothing_measured(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 1, 1, 1);
    char *text = result_to_json(&r), *again = round_trip(text);
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "\"verdict\": \"not_run\""));
    assert_non_null(strstr(text, "\"requests_per_s\": null"));
    assert_non_null(strstr(text, "\"p99_99\": null"));
    assert_non_null(strstr(text, "\"ended\": null"));
    assert_non_null(strstr(text, "\"command\": null"));
    assert_null(strstr(text, "0.0,"));
    result_fini(&r);
    free(text);
    free(again);
}

static void test_fields_come_back(void **state)
{
    (void)state;
    struct result r;
    struct err e = {0};
    char *text = full_json();
    assert_int_equal(result_from_json(&r, text, "result.json", &e), 0);
    assert_int_equal(r.state, RUN_INTERRUPTED);
    assert_string_equal(r.ended, "2026-01-31T12:10:00Z");
    assert_string_equal(r.fingerprint, "machine=1\nnginx=2");
    assert_string_equal(r.plan.suite.name, "small");
    assert_int_equal(r.plan.servers_n, 3);
    assert_null(r.plan.servers[0].url);
    assert_string_equal(r.plan.servers[2].url, "http://127.0.0.1:8080");
    assert_int_equal(r.plan.reference, 0);
    assert_int_equal(r.plan.comparisons_n, 2);
    assert_int_equal(r.plan.comparisons[1].first, 3);
    assert_string_equal(r.plan.cells[5].skipped, "no level for it: \"quotes\" \\ and\nlines");
    assert_int_equal(r.cells[5].verdict, VERDICT_SKIPPED);
    assert_null(r.plan.cells[4].skipped);
    assert_true(facts_find(&r.environment, "memory_mib")->number == 7946);
    assert_string_equal(facts_show(&r.environment, "governor"), "unknown");
    assert_string_equal(r.servers[2].failed, "it isn't there");
    assert_null(r.servers[0].failed);
    assert_string_equal(r.servers[0].conf.item[0], "conf/a/nginx.conf");
    assert_int_equal(r.trials_n, 3);
    assert_int_equal(r.trials[0].tally.bytes, INT64_MAX);
    assert_int_equal(r.trials[0].tally.errors[0], -1);
    assert_int_equal(r.trials[0].tally.errors[1], 1);
    assert_near(r.trials[0].tally.latency.p[LATENCY_P50], 1.0 / 3, 1e-12);
    assert_true(isnan(r.trials[0].tally.latency.stdev));
    assert_true(r.trials[0].tally.latency.corrected);
    assert_string_equal(r.trials[0].note, "few errors: read 1 (\xe2\x82\xac)");
    assert_int_equal(r.trials[1].cell, 4);
    assert_int_equal(r.trials[2].verdict, VERDICT_SERVER_DIED);
    assert_int_equal(r.trials[2].tally.requests, -1);
    assert_true(isnan(r.trials[2].usage.wall_s));
    assert_near(r.cells[0].latency[LATENCY_P50], 0, 0);
    assert_near(r.cells[0].latency_resolution, 1000, 0);
    assert_true(isnan(r.ratios[1].value.low));
    assert_int_equal(r.ratios[1].value.n, 2);
    assert_int_equal(r.ratios[1].metric, METRIC_CPU);
    assert_true(isnan(r.ratios[2].value.high)); /* infinity is no number of JSON either */
    assert_null(r.fairness[0].value[2]);
    assert_string_equal(r.fairness[0].reason[1], "sends no Date \xf0\x9f\x95\x90");
    assert_true(r.fairness[1].broken);
    result_fini(&r);
    free(text);
}

/* P10: every number is finite, and no key was lost for being unknown. */
static void test_is_strict_json(void **state)
{
    (void)state;
    char *text = full_json();
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    json_t *trial = json_array_get(json_object_get(root, "trials"), 2);
    json_t *usage = json_object_get(trial, "usage"), *tally = json_object_get(trial, "tally");
    assert_int_equal(json_object_size(usage), sizeof(struct usage) / sizeof(double));
    assert_int_equal(json_object_size(json_object_get(tally, "errors")), ERROR_KINDS);
    assert_true(json_is_null(json_object_get(tally, "requests")));
    json_decref(root);
    free(text);
}

/* Text of tools and logs is any bytes; the file stays UTF-8 and loses no key. */
static void test_text_that_is_not_utf8(void **state)
{
    (void)state;
    static const char *const notes[] = {
        "caf\xe9", "\xff\xfe", "a\xc3", "\xed\xa0\x80", "tab\there \x01 \x7f", "\xf4\x90\x80\x80"};
    static const char *const kept[] = {"caf?", "??", "a?", "???", "tab\there \x01 \x7f", "????"};
    for (int i = 0; i < 6; i++) {
        struct result r, back;
        small_result(&r, 1, 1, 1);
        struct trial *t = small_trial(&r, 0, 0, 10, 10);
        snprintf(t->note, sizeof t->note, "%s", notes[i]);
        strings_add(&r.warnings, notes[i]);
        r.command = xstrdup(notes[i]);
        char *text = result_to_json(&r);
        assert_int_equal(result_from_json(&back, text, "r", NULL), 0);
        assert_string_equal(back.trials[0].note, kept[i]);
        assert_string_equal(back.warnings.item[0], kept[i]);
        assert_string_equal(back.command, kept[i]);
        char *again = result_to_json(&back);
        assert_string_equal(text, again);
        result_fini(&r);
        result_fini(&back);
        free(text);
        free(again);
    }
}

/* P12 */
static void test_comma_locale(void **state)
{
    (void)state;
    char *text = full_json();
    bool comma = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    char *german = full_json(), *again = round_trip(text);
    setlocale(LC_ALL, "C");
    assert_string_equal(german, text);
    assert_string_equal(again, text);
    free(german);
    free(again);
    free(text);
    if (!comma)
        skip_because("no locale de_DE.UTF-8");
}

/* Rates are computed again when a file is read; 12 digits of time must not lose the 13th twice. */
static void test_odd_figures_settle(void **state)
{
    (void)state;
    for (int i = 1; i < 200; i++) {
        struct result r;
        small_result(&r, 1, 1, 1);
        struct trial *t = small_trial(&r, 0, 0, 1000.0 * i, 3333.3 / i);
        t->tally.duration_s = 2 + i / 7919.0;
        char *first = result_to_json(&r), *second = round_trip(first), *third = round_trip(second);
        assert_string_equal(second, third);
        result_fini(&r);
        free(first);
        free(second);
        free(third);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_is_identity), cmocka_unit_test(test_nothing_measured),
        cmocka_unit_test(test_fields_come_back),       cmocka_unit_test(test_is_strict_json),
        cmocka_unit_test(test_text_that_is_not_utf8),  cmocka_unit_test(test_comma_locale),
        cmocka_unit_test(test_odd_figures_settle),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
