/* Driving wrk: its command line, and what is made of a run's end. Runs are in test_wrk_run.c (fake
   tools) and test_generator.c (the real one). */
#include "load/wrk.c" /* NOLINT(bugprone-suspicious-include): its statics are tested */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/fake_tool.h"

static struct load sample(void)
{
    return fake_load(64, 2);
}

/* What is made of a run that printed these fixtures (NULL = nothing). */
static struct load_outcome concluded(const struct load *l, const struct limits *limits,
                                     const char *out, const char *err, struct tally *t)
{
    struct load_outcome o = {.verdict = VERDICT_NOT_RUN};
    struct tool_end end = {.how = "exited with status 1",
                           .failed = err != NULL,
                           .out = out ? recorded("wrk", out) : xstrdup(""),
                           .err = err ? recorded("wrk", err) : xstrdup("")};
    conclude(l, limits, &end, t, &o);
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

static void threads_divide_the_connections(void **state)
{
    (void)state;
    static const unsigned cases[][3] = {/* connections, cpus, threads; W11: a 256-core host */
                                        {1, 256, 1},    {2, 256, 2}, {8, 256, 8}, {4000, 256, 250},
                                        {64, 2, 2},     {101, 8, 1}, {100, 8, 5}, {9, 2, 1},
                                        {2000, 16, 16}, {1, 1, 1},   {10, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(wrk_threads(cases[i][0], cases[i][1]), cases[i][2]);
}

static void the_command_line_of_a_get(void **state)
{
    (void)state;
    struct load l = sample();
    struct tool_job job = made(&l, 2);
    char *script = script_path();
    const char *const expected[] = {"wrk",
                                    "-t",
                                    "2",
                                    "-c",
                                    "64",
                                    "-d",
                                    "2s",
                                    "--timeout",
                                    "10s",
                                    "--latency",
                                    "-s",
                                    script,
                                    "http://127.0.0.1:8080/health",
                                    "--",
                                    "GET",
                                    "keep-alive",
                                    "",
                                    ""};
    assert_int_equal(job.argv.n, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < job.argv.n; i++)
        assert_string_equal(job.argv.item[i], expected[i]);
    assert_true(job.interrupt_s == 0); /* whole seconds are wrk's own business */
    assert_true(job.limit_s > 2);
    free(script);
    strings_fini(&job.argv);
}

static void the_command_line_of_a_post_for_half_a_second(void **state)
{
    (void)state;
    struct load l = sample();
    l.route = ROUTE_ECHO;
    l.keepalive = false;
    struct tool_job job = made(&l, 0.5);
    size_t n = job.argv.n;
    assert_string_equal(job.argv.item[n - 4], "POST");
    assert_string_equal(job.argv.item[n - 3], "close");
    assert_string_equal(job.argv.item[n - 2], route_get(ROUTE_ECHO)->request_type);
    char *body = file_read(job.argv.item[n - 1], NULL, NULL);
    assert_string_equal(body, route_get(ROUTE_ECHO)->request_body);
    assert_true(job.interrupt_s == 0.5);
    assert_string_equal(job.argv.item[6], "3s"); /* longer: SIGINT ends it */
    free(body);
    strings_fini(&job.argv);
}

static void what_it_refuses(void **state)
{
    (void)state;
    struct load l = sample();
    char *why = refuses(&l);
    assert_null(why);
    l.duration_s = 0.1;
    why = refuses(&l);
    assert_non_null(strstr(why, "0.1 s are too short"));
    free(why);
    l = sample();
    l.connections = 0;
    why = refuses(&l);
    assert_non_null(why);
    free(why);
}

static void reports_become_outcomes(void **state)
{
    (void)state;
    struct load l = sample();
    struct limits plenty = {.fds_hard = 20000, .ports = 28232, .reuse_s = 1};
    struct tally t = {0};
    struct load_outcome o = concluded(&l, &plenty, "real-exact.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_string_equal(o.note, "");
    assert_int_equal(t.threads, 2);

    o = concluded(&l, &plenty, "w01-nothing.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_NO_DATA);
    o = concluded(&l, &plenty, "w06-no-data.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_NO_DATA);
    assert_non_null(strstr(o.note, "40000 read errors"));
    o = concluded(&l, &plenty, "w06-closing.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_non_null(strstr(o.note, "server_closes_each_response"));
    o = concluded(&l, &plenty, "w14-nan.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_non_null(strstr(o.note, "text report"));
}

static void failed_connects_get_a_cause(void **state)
{
    (void)state;
    struct load l = sample();
    struct limits few_fds = {.fds_hard = 128, .ports = 28232, .reuse_s = 1};
    struct limits few_ports = {.fds_hard = 20000, .ports = 1001, .reuse_s = 60};
    struct limits plenty = {.fds_hard = 20000, .ports = 28232, .reuse_s = 1};
    struct tally t = {0};
    l.connections = 256;
    struct load_outcome o = concluded(&l, &few_fds, "w12-connect.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_FD_LIMIT);
    assert_non_null(strstr(o.note, "155 of 256"));
    assert_non_null(strstr(o.note, "limit is 128"));

    l.keepalive = false;
    o = concluded(&l, &few_ports, "w12-connect.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_PORTS_EXHAUSTED);
    assert_non_null(strstr(o.note, "1001"));

    l.keepalive = true; /* no port is used twice: the errors stand for themselves */
    o = concluded(&l, &few_ports, "w12-connect.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    o = concluded(&l, &plenty, "w12-connect.txt", NULL, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_int_equal(t.errors[ERROR_CONNECT], 155);
}

static void runs_without_a_report(void **state)
{
    (void)state;
    struct load l = sample();
    struct limits plenty = {.fds_hard = 20000, .ports = 28232, .reuse_s = 1};
    struct tally t = {0};
    struct load_outcome o = concluded(&l, &plenty, NULL, "w12-thread.err", &t);
    assert_int_equal(o.verdict, VERDICT_FD_LIMIT);
    assert_non_null(strstr(o.note, "unable to create thread 7"));
    o = concluded(&l, &plenty, "real-refused.out", "real-refused.err", &t);
    assert_int_equal(o.verdict, VERDICT_CONNECT_FAILED);
    assert_int_equal(t.errors[ERROR_CONNECT], 1);
    o = concluded(&l, &plenty, "real-usage.out", "real-usage.err", &t);
    assert_int_equal(o.verdict, VERDICT_TOOL_FAILED);
    assert_non_null(strstr(o.note, "bad arguments"));
    o = concluded(&l, &plenty, "real-usage.out", NULL, &t); /* usage on stdout alone */
    assert_int_equal(o.verdict, VERDICT_TOOL_FAILED);
    assert_non_null(strstr(o.note, "bad arguments"));
    o = concluded(&l, &plenty, NULL, NULL, &t);
    assert_int_equal(o.verdict, VERDICT_TOOL_FAILED);
    assert_non_null(strstr(o.note, "it printed nothing"));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_divide_the_connections),
        cmocka_unit_test(the_command_line_of_a_get),
        cmocka_unit_test(the_command_line_of_a_post_for_half_a_second),
        cmocka_unit_test(what_it_refuses),
        cmocka_unit_test(reports_become_outcomes),
        cmocka_unit_test(failed_connects_get_a_cause),
        cmocka_unit_test(runs_without_a_report),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
