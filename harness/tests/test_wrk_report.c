/* What wrk prints, read: recorded outputs of wrk 4.1.0 (real-*.txt) and the inputs of other
   people's bug reports (cases W01 to W18), in the C locale and in three with a decimal comma. */
#include "load/wrk_report.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "base/home.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/scratch.h"

static char *fixture(const char *name)
{
    char *below = xasprintf("harness/tests/fixtures/wrk/%s", name), *path = home_path(below);
    struct err e = {0};
    char *text = file_read(path, NULL, &e);
    if (!text)
        fail_msg("%s", e.text);
    free(path);
    free(below);
    return text;
}

static struct wrk_report parse(const char *name)
{
    struct wrk_report r;
    char *text = fixture(name);
    if (wrk_report_parse(text, &r) != 0)
        fail_msg("%s is not taken as a report", name);
    free(text);
    return r;
}

static void recorded_exact(void **state)
{
    (void)state;
    struct wrk_report r = parse("real-exact.txt");
    const struct tally *t = &r.tally;
    assert_true(r.exact);
    assert_string_equal(r.note, "");
    assert_int_equal(t->connections, 4);
    assert_true(t->requests > 1000);
    assert_int_equal(t->ok, t->requests);
    assert_true(t->duration_s >= 1 && t->duration_s < 1.2);
    assert_int_equal(t->bytes, t->requests * 149); /* nginx's answer to /health */
    assert_true(fabs(t->reported_per_s * t->duration_s - (double)t->requests) < 1);
    for (int kind = ERROR_CONNECT; kind <= ERROR_STATUS; kind++)
        assert_int_equal(t->errors[kind], 0);
    assert_int_equal(t->errors[ERROR_LENGTH], -1); /* wrk doesn't look */
    assert_int_equal(t->reconnects, -1);
    for (int i = 1; i < LATENCY_N; i++)
        assert_true(t->latency.p[i] >= t->latency.p[i - 1]);
    assert_true(t->latency.min > 0 && t->latency.min <= t->latency.p[LATENCY_P50]);
    assert_true(t->latency.max >= t->latency.p[LATENCY_P9999]);
    assert_true(t->latency.mean > 0 && t->latency.stdev > 0);
    assert_true(t->latency.resolution == 1);
    assert_true(t->latency.corrected);
    assert_false(t->latency.censored);
}

static void recorded_text_only(void **state)
{
    (void)state;
    struct wrk_report r = parse("real-text.txt");
    const struct latency *l = &r.tally.latency;
    assert_false(r.exact);
    assert_non_null(strstr(r.note, "the script printed nothing"));
    assert_int_equal(r.tally.ok, r.tally.requests);
    assert_true(l->p[LATENCY_P50] > 1 && l->p[LATENCY_P50] < 1e5);
    assert_true(l->p[LATENCY_P99] >= l->p[LATENCY_P50]);
    assert_true(isnan(l->p[LATENCY_P999]) && isnan(l->p[LATENCY_P9999]) && isnan(l->min));
    assert_true(l->resolution >= 0.01 && l->resolution <= 10000);
}

static void recorded_failures(void **state)
{
    (void)state;
    struct wrk_report r = parse("real-503.txt");
    assert_true(r.exact);
    assert_true(r.tally.requests > 1000);
    assert_int_equal(r.tally.errors[ERROR_STATUS], r.tally.requests);
    assert_int_equal(r.tally.ok, 0);

    r = parse("real-fd-limit.txt"); /* ulimit -n 40, 100 connections */
    assert_int_equal(r.tally.errors[ERROR_CONNECT], 65);
    assert_int_equal(r.tally.connections, 35);

    r = parse("real-no-answer.txt"); /* a server that accepts and never answers */
    assert_true(r.exact);
    assert_int_equal(r.tally.requests, 0);
    assert_true(isnan(r.tally.latency.min) && isnan(r.tally.latency.p[LATENCY_P50]));
}

static void w01_nothing_measured(void **state)
{
    (void)state;
    struct wrk_report r = parse("w01-nothing.txt");
    assert_int_equal(r.tally.requests, 0);
    assert_int_equal(r.tally.ok, 0);
    assert_int_equal(r.tally.bytes, 0);
    assert_true(r.tally.duration_s == 10.02);
    assert_true(r.tally.reported_per_s == 0);
}

static void w06_every_answer_closes(void **state)
{
    (void)state;
    struct wrk_report r = parse("w06-closing.txt");
    assert_true(r.server_closes_each_response);
    assert_int_equal(r.tally.requests, 120000);
    assert_int_equal(r.tally.ok, 120000);
    assert_int_equal(r.read_errors, 119999);
    assert_int_equal(r.tally.reconnects, 119999);
    assert_int_equal(r.tally.errors[ERROR_READ], 0);
    assert_int_equal(r.tally.errors[ERROR_CONNECT], 0);
    assert_true(r.tally.reported_per_s == 12000);

    r = parse("w06-no-data.txt");
    assert_false(r.server_closes_each_response);
    assert_int_equal(r.tally.requests, 0);
    assert_int_equal(r.tally.errors[ERROR_READ], 40000);
    assert_int_equal(r.tally.bytes, llround(50.31 * 1024 * 1024));

    r = parse("real-closing.txt"); /* wrk 4.1.0 against a server without Content-Length */
    assert_true(r.exact && r.server_closes_each_response);
    assert_int_equal(r.read_errors, r.tally.requests);
    assert_int_equal(r.tally.ok, r.tally.requests);
}

