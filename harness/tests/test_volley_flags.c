/* volley's command line: numbers with units, refusals, what belongs together, and that the table is
 * consistent. */
#include "base/err.h"
#include "volley/flags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_counts(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0}, {"64", 64}, {"2k", 2000}, {"1.5k", 1500}, {"1M", 1000000}, {"0.001k", 1}};
    static const char *const bad[] = {
        "",   "-1",  "k",   "1.5", "1e3", "0x10", "nan",
        "1K", "1 k", "1,5", "+1",  ".5k", "1kk",  "99999999999999999999"};
    uint64_t v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(flags_read_count(good[i].text, &v), 0);
        assert_int_equal(v, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(flags_read_count(bad[i], &v), -1);
}

static void test_times(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"10", 10000000000},  {"10s", 10000000000},  {"500ms", 500000000},
                {"2m", 120000000000}, {"1h", 3600000000000}, {"0.5s", 500000000},
                {"50us", 50000}};
    static const char *const bad[] = {"", "s", "10 s", "10S", "-1s", "1d", "1ns", "infs"};
    uint64_t ns;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(flags_read_time(good[i].text, &ns), 0);
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(flags_read_time(bad[i], &ns), -1);
}

static void test_rates(void **unused)
{
    (void)unused;
    double r;
    assert_int_equal(flags_read_rate("200/s", &r), 0);
    assert_true(r == 200);
    assert_int_equal(flags_read_rate("2.5k/s", &r), 0);
    assert_true(r == 2500);
    assert_int_equal(flags_read_rate("0.5", &r), 0);
    assert_true(r == 0.5);
    assert_int_equal(flags_read_rate("200/m", &r), -1);
}

static int parse(struct flags *o, struct err *e, const char *const *words)
{
    char *argv[32] = {(char *)"volley"};
    int argc = 1;
    for (; *words; words++)
        argv[argc++] = (char *)*words;
    *e = (struct err){0};
    return flags_parse(o, argc, argv, e);
}

#define PARSE(o, e, ...) parse(o, e, (const char *const[]){__VA_ARGS__, NULL})

static void test_defaults_and_values(void **unused)
{
    (void)unused;
    struct flags o;
    struct err e;
    assert_int_equal(PARSE(&o, &e, "http://x/"), 0);
    assert_int_equal(o.connections, 10);
    assert_int_equal(o.threads, 1);
    assert_int_equal(o.duration_ns, 10000000000);
    assert_int_equal(o.timeout_ns, 2000000000);
    assert_int_equal(o.drain_ns, o.timeout_ns);
    assert_false(o.seed_given);
    assert_int_equal(PARSE(&o, &e, "--slice", "5", "http://x/"), 0);
    assert_int_equal(o.slice_ns, 5000000);
    assert_int_equal(PARSE(&o, &e, "--slice", "1s", "http://x/"), 0);
    assert_int_equal(o.slice_ns, 1000000000);
    assert_int_equal(PARSE(&o, &e, "-c64", "-d", "2m", "-t2", "-HA: b", "-H", "C: d", "--latency",
                           "--seed", "0", "http://x/", "http://y/"),
                     0);
    assert_int_equal(o.connections, 64);
    assert_int_equal(o.threads, 2);
    assert_int_equal(o.headers.n, 2);
    assert_string_equal(o.headers.item[1], "C: d");
    assert_int_equal(o.urls.n, 2);
    assert_true(o.latency && o.seed_given);
}

static void test_requests_alone_have_no_time_limit(void **unused)
{
    (void)unused;
    struct flags o;
    struct err e;
    assert_int_equal(PARSE(&o, &e, "--requests", "5", "http://x/"), 0);
    assert_true(o.duration_ns > UINT64_C(86400000000000) * 365);
    assert_int_equal(PARSE(&o, &e, "--requests", "5", "-d", "10s", "http://x/"), 0);
    assert_int_equal(o.duration_ns, 10000000000);
}

static void assert_refused(const char *part, struct err *e, int rc)
{
    assert_int_equal(rc, -1);
    assert_int_equal(e->code, EXIT_USAGE);
    if (!strstr(e->text, part))
        fail_msg("'%s' is not in: %s", part, e->text);
}

static void test_refusals_name_the_flag_and_the_value(void **unused)
{
    (void)unused;
    struct flags o;
    struct err e;
    assert_refused("-c/--connections: 'x' is not a count", &e,
                   PARSE(&o, &e, "-c", "x", "http://x/"));
    assert_refused("--slice: 0 is out of range; give 0.001 s to", &e,
                   PARSE(&o, &e, "--slice", "0", "http://x/"));
    assert_refused("-t 3", &e, PARSE(&o, &e, "-t", "3", "-c", "2", "http://x/"));
    assert_refused("unknown option --bogus", &e, PARSE(&o, &e, "--bogus", "http://x/"));
    assert_refused("-c needs a value", &e, PARSE(&o, &e, "http://x/", "-c"));
    assert_refused("--seed needs a value", &e, PARSE(&o, &e, "http://x/", "--seed"));
    assert_refused("no URL", &e, PARSE(&o, &e, "-c", "1"));
    assert_int_equal(PARSE(&o, &e, "--help"), 0);
    assert_true(o.help);
}

static void test_lists_are_bounded(void **unused)
{
    (void)unused;
    struct flags o;
    struct err e = {0};
    char *argv[80] = {(char *)"volley"};
    for (int i = 1; i < 70; i++)
        argv[i] = (char *)"http://x/";
    assert_refused("more than 64 URLs", &e, flags_parse(&o, 70, argv, &e));
}

static void test_table_is_consistent_and_echoed(void **unused)
{
    (void)unused;
    struct flags o;
    struct err e;
    assert_int_equal(
        PARSE(&o, &e, "-c", "3", "--rate", "5", "-H", "A: \xff", "--pid", "0=1", "http://x/"), 0);
    json_t *all = flags_echo(&o);
    assert_int_equal(json_object_size(all), flag_row_count);
    for (size_t i = 0; i < flag_row_count; i++)
        for (size_t k = i + 1; k < flag_row_count; k++) {
            assert_string_not_equal(flag_rows[i].name, flag_rows[k].name);
            assert_int_not_equal(flag_rows[i].offset, flag_rows[k].offset);
            assert_true(!flag_rows[i].letter || flag_rows[i].letter != flag_rows[k].letter);
        }
    assert_int_equal(json_integer_value(json_object_get(all, "connections")), 3);
    assert_int_equal(json_integer_value(json_object_get(all, "duration_ns")), 10000000000);
    assert_true(json_real_value(json_object_get(all, "rate")) == 5);
    assert_true(json_is_null(json_object_get(all, "body")));
    assert_true(json_is_false(json_object_get(all, "any_length")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(all, "header"), 0)),
                        "(not UTF-8)");
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_defaults_and_values),
        cmocka_unit_test(test_requests_alone_have_no_time_limit),
        cmocka_unit_test(test_refusals_name_the_flag_and_the_value),
        cmocka_unit_test(test_lists_are_bounded),
        cmocka_unit_test(test_table_is_consistent_and_echoed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
