/* What ab prints, read: recorded outputs of ab 2.3 (real-*) and the inputs of other people's bug
   reports (cases A08 to A18), in the C locale and in three with a decimal comma. */
#include "load/ab_report.h"

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
    char *below = xasprintf("harness/tests/fixtures/ab/%s", name), *path = home_path(below);
    struct err e = {0};
    char *text = file_read(path, NULL, &e);
    if (!text)
        fail_msg("%s", e.text);
    free(path);
    free(below);
    return text;
}

/* percentiles is the name of a -e file, or NULL. */
static struct ab_report parse(const char *name, const char *percentiles)
{
    struct ab_report r;
    char *text = fixture(name), *csv = percentiles ? fixture(percentiles) : NULL;
    if (ab_report_parse(text, csv, &r) != 0)
        fail_msg("%s is not taken as a report", name);
    free(text);
    free(csv);
    return r;
}

static struct tally tally_of(const struct ab_report *r)
{
    struct tally t;
    ab_report_tally(r, &t);
    return t;
}

static void recorded_keepalive(void **state)
{
    (void)state;
    struct ab_report r = parse("real-keepalive.txt", "real-keepalive.csv");
    struct tally t = tally_of(&r);
    assert_string_equal(r.server_software, "nginx/1.22.1");
    assert_int_equal(r.document_length, 2);
    assert_int_equal(t.connections, 4);
    assert_true(t.requests > 1000);
    assert_int_equal(t.ok, t.requests);
    assert_int_equal(t.reconnects, 0);
    for (int kind = 0; kind < ERROR_KINDS; kind++)
        assert_int_equal(t.errors[kind], kind == ERROR_TIMEOUT ? -1 : 0);
    assert_true(t.bytes >= t.requests * 149 && t.bytes <= (t.requests + 4) * 149);
    assert_true(fabs(t.reported_per_s * t.duration_s - (double)t.requests) <
                0.001 * (double)t.requests);
    assert_true(r.microseconds);
    assert_true(t.latency.resolution == 1);
    for (int i = LATENCY_P75; i <= LATENCY_P99; i++)
        assert_true(t.latency.p[i] >= t.latency.p[i - 1]);
    assert_true(t.latency.min > 0 && t.latency.min < t.latency.p[LATENCY_P50]);
    assert_true(t.latency.max > t.latency.p[LATENCY_P99]);
    assert_true(isnan(t.latency.p[LATENCY_P999]) && isnan(t.latency.p[LATENCY_P9999]));
    assert_false(t.latency.corrected);
    assert_true(ab_report_consistent(&r));
    assert_false(ab_report_capped(&r, 400004, 1));
}

static void recorded_close(void **state)
{
    (void)state;
    struct ab_report r = parse("real-close.txt", "real-close.csv");
    struct tally t = tally_of(&r);
    assert_int_equal(r.keepalive_requests, -1); /* the line is there with -k only */
    assert_int_equal(t.reconnects, t.requests - 4);
    assert_int_equal(t.ok, t.requests);
    assert_true(ab_report_consistent(&r));
}

static void recorded_statuses(void **state)
{
    (void)state;
    struct ab_report r = parse("real-503.txt", NULL);
    struct tally t = tally_of(&r);
    assert_int_equal(r.failed, 0); /* ab finds nothing wrong */
    assert_int_equal(r.non2xx, r.complete);
    assert_int_equal(t.errors[ERROR_STATUS], t.requests);
    assert_int_equal(t.ok, 0);
}

static void recorded_resets(void **state)
{
    (void)state;
    struct ab_report r = parse("real-resets.txt", "real-resets.csv"); /* each tenth, with -r */
    struct tally t = tally_of(&r);
    assert_int_equal(r.failed, 4950);
    assert_int_equal(r.receive, 1650); /* one and the same reset three times */
    assert_int_equal(r.length, 1650);
    assert_int_equal(r.exceptions, 1650);
    assert_int_equal(t.requests, 16506 - 1650);
    assert_int_equal(t.ok, 16506 - 1650);
    assert_int_equal(tally_errors(&t), 1650);
    assert_int_equal(t.errors[ERROR_READ], 1650);
}

