/* Running wrk: fake wrks on PATH that end, or don't, as in other people's bug reports (W10, W11).
   The real one is in test_generator.c. */
#include "load/wrk.c" /* NOLINT(bugprone-suspicious-include): its statics are tested */

#include "base/clock.h"
#include "lab/stop.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "tests/fake_tool.h"

static struct load sample(void)
{
    return fake_load(64, 2);
}

static void fake_wrk(const char *script)
{
    fake_tool("wrk", script);
}

static void fake_wrk_prints(const char *name)
{
    char *path = recorded_path("wrk", name), *script = xasprintf("cat '%s'\n", path);
    fake_wrk(script);
    free(script);
    free(path);
}

static void a_fake_run_leaves_its_files(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o;
    struct err e = {0};
    fake_wrk_prints("w14-good.txt");
    if (measure(&l, &t, &o, &e) != 0)
        fail_msg("%s", e.text);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_int_equal(t.requests, 100);
    assert_true(o.cpu_s >= 0 && o.cpu_s < 10);
    char *command = fake_left("command.txt"), *out = fake_left("out.txt");
    assert_non_null(strstr(command, "wrk -t 2 -c 64 -d 2s --timeout 10s --latency -s /"));
    assert_non_null(strstr(command, " -- GET keep-alive '' ''\n"));
    assert_non_null(strstr(out, WRK_REPORT_MARKER));
    free(command);
    free(out);
}

static void w11_usage_text_is_no_report(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o;
    char *path = recorded_path("wrk", "real-usage.out");
    char *script = xasprintf("cat '%s'; exit 1\n", path);
    fake_wrk(script);
    assert_int_equal(measure(&l, &t, &o, NULL), 0);
    assert_int_equal(o.verdict, VERDICT_TOOL_FAILED);
    assert_non_null(strstr(o.note, "bad arguments"));
    assert_non_null(strstr(o.note, "exited with status 1"));
    assert_int_equal(t.requests, -1);
    free(script);
    free(path);
}

static void w10_a_wrk_that_never_ends(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o;
    char *script = xasprintf("trap '' INT TERM\necho 'Running 2s test @ http://127.0.0.1:8080/'\n"
                             "echo $$ > %s/pid\nsleep 600 & echo $! > %s/child\n"
                             "while :; do sleep 600; done\n",
                             scratch_dir, scratch_dir);
    fake_wrk(script);
    l.duration_s = 1;
    double saved = margin_s;
    margin_s = 1;
    uint64_t start_ns = clock_ns();
    assert_int_equal(measure(&l, &t, &o, NULL), 0);
    margin_s = saved;
    assert_true(clock_ns() - start_ns < 60e9);
    assert_int_equal(o.verdict, VERDICT_TOOL_TIMEOUT);
    assert_non_null(strstr(o.note, "killed by SIGKILL"));
    assert_int_equal(kill(fake_left_pid("pid"), 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(kill(fake_left_pid("child"), 0), -1); /* of its whole group nothing is left */
    assert_int_equal(errno, ESRCH);
    free(script);
}

static void a_polite_wrk_ends_on_the_first_signal(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o;
    fake_wrk("trap 'exit 3' INT\nwhile :; do sleep 0.1; done\n");
    l.duration_s = 1;
    double saved = margin_s;
    margin_s = 0.5;
    assert_int_equal(measure(&l, &t, &o, NULL), 0);
    margin_s = saved;
    assert_int_equal(o.verdict, VERDICT_TOOL_TIMEOUT);
    assert_non_null(strstr(o.note, "exited with status 3"));
}

static void *interrupt_soon(void *unused)
{
    (void)unused;
    clock_sleep_ms(500);
    kill(getpid(), SIGINT);
    return NULL;
}

/* In a process of its own, since a wish to stop stays. */
static void the_user_stops_a_run(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o = {.verdict = VERDICT_VALID};
    fake_wrk("while :; do sleep 0.1; done\n");
    l.duration_s = 600;
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        stop_catch();
        pthread_create(&thread, NULL, interrupt_soon, NULL);
        int rc = measure(&l, &t, &o, NULL);
        _exit(rc == 0 && o.verdict == VERDICT_NOT_RUN ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void what_can_not_be_run_is_an_error(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o;
    struct err e = {0};
    char *why = tool_missing("no-such-load-generator", "its-package");
    assert_string_equal(why,
                        "no-such-load-generator is not installed: apt-get install its-package");
    free(why);
    l.raw_dir = "/nonexistent/folder";
    assert_int_equal(measure(&l, &t, &o, &e), -1);
    assert_int_equal(e.code, EXIT_MACHINE);
    assert_non_null(strstr(e.text, "/nonexistent/folder"));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fake_run_leaves_its_files),
        cmocka_unit_test(w11_usage_text_is_no_report),
        cmocka_unit_test(w10_a_wrk_that_never_ends),
        cmocka_unit_test(a_polite_wrk_ends_on_the_first_signal),
        cmocka_unit_test(the_user_stops_a_run),
        cmocka_unit_test(what_can_not_be_run_is_an_error),
    };
    return cmocka_run_group_tests(tests, fake_setup, scratch_teardown);
}
