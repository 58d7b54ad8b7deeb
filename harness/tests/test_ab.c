/* Driving ab: its command line, what is made of its end, and fake abs on PATH that behave as in
   other people's bug reports (A01, A03, A16). The real one is in test_generator.c. */
#include "load/ab.c" /* NOLINT(bugprone-suspicious-include): its statics are tested */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/fake_tool.h"

static struct load sample(void)
{
    return fake_load(4, 1);
}

/* Puts an ab before the real one that prints two fixtures and ends with a status; before that it
   does what more says. */
static void fake_ab(const char *out, const char *err, int status, const char *more)
{
    char *out_path = recorded_path("ab", out);
    char *err_path = err ? recorded_path("ab", err) : xstrdup("/dev/null");
    char *script =
        xasprintf("%s\ncat '%s'\ncat '%s' >&2\nexit %d\n", more, out_path, err_path, status);
    fake_tool("ab", script);
    free(script);
    free(err_path);
    free(out_path);
}

static struct load_outcome run_fake(const struct load *l, struct tally *t)
{
    struct load_outcome o;
    struct err e = {0};
    if (measure(l, t, &o, &e) != 0)
        fail_msg("%s", e.text);
    return o;
}

static struct load_outcome concluded(const struct load *l, const char *out, const char *csv,
                                     const char *err, struct tally *t)
{
    struct load_outcome o = {.verdict = VERDICT_NOT_RUN};
    struct tool_end end = {.how = "exited with status 1",
                           .failed = err != NULL,
                           .out = recorded("ab", out),
                           .err = err ? recorded("ab", err) : xstrdup("")};
    char *percentiles = csv ? recorded("ab", csv) : NULL;
    conclude(l, percentiles, &end, t, &o);
    free(percentiles);
    tool_end_fini(&end);
    return o;
}

static struct tool_job made(const struct load *l, double run_s)
{
    struct tool_job job;
    struct err e = {0};
    if (make_job(l, run_s, "", &job, &e) != 0) {
        print_error("%s\n", e.text);
        abort();
    }
    return job;
}

static void the_command_line_of_a_get(void **state)
{
    (void)state;
    struct load l = sample();
    struct tool_job job = made(&l, 1);
    char *csv = percentiles_path(&l, "");
    const char *const expected[] = {"ab",     "-q", "-r", "-s", "10",
                                    "-c",     "4",  "-t", "1",  "-n",
                                    "400004", "-e", csv,  "-k", "http://127.0.0.1:8080/health"};
    assert_int_equal(job.argv.n, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < job.argv.n; i++)
        assert_string_equal(job.argv.item[i], expected[i]);
    assert_true(job.interrupt_s == 0);
    assert_true(job.limit_s > 1 + TIMEOUT_S); /* A03: ab's own message comes first */
    free(csv);
    strings_fini(&job.argv);
}

static size_t position(const struct strings *argv, const char *option)
{
    for (size_t i = 0; i < argv->n; i++)
        if (strcmp(argv->item[i], option) == 0)
            return i;
    fail_msg("%s is missing", option);
    return 0;
}

static void a15_time_before_requests(void **state)
{
    (void)state;
    struct load l = sample();
    l.duration_s = 10;
    struct tool_job job = made(&l, 10);
    size_t t = position(&job.argv, "-t"), n = position(&job.argv, "-n");
    assert_true(t < n);
    assert_string_equal(job.argv.item[t + 1], "10");
    assert_true(strtol(job.argv.item[n + 1], NULL, 10) >= 200000 * 10);
    strings_fini(&job.argv);
    l.duration_s = 1e6; /* ab reads -n with atoi */
    job = made(&l, 1e6);
    assert_string_equal(job.argv.item[position(&job.argv, "-n") + 1], "100000000");
    strings_fini(&job.argv);
}