/* With -r and nobody listening ab reports a record speed. */
static void recorded_nobody_listens(void **state)
{
    (void)state;
    struct ab_report r = parse("real-refused-r.txt", NULL);
    struct tally t = tally_of(&r);
    assert_true(r.complete > 10000);
    assert_true(r.per_second > 10000);
    assert_int_equal(t.requests, 0);
    assert_int_equal(t.ok, 0);
}

static void a08_wrong_statuses_are_complete(void **state)
{
    (void)state;
    struct ab_report r = parse("a08-all-non-2xx.txt", NULL);
    struct tally t = tally_of(&r);
    assert_int_equal(r.failed, 0);
    assert_int_equal(t.requests, 20000);
    assert_int_equal(t.errors[ERROR_STATUS], 20000);
    assert_int_equal(t.ok, 0);
    r = parse("a08-few-non-2xx.txt", NULL);
    t = tally_of(&r);
    assert_int_equal(t.ok, 19993);
}

static void a09_breakdown_by_name(void **state)
{
    (void)state;
    struct ab_report r = parse("a09-none.txt", NULL);
    struct tally t = tally_of(&r);
    assert_int_equal(r.length, -1);
    assert_int_equal(r.write_errors, -1);
    assert_int_equal(t.errors[ERROR_LENGTH], 0);
    assert_int_equal(t.ok, 20000);

    r = parse("a09-three.txt", NULL);
    t = tally_of(&r);
    assert_int_equal(r.failed, 12);
    assert_int_equal(r.connect, 0);
    assert_int_equal(r.receive, -1);
    assert_int_equal(r.length, 12);
    assert_int_equal(r.exceptions, 0);
    assert_int_equal(r.write_errors, 0);
    assert_int_equal(t.errors[ERROR_READ], -1);
    assert_int_equal(t.ok, 19988);

    r = parse("a09-four.txt", NULL);
    t = tally_of(&r);
    assert_int_equal(r.failed, 13); /* the fields make 14: no reason to fail */
    assert_int_equal(r.receive, 3);
    assert_int_equal(r.length, 9);
    assert_int_equal(r.exceptions, 2);
    assert_int_equal(t.requests, 19997);
    assert_int_equal(t.ok, 19991);
}

static void a11_one_request(void **state)
{
    (void)state;
    struct ab_report r = parse("a11-one.txt", NULL);
    struct tally t = tally_of(&r);
    assert_true(r.low_sample);
    assert_int_equal(t.requests, 1);
    assert_true(t.duration_s == 5.01);
    for (int i = 0; i < LATENCY_N; i++)
        assert_true(isnan(t.latency.p[i]));
}

static void a13_tls_lines_and_no_server_name(void **state)
{
    (void)state;
    struct ab_report r = parse("a13-tls.txt", NULL);
    assert_string_equal(r.server_software, "");
    assert_int_equal(r.complete, 5000);
    assert_int_equal(r.document_length, 2);
}

static void a15_capped_by_its_own_limit(void **state)
{
    (void)state;
    struct ab_report r = parse("a15-capped.txt", NULL);
    assert_true(ab_report_capped(&r, 200000, 10));
    assert_false(ab_report_capped(&r, 200000, 2)); /* the clock ended it, about */
    r = parse("a18-zero.txt", NULL);
    assert_false(ab_report_capped(&r, 200000, 10)); /* short, for another reason */
}

static void a17_labels_that_come_twice(void **state)
{
    (void)state;
    struct ab_report r = parse("a17-post.txt", NULL);
    assert_true(r.mean_ms == 8);
    assert_true(r.mean_across_ms == 0.125);
    assert_true(r.received_kib_s == 512);
    assert_true(r.sent_kib_s == 700);
    assert_true(r.total_kib_s == 1212);
    assert_int_equal(r.body_sent, 716800);
    assert_int_equal(r.transferred, 1192000);
    r = parse("real-post.txt", NULL);
    assert_true(r.sent_kib_s > 0 && r.total_kib_s > r.received_kib_s);
    assert_true(fabs(r.total_kib_s - r.sent_kib_s - r.received_kib_s) < 0.05);
}