static void w08_wrong_statuses_are_in_the_total(void **state)
{
    (void)state;
    struct wrk_report r = parse("w08-all-wrong.txt");
    assert_int_equal(r.tally.requests, 500000);
    assert_int_equal(r.tally.errors[ERROR_STATUS], 500000);
    assert_int_equal(r.tally.ok, 0);
    r = parse("w08-few-wrong.txt");
    assert_int_equal(r.tally.errors[ERROR_STATUS], 12);
    assert_int_equal(r.tally.ok, 499988);
    r = parse("w08-only-304.txt"); /* wrk takes them for right: the contract check's job */
    assert_int_equal(r.tally.errors[ERROR_STATUS], 0);
    assert_int_equal(r.tally.ok, 500000);
}

static void w09_time_is_the_reported_one(void **state)
{
    (void)state;
    assert_true(parse("w09-overrun.txt").tally.duration_s == 78);
    assert_true(parse("w09-normal.txt").tally.duration_s == 10.09);
}

static void w12_failed_connects(void **state)
{
    (void)state;
    struct wrk_report r = parse("w12-connect.txt");
    assert_int_equal(r.tally.errors[ERROR_CONNECT], 155);
    assert_int_equal(r.tally.connections, 101);
}

static void w14_json_is_taken_after_the_marker_only_and_strictly(void **state)
{
    (void)state;
    static const char *const bad[] = {"w14-trailing-comma.txt", "w14-nan.txt",
                                      "w14-two-blocks.txt",     "w14-quoted.txt",
                                      "w14-object.txt",         "w14-contradiction.txt"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wrk_report r = parse(bad[i]);
        if (r.exact || !strstr(r.note, "text report"))
            fail_msg("%s: %s", bad[i], r.note);
        assert_int_equal(r.tally.requests, 100);
        assert_int_equal(r.tally.bytes, 14848);
        assert_true(r.tally.latency.p[LATENCY_P50] == 849); /* the text's */
        assert_true(isnan(r.tally.latency.p[LATENCY_P999]));
    }
    struct wrk_report r = parse("w14-good.txt");
    assert_true(r.exact);
    assert_true(r.tally.latency.mean == 901.5);
    assert_true(r.tally.latency.p[LATENCY_P50] == 900);
    assert_true(r.tally.latency.p[LATENCY_P9999] == 905);
}

static void w16_blanks_and_nans(void **state)
{
    (void)state;
    struct wrk_report r = parse("w16-blanks.txt");
    assert_true(r.tally.latency.p[LATENCY_P99] == 1560000);
    assert_true(r.tally.latency.mean == 870);
    assert_int_equal(r.tally.requests, 100);
    r = parse("w16-nan-rate.txt");
    assert_true(isnan(r.tally.reported_per_s));
    assert_int_equal(r.tally.requests, 100);
}

static void w18_slow_answers_are_missing(void **state)
{
    (void)state;
    struct wrk_report r = parse("w18-censored.txt");
    assert_true(r.tally.latency.censored);
    assert_int_equal(r.tally.errors[ERROR_TIMEOUT], 652);
    assert_int_equal(r.tally.requests, 78000);
    assert_true(r.tally.latency.p[LATENCY_P99] == 1900000);
    assert_true(r.tally.latency.resolution == 10000);
}

static void what_is_no_report(void **state)
{
    (void)state;
    static const char *const names[] = {"real-usage.out", "real-refused.out"};
    struct wrk_report r;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = fixture(names[i]);
        assert_int_equal(wrk_report_parse(text, &r), -1);
        assert_int_equal(r.tally.requests, -1);
        assert_true(isnan(r.tally.duration_s));
        free(text);
    }
    assert_int_equal(wrk_report_parse("Running 2s test @ http://127.0.0.1:1/", &r), -1);
    assert_int_equal(wrk_report_parse("  x requests in 10.00s, 1.00MB read\n", &r), -1);
}

/* A report cut at any byte is refused or read as far as it goes; nothing past its end is touched.
 */
static void any_prefix_is_safe(void **state)
{
    (void)state;
    char *text = fixture("real-exact.txt");
    size_t len = strlen(text), whole = 0;
    for (size_t n = 0; n <= len; n++) {
        char *part = xstrndup(text, n);
        struct wrk_report r;
        if (wrk_report_parse(part, &r) == 0)
            whole++;
        assert_true(n == len || n + 1 == len || !r.exact);
        free(part);
    }
    assert_true(whole > 100 && whole < len);
    free(text);
}

static void under_comma_locales(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "pl_PL.UTF-8"};
    size_t tried = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        assert_string_equal(localeconv()->decimal_point, ",");
        tried++;
        recorded_exact(state);
        recorded_text_only(state);
        recorded_failures(state);
        w01_nothing_measured(state);
        w06_every_answer_closes(state);
        w09_time_is_the_reported_one(state);
        w14_json_is_taken_after_the_marker_only_and_strictly(state);
        w16_blanks_and_nans(state);
        w18_slow_answers_are_missing(state);
    }
    setlocale(LC_ALL, "C");
    if (!tried)
        skip_because("no comma locale is installed");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_exact),
        cmocka_unit_test(recorded_text_only),
        cmocka_unit_test(recorded_failures),
        cmocka_unit_test(w01_nothing_measured),
        cmocka_unit_test(w06_every_answer_closes),
        cmocka_unit_test(w08_wrong_statuses_are_in_the_total),
        cmocka_unit_test(w09_time_is_the_reported_one),
        cmocka_unit_test(w12_failed_connects),
        cmocka_unit_test(w14_json_is_taken_after_the_marker_only_and_strictly),
        cmocka_unit_test(w16_blanks_and_nans),
        cmocka_unit_test(w18_slow_answers_are_missing),
        cmocka_unit_test(what_is_no_report),
        cmocka_unit_test(any_prefix_is_safe),
        cmocka_unit_test(under_comma_locales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