/* Counted requests: -n as asked, no clock and no interrupt; the warm-up still goes by time. */
static void counted_requests_have_no_clock(void **state)
{
    (void)state;
    struct load l = sample();
    l.requests = 50000;
    struct tool_job job = made(&l, 0.5);
    assert_string_equal(job.argv.item[position(&job.argv, "-n") + 1], "50000");
    assert_false(strings_has(&job.argv, "-t"));
    assert_true(job.interrupt_s == 0);
    assert_true(job.limit_s >= 600);
    strings_fini(&job.argv);
    struct tally t = {0};
    struct load_outcome o = concluded(&l, "a15-capped.txt", NULL, NULL, &t);
    assert_null(strstr(o.note, "capped"));
    struct err e = {0};
    fake_ab("a09-none.txt", NULL, 0, "");
    l.warmup_s = 0.5;
    assert_int_equal(warm(&l, &e), 0);
    char *command = fake_left("warm-command.txt");
    assert_non_null(strstr(command, "-t"));
    free(command);
    l.requests = 100;
    l.connections = 101;
    char *why = refuses(&l);
    assert_non_null(strstr(why, "at least as many requests"));
    free(why);
}

static void the_command_line_of_a_post_for_half_a_second(void **state)
{
    (void)state;
    struct load l = sample();
    l.route = ROUTE_ECHO;
    l.keepalive = false;
    struct tool_job job = made(&l, 0.5);
    char *body = file_read(job.argv.item[position(&job.argv, "-p") + 1], NULL, NULL);
    assert_string_equal(body, route_get(ROUTE_ECHO)->request_body);
    assert_string_equal(job.argv.item[position(&job.argv, "-T") + 1],
                        route_get(ROUTE_ECHO)->request_type);
    assert_false(strings_has(&job.argv, "-k"));
    assert_false(strings_has(&job.argv, "-l"));
    assert_string_equal(job.argv.item[position(&job.argv, "-t") + 1], "3");
    assert_true(job.interrupt_s == 0.5);
    free(body);
    strings_fini(&job.argv);
}

static void what_it_refuses(void **state)
{
    (void)state;
    struct load l = sample();
    assert_null(refuses(&l));
    l.connections = 20001;
    char *why = refuses(&l);
    assert_non_null(strstr(why, "20000"));
    free(why);
    l = sample();
    l.duration_s = 0.01;
    why = refuses(&l);
    assert_non_null(strstr(why, "too short"));
    free(why);
}

static void a01_gives_up_on_a_reset(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    fake_ab("a01-reset.out", "a01-reset.err", 104, "");
    struct load_outcome o = run_fake(&l, &t);
    assert_int_equal(o.verdict, VERDICT_ERRORS);
    assert_non_null(strstr(o.note, "reset"));
    assert_non_null(strstr(o.note, "Connection reset by peer (104)"));
    assert_int_equal(t.errors[ERROR_READ], 1);
    assert_int_equal(t.requests, -1);
    assert_true(isnan(t.reported_per_s) && isnan(t.latency.p[LATENCY_P50]));
    char *kept = fake_left("err.txt");
    assert_string_equal(kept, "apr_socket_recv: Connection reset by peer (104)\n");
    free(kept);
}

static void a03_timeouts_of_old_and_new(void **state)
{
    (void)state;
    static const char *const errs[] = {"a03-old.err", "a03-new.err", "real-timeout.err"};
    struct load l = sample();
    struct tally t = {0};
    for (size_t i = 0; i < sizeof errs / sizeof errs[0]; i++) {
        struct load_outcome o = concluded(&l, "a01-reset.out", NULL, errs[i], &t);
        assert_int_equal(o.verdict, VERDICT_ERRORS);
        assert_int_equal(t.errors[ERROR_TIMEOUT], 1);
        assert_non_null(strstr(o.note, "timeout"));
    }
}

static void a16_nobody_listens(void **state)
{
    (void)state;
    static const char *const errs[] = {"a16-aborted-111.err", "a16-aborted-22.err",
                                       "a16-aborted-61.err", "real-refused.err"};
    struct load l = sample();
    struct tally t = {0};
    fake_ab("a16-aborted.out", "a16-aborted-111.err", 111, "");
    struct load_outcome o = run_fake(&l, &t);
    assert_int_equal(o.verdict, VERDICT_CONNECT_FAILED);
    assert_non_null(strstr(o.note, "refused"));
    for (size_t i = 0; i < sizeof errs / sizeof errs[0]; i++) {
        o = concluded(&l, "a16-aborted.out", NULL, errs[i], &t);
        assert_int_equal(o.verdict, VERDICT_CONNECT_FAILED);
        assert_int_equal(t.errors[ERROR_CONNECT], 1);
    }
}