static void a18_whole_milliseconds(void **state)
{
    (void)state;
    struct ab_report r = parse("a18-zero.txt", NULL);
    struct tally t = tally_of(&r);
    for (int i = LATENCY_P50; i <= LATENCY_P99; i++)
        assert_true(t.latency.p[i] == 0);
    assert_true(t.latency.max == 3000);
    assert_true(t.latency.resolution == 1000);
    assert_true(isnan(t.latency.min));
    assert_true(t.latency.mean == 100);
}

static void a_percentiles_file_is_taken_whole_or_not(void **state)
{
    (void)state;
    char *text = fixture("real-keepalive.txt"), *csv = fixture("real-keepalive.csv");
    struct ab_report r;
    for (size_t n = 0; n < strlen(csv); n++) {
        char *part = xstrndup(csv, n);
        assert_int_equal(ab_report_parse(text, part, &r), 0);
        /* Cut inside the last figure it can't be told; before, it must be. */
        if (n + 6 < strlen(csv))
            assert_false(r.microseconds);
        free(part);
    }
    csv[0] = 'p';
    assert_int_equal(ab_report_parse(text, csv, &r), 0);
    assert_false(r.microseconds);
    assert_true(r.percent_ms[50] == 0); /* the table's */
    free(csv);
    free(text);
}

/* A connection that is never answered shows: time and count say more than the percentiles. */
static void starved_connections_contradict_the_percentiles(void **state)
{
    (void)state;
    struct ab_report r = parse("real-keepalive.txt", "real-keepalive.csv");
    assert_true(ab_report_consistent(&r));
    r.mean_ms *= 4;
    assert_false(ab_report_consistent(&r));
    r = parse("real-keepalive.txt", "real-keepalive.csv");
    r.mean_ms /= 4;
    assert_false(ab_report_consistent(&r));
    r.microseconds = false; /* whole ms can't tell */
    assert_true(ab_report_consistent(&r));
}

static void what_is_no_report(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a01-reset.out",     "a16-aborted.out",  "real-refused.out", "real-reset-abort.out",
        "real-fd-limit.out", "real-timeout.out", "real-usage.out"};
    struct ab_report r;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = fixture(names[i]);
        if (ab_report_parse(text, NULL, &r) != -1)
            fail_msg("%s is taken as a report", names[i]);
        struct tally t = tally_of(&r);
        assert_int_equal(t.requests, -1);
        assert_int_equal(t.ok, -1);
        assert_true(isnan(t.duration_s));
        free(text);
    }
}

static void any_prefix_is_safe(void **state)
{
    (void)state;
    char *text = fixture("a09-four.txt");
    size_t len = strlen(text);
    for (size_t n = 0; n <= len; n++) {
        char *part = xstrndup(text, n);
        struct ab_report r;
        if (ab_report_parse(part, NULL, &r) == 0) {
            struct tally t = tally_of(&r);
            assert_true(t.ok <= t.requests && t.requests <= 20000);
        }
        free(part);
    }
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
        recorded_keepalive(state);
        recorded_close(state);
        recorded_resets(state);
        a09_breakdown_by_name(state);
        a11_one_request(state);
        a17_labels_that_come_twice(state);
        a18_whole_milliseconds(state);
    }
    setlocale(LC_ALL, "C");
    if (!tried)
        skip_because("no comma locale is installed");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_keepalive),
        cmocka_unit_test(recorded_close),
        cmocka_unit_test(recorded_statuses),
        cmocka_unit_test(recorded_resets),
        cmocka_unit_test(recorded_nobody_listens),
        cmocka_unit_test(a08_wrong_statuses_are_complete),
        cmocka_unit_test(a09_breakdown_by_name),
        cmocka_unit_test(a11_one_request),
        cmocka_unit_test(a13_tls_lines_and_no_server_name),
        cmocka_unit_test(a15_capped_by_its_own_limit),
        cmocka_unit_test(a17_labels_that_come_twice),
        cmocka_unit_test(a18_whole_milliseconds),
        cmocka_unit_test(a_percentiles_file_is_taken_whole_or_not),
        cmocka_unit_test(starved_connections_contradict_the_percentiles),
        cmocka_unit_test(what_is_no_report),
        cmocka_unit_test(any_prefix_is_safe),
        cmocka_unit_test(under_comma_locales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