static void other_ends_without_a_report(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o = concluded(&l, "real-reset-abort.out", NULL, "real-reset-abort.err", &t);
    assert_int_equal(o.verdict, VERDICT_ERRORS);
    o = concluded(&l, "real-fd-limit.out", NULL, "real-fd-limit.err", &t);
    assert_int_equal(o.verdict, VERDICT_FD_LIMIT);
    o = concluded(&l, "real-usage.out", NULL, "real-usage.err", &t);
    assert_int_equal(o.verdict, VERDICT_TOOL_FAILED);
    assert_non_null(strstr(o.note, "bad arguments"));
}

static void reports_become_outcomes(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o = concluded(&l, "real-keepalive.txt", "real-keepalive.csv", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_string_equal(o.note, "");
    assert_int_equal(t.threads, 1);

    o = concluded(&l, "real-keepalive.txt", NULL, NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_non_null(strstr(o.note, "whole ms"));
    assert_true(t.latency.resolution == 1000);

    o = concluded(&l, "real-refused-r.txt", NULL, NULL, &t);
    assert_int_equal(o.verdict, VERDICT_CONNECT_FAILED);

    o = concluded(&l, "a11-one.txt", NULL, NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_non_null(strstr(o.note, "low_sample"));

    l.duration_s = 10;
    o = concluded(&l, "a15-capped.txt", NULL, NULL, &t);
    assert_non_null(strstr(o.note, "capped"));
    assert_int_equal(t.requests, 50000);
}

/* ab takes its first answer's length for the right one; the route knows better. */
static void a_wrong_first_answer_is_noticed(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    l.route = ROUTE_JSON;
    struct load_outcome o = concluded(&l, "real-keepalive.txt", "real-keepalive.csv", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_ERRORS);
    assert_non_null(strstr(o.note, "2 bytes, the route's has 91"));
}

/* The percentiles of an earlier run in the same folder are not taken for this one's. */
static void an_old_percentiles_file_is_removed(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    char *path = percentiles_path(&l, ""), *old = recorded("ab", "real-keepalive.csv");
    assert_int_equal(file_replace(path, old, strlen(old), NULL), 0);
    fake_ab("a18-zero.txt", NULL, 0, "");
    run_fake(&l, &t);
    assert_true(t.latency.resolution == 1000);
    assert_int_not_equal(access(path, F_OK), 0);
    free(old);
    free(path);
}

static void a_hanging_ab_is_ended(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    fake_ab("a18-zero.txt", NULL, 0, "trap '' INT; sleep 600");
    double saved = margin_s;
    margin_s = 0.5;
    struct load_outcome o = run_fake(&l, &t);
    margin_s = saved;
    assert_int_equal(o.verdict, VERDICT_TOOL_TIMEOUT);
    assert_non_null(strstr(o.note, "ab was still running after 1.5 s"));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_line_of_a_get),
        cmocka_unit_test(a15_time_before_requests),
        cmocka_unit_test(counted_requests_have_no_clock),
        cmocka_unit_test(the_command_line_of_a_post_for_half_a_second),
        cmocka_unit_test(what_it_refuses),
        cmocka_unit_test(a01_gives_up_on_a_reset),
        cmocka_unit_test(a03_timeouts_of_old_and_new),
        cmocka_unit_test(a16_nobody_listens),
        cmocka_unit_test(other_ends_without_a_report),
        cmocka_unit_test(reports_become_outcomes),
        cmocka_unit_test(a_wrong_first_answer_is_noticed),
        cmocka_unit_test(an_old_percentiles_file_is_removed),
        cmocka_unit_test(a_hanging_ab_is_ended),
    };
    return cmocka_run_group_tests(tests, fake_setup, scratch_teardown);
}
