/* process and keeper with real children: what they see, how they end, and that nothing of them is
   left whoever is killed. */
#include "lab/process.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/account.h"
#include "lab/procfs.h"
#include "lab/stop.h"
#include "model/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 20000
};

static char *scratch; /* a folder with a blank and quotes in its name */

static int make_scratch(void **state)
{
    char template[] = "/tmp/parity-test-process-XXXXXX";
    (void)state;
    assert_int_equal(process_keep_children(NULL), 0);
    assert_non_null(mkdtemp(template));
    assert_int_equal(chmod(template, 0755), 0);
    setenv("TMPDIR", template, 1); /* for the run files of parities that are killed here */
    scratch = xasprintf("%s/a b'c;d", template);
    return mkdir(scratch, 0777);
}

static int remove_scratch(void **state)
{
    (void)state;
    *strrchr(scratch, '/') = '\0';
    int rc = file_remove_tree(scratch, NULL);
    free(scratch);
    return rc;
}

/* Starts sh -c script with its output in scratch/out. */
static void start_shell(struct process *p, const char *script, struct process_spec more)
{
    struct err e = {0};
    char *out = xasprintf("%s/out", scratch);
    struct strings argv = {0};
    strings_add(&argv, "sh");
    strings_add(&argv, "-c");
    strings_add(&argv, script);
    more.argv = argv.item;
    if (!more.out_path)
        more.out_path = out;
    if (process_start(p, &more, &e) < 0)
        fail_msg("%s", e.text);
    strings_fini(&argv);
    free(out);
}

static char *output(void)
{
    char *path = xasprintf("%s/out", scratch), *text = file_read(path, NULL, NULL);
    free(path);
    assert_non_null(text);
    return text;
}

/* Runs a script to its end and returns what it said. */
static char *say(const char *script, struct process_spec more)
{
    struct process p;
    start_shell(&p, script, more);
    assert_true(process_wait(&p, PATIENCE_MS));
    assert_int_equal(p.status, 0);
    assert_int_equal(process_stop(&p, SIGTERM, 0, NULL), 0);
    return output();
}

/* Waits until a file in scratch has lines of pids; reads them. */
static size_t read_pids(const char *name, pid_t *pids, size_t expected)
{
    char *path = xasprintf("%s/%s", scratch, name);
    size_t n = 0;
    for (int i = 0; i < PATIENCE_MS / 20 && n < expected; i++) {
        char *text = file_read(path, NULL, NULL);
        n = 0;
        for (char *p = text; p && strchr(p, '\n') && n < expected; p = strchr(p, '\n') + 1)
            pids[n++] = (pid_t)strtol(p, NULL, 10);
        free(text);
        clock_sleep_ms(20);
    }
    unlink(path);
    free(path);
    assert_int_equal(n, expected);
    return n;
}

static bool lives(pid_t pid)
{
    struct procfs_stat s;
    return procfs_read(&s, pid) && s.state != 'Z';
}

static void assert_gone(const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int j = 0; j < PATIENCE_MS / 20 && lives(pids[i]); j++)
            clock_sleep_ms(20);
        assert_false(lives(pids[i]));
    }
}

static void assert_no_children(void)
{
    size_t n;
    free(procfs_tree(getpid(), &n));
    assert_int_equal(n, 1);
}

static void test_exit_status(void **state)
{
    (void)state;
    struct process p;
    char why[64];
    start_shell(&p, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3",
                (struct process_spec){0});
    assert_true(p.pid > 0);
    assert_int_equal(getpgid(p.pid), p.pid);
    assert_true(process_wait(&p, PATIENCE_MS));
    process_explain(&p, why, sizeof why);
    assert_string_equal(why, "exited with status 3");
    assert_true(p.user_s + p.system_s > 0);
    assert_true(p.peak_rss_kib > 100);
    assert_int_equal(process_stop(&p, SIGTERM, 1000, NULL), 0);
    assert_int_equal(process_stop(&p, SIGTERM, 1000, NULL), 0);
    assert_no_children();
}

static void test_signal_is_explained(void **state)
{
    (void)state;
    struct process p;
    char why[64];
    start_shell(&p, "kill -SEGV $$", (struct process_spec){0});
    assert_true(process_wait(&p, PATIENCE_MS));
    process_explain(&p, why, sizeof why);
    assert_string_equal(why, "killed by SIGSEGV");
    assert_no_children();
}

static void test_pidfd_tells_the_end(void **state)
{
    (void)state;
    struct process p;
    start_shell(&p, "read line; sleep 0.2", (struct process_spec){0});
    struct pollfd end = {.fd = p.pidfd, .events = POLLIN};
    assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
    assert_true(process_wait(&p, 0)); /* dead, so it is known at once */
    assert_no_children();
}

static void test_never_started(void **state)
{
    (void)state;
    struct process p = {0};
    assert_int_equal(process_stop(&p, SIGTERM, 1000, NULL), 0);
    assert_false(process_wait(&p, 0));
}

static void expect_refusal(char *program, const char *text)
{
    struct process p;
    struct err e = {0};
    struct process_spec spec = {.argv = (char *[]){program, NULL}};
    assert_int_equal(process_start(&p, &spec, &e), -1);
    assert_int_equal(e.code, EXIT_MACHINE);
    if (!strstr(e.text, text))
        fail_msg("'%s' should have '%s'", e.text, text);
    assert_int_equal(p.pid, 0);
    assert_no_children();
}

static void test_refused_programs(void **state)
{
    (void)state;
    char *script = xasprintf("%s/script", scratch), *plain = xasprintf("%s/plain", scratch);
    expect_refusal((char[]){"no-such-program-anywhere"}, "not installed");
    expect_refusal((char[]){"/no/such/program"}, "no such executable");
    expect_refusal((char[]){""}, "cannot execute");
    assert_int_equal(file_replace(plain, "hello\n", 6, NULL), 0);
    expect_refusal(plain, "no such executable");
    /* execvp would hand it to a shell */
    assert_int_equal(file_replace(script, "echo hello\n", 11, NULL), 0);
    assert_int_equal(chmod(script, 0755), 0);
    expect_refusal(script, "Exec format error");
    free(plain);
    free(script);
}

static void test_refused_folder_and_output(void **state)
{
    (void)state;
    struct process p;
    struct err e = {0};
    struct process_spec spec = {.argv = (char *[]){(char[]){"true"}, NULL}, .cwd = "/no/folder"};
    assert_int_equal(process_start(&p, &spec, &e), -1);
    assert_non_null(strstr(e.text, "/no/folder"));
    spec = (struct process_spec){.argv = spec.argv, .out_path = "/no/folder/out"};
    e.code = 0;
    assert_int_equal(process_start(&p, &spec, &e), -1);
    assert_non_null(strstr(e.text, "/no/folder/out"));
    assert_no_children();
}

static void test_clean_surroundings(void **state)
{
    (void)state;
    int stray = open("/dev/null", O_RDONLY); /* without O_CLOEXEC, as a library might */
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    signal(SIGPIPE, SIG_IGN);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    char *said =
        say("ls /proc/self/fd | wc -l; readlink /proc/self/fd/0; echo $LC_ALL $EXTRA; pwd;"
            "grep -E '^Sig(Blk|Ign)' /proc/self/status",
            (struct process_spec){.cwd = scratch, .env = (const char *const[]){"EXTRA=x y", NULL}});
    /* ls has one descriptor for the folder that it lists */
    char *expected = xasprintf("4\n/dev/null\nC x y\n%s\nSigBlk:\t0000000000000000\n"
                               "SigIgn:\t0000000000000000\n",
                               scratch);
    assert_string_equal(said, expected);
    free(expected);
    free(said);
    sigprocmask(SIG_UNBLOCK, &term, NULL);
    signal(SIGPIPE, SIG_DFL);
    close(stray);
}

static void test_arguments_are_no_shell_text(void **state)
{
    (void)state;
    struct err e = {0};
    char *argv[] = {(char[]){"printf"},    (char[]){"%s|"},  (char[]){"a b"},
                    (char[]){"$HOME;`x`"}, (char[]){"-'\""}, NULL};
    char *said = process_capture(argv, PATIENCE_MS, NULL, &e);
    assert_non_null(said);
    assert_string_equal(said, "a b|$HOME;`x`|-'\"|");
    free(said);
}

static void test_limit_is_raised(void **state)
{
    (void)state;
    struct rlimit old, low;
    getrlimit(RLIMIT_NOFILE, &old);
    low = (struct rlimit){.rlim_cur = 256, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    char *said = say("ulimit -n", (struct process_spec){.fds = 300});
    assert_string_equal(said, "300\n");
    free(said);
    said = say("ulimit -n", (struct process_spec){.fds = 100}); /* at least */
    assert_string_equal(said, "256\n");
    free(said);
    setrlimit(RLIMIT_NOFILE, &old);
    struct process p;
    struct err e = {0};
    struct process_spec spec = {.argv = (char *[]){(char[]){"true"}, NULL}, .fds = UINT32_MAX};
    assert_int_equal(process_start(&p, &spec, &e), -1); /* above fs.nr_open: for root too */
    assert_non_null(strstr(e.text, "ulimit -Hn"));
}

static void test_cpus(void **state)
{
    (void)state;
    cpu_set_t all, one;
    int cpu = 0;
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    char *said =
        say("grep Cpus_allowed_list /proc/self/status", (struct process_spec){.cpus = &one});
    char *expected = xasprintf("Cpus_allowed_list:\t%d\n", cpu);
    assert_string_equal(said, expected);
    free(expected);
    free(said);
}

static void test_other_user(void **state)
{
    (void)state;
    uid_t uid = account_unprivileged();
    if (!uid) {
        print_message("# only root can try this\n");
        return;
    }
    chmod(scratch, 0777);
    char *said = say("id -u; grep -E '^(Groups|CapEff)' /proc/self/status; echo x >> /dev/stdout",
                     (struct process_spec){.uid = uid});
    char *expected = xasprintf("%u\nGroups:\t%u \nCapEff:\t0000000000000000\nx\n", (unsigned)uid,
                               (unsigned)account_group(uid));
    assert_string_equal(said, expected);
    free(expected);
    free(said);
}

static void test_other_user_may_not(void **state)
{
    (void)state;
    uid_t uid = account_unprivileged();
    if (!uid) {
        print_message("# only root can try this\n");
        return;
    }
    char *closed = xasprintf("%s/closed", scratch), *program = xasprintf("%s/true", closed);
    assert_int_equal(mkdir(closed, 0700), 0);
    char *argv[] = {(char[]){"cp"}, (char[]){"/bin/true"}, program, NULL};
    free(process_capture(argv, PATIENCE_MS, NULL, NULL));
    assert_false(account_can_run(uid, program));
    assert_true(account_can_run(0, program));
    assert_true(account_can_run(uid, "/bin/true"));
    assert_false(account_can_read(uid, closed));
    struct process p;
    struct err e = {0};
    struct process_spec spec = {.argv = (char *[]){program, NULL}, .uid = uid};
    assert_int_equal(process_start(&p, &spec, &e), -1);
    assert_non_null(strstr(e.text, "nobody may not execute"));
    free(program);
    free(closed);
}

static void test_much_output(void **state)
{
    (void)state;
    struct process p;
    struct stat st;
    char *out = xasprintf("%s/much", scratch), *err = xasprintf("%s/err", scratch);
    start_shell(&p,
                "head -c 1048576 /dev/zero; head -c 1048576 /dev/zero >&2; echo done >&2; sleep 60",
                (struct process_spec){.out_path = out, .err_path = err});
    for (int i = 0; i < PATIENCE_MS / 20 && (stat(err, &st) < 0 || st.st_size < 1048581); i++)
        clock_sleep_ms(20);
    assert_int_equal(st.st_size, 1048581);
    assert_int_equal(process_stop(&p, SIGTERM, PATIENCE_MS, NULL), 0);
    assert_int_equal(stat(out, &st), 0);
    assert_int_equal(st.st_size, 1048576);
    free(err);
    free(out);
}

static void test_stop_ends_the_group(void **state)
{
    (void)state;
    struct process p;
    pid_t pids[3];
    char why[64];
    start_shell(&p, "sleep 99 & echo $! > pids; sleep 99 & echo $! >> pids; echo $$ >> pids; wait",
                (struct process_spec){.cwd = scratch});
    read_pids("pids", pids, 3);
    assert_false(process_wait(&p, 10));
    assert_int_equal(process_stop(&p, SIGTERM, PATIENCE_MS, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_false(lives(pids[i]));
    process_explain(&p, why, sizeof why);
    assert_string_equal(why, "killed by SIGTERM");
    assert_no_children();
}

/* P01: the leader alone is killed; its workers are orphans. */
static void test_stop_after_leader_was_killed(void **state)
{
    (void)state;
    struct process p;
    pid_t pids[2];
    start_shell(&p, "sleep 99 & echo $! > pids; sleep 99 & echo $! >> pids; wait",
                (struct process_spec){.cwd = scratch});
    read_pids("pids", pids, 2);
    kill(p.pid, SIGKILL);
    assert_true(process_wait(&p, PATIENCE_MS));
    assert_true(lives(pids[0]));
    assert_int_equal(process_stop(&p, SIGTERM, PATIENCE_MS, NULL), 0);
    assert_false(lives(pids[0]) || lives(pids[1]));
    assert_no_children();
}

static void test_deaf_program_is_killed(void **state)
{
    (void)state;
    struct process p;
    pid_t pids[2];
    start_shell(&p, "trap '' TERM INT; sleep 99 & echo $! > pids; echo $$ >> pids; wait; wait",
                (struct process_spec){.cwd = scratch});
    read_pids("pids", pids, 2);
    assert_int_equal(process_stop(&p, SIGTERM, 200, NULL), 0);
    assert_false(lives(pids[0]) || lives(pids[1]));
    assert_int_equal(WTERMSIG(p.status), SIGKILL);
    assert_no_children();
}

/* P04: a program that made itself a daemon has left the group and the session. */
static void test_daemon_is_found(void **state)
{
    (void)state;
    struct process p;
    pid_t daemon;
    start_shell(
        &p, "setsid sh -c 'echo $$ > pids.new; mv pids.new pids; trap \"\" TERM; sleep 99; :' &",
        (struct process_spec){.cwd = scratch});
    read_pids("pids", &daemon, 1);
    assert_true(process_wait(&p, PATIENCE_MS));
    assert_true(lives(daemon));
    assert_int_equal(process_stop(&p, SIGTERM, 100, NULL), 0);
    assert_false(lives(daemon));
    assert_no_children();
}

static void test_signal_reaches_the_group(void **state)
{
    (void)state;
    struct process p;
    pid_t ready;
    start_shell(&p, "trap 'exit 7' USR1; echo $$ > pids; while :; do sleep 0.1; done",
                (struct process_spec){.cwd = scratch});
    read_pids("pids", &ready, 1);
    process_signal(&p, SIGUSR1);
    assert_true(process_wait(&p, PATIENCE_MS));
    assert_true(WIFEXITED(p.status) || WTERMSIG(p.status) == SIGUSR1);
    process_stop(&p, SIGTERM, 0, NULL);
    assert_no_children();
}

/* A parity of its own for a test to kill: starts two programs with workers, one of them a daemon,
   and sleeps. */
static pid_t fork_parity(uid_t uid)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    setpgid(0, 0);
    struct process a, b;
    const char *script = "sleep 99 & echo $! >> pids; setsid sleep 99 & echo $! >> pids;"
                         "echo $$ >> pids; wait";
    process_keep_children(NULL);
    start_shell(&a, script, (struct process_spec){.cwd = scratch, .uid = uid});
    start_shell(&b, script, (struct process_spec){.cwd = scratch, .uid = uid});
    for (;;)
        pause();
}

/* P05 */
static void test_nothing_outlives_a_killed_parity(void **state)
{
    (void)state;
    pid_t pids[6];
    uid_t uid = account_unprivileged();
    chmod(scratch, 0777);
    for (int i = 0; i < 10; i++) {
        pid_t parity = fork_parity(i % 2 ? uid : 0);
        read_pids("pids", pids, 6);
        for (int j = 0; j < 6; j++)
            assert_true(lives(pids[j]));
        kill(i % 3 ? parity : -parity, SIGKILL);
        waitpid(parity, NULL, 0);
        assert_gone(pids, 6);
        while (waitpid(-1, NULL, 0) > 0) { /* its keepers came to us, a subreaper */
        }
    }
    assert_no_children();
}

static void test_killed_keeper(void **state)
{
    (void)state;
    struct process p;
    pid_t pids[2];
    start_shell(&p, "sleep 99 & echo $! > pids; echo $$ >> pids; wait",
                (struct process_spec){.cwd = scratch, .uid = account_unprivileged()});
    read_pids("pids", pids, 2);
    kill(p.keeper, SIGKILL);
    assert_true(process_wait(&p, PATIENCE_MS));
    assert_int_equal(WTERMSIG(p.status), SIGKILL);
    assert_false(lives(pids[0]) || lives(pids[1]));
    assert_int_equal(process_stop(&p, SIGTERM, 0, NULL), 0);
    assert_no_children();
}

static void test_stop_wish_ends_waits(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct process p;
        stop_catch();
        start_shell(&p, "trap '' TERM; while :; do sleep 1; done", (struct process_spec){0});
        if (process_wait(&p, 50) || stop_asked())
            _exit(1);
        kill(getpid(), SIGINT);
        if (process_wait(&p, 600000) || stop_asked() != SIGINT || stop_sleep_ms(600000))
            _exit(2);
        _exit(process_stop(&p, SIGTERM, 100, NULL) == 0 && p.ended ? 0 : 3);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void interrupt(int unused)
{
    (void)unused;
    kill(getpid(), SIGTERM);
}

static void test_next_stop_wish_cuts_the_grace(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct process p;
        stop_catch();
        kill(getpid(), SIGINT);
        start_shell(&p, "trap '' TERM; while :; do sleep 1; done", (struct process_spec){0});
        signal(SIGALRM, interrupt);
        alarm(1);
        _exit(process_stop(&p, SIGTERM, 3600000, NULL) == 0 && stop_asked() == SIGINT ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_third_stop_wish_kills(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        stop_catch();
        for (int i = 0; i < 3; i++)
            kill(getpid(), SIGINT);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

static void test_capture(void **state)
{
    (void)state;
    struct err e = {0};
    int status = -1;
    char *text = process_capture((char *[]){(char[]){"sh"}, (char[]){"-c"},
                                            (char[]){"echo out; echo err >&2; exit 4"}, NULL},
                                 PATIENCE_MS, &status, &e);
    assert_non_null(text);
    assert_string_equal(text, "out\nerr\n");
    assert_int_equal(WEXITSTATUS(status), 4);
    free(text);
    assert_null(
        process_capture((char *[]){(char[]){"sleep"}, (char[]){"99"}, NULL}, 100, NULL, &e));
    assert_non_null(strstr(e.text, "sleep did not end within 100 ms"));
    e.code = 0;
    assert_null(process_capture((char *[]){(char[]){"no-such"}, NULL}, 100, NULL, &e));
    assert_int_equal(e.code, EXIT_MACHINE);
    assert_no_children();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_status),
        cmocka_unit_test(test_signal_is_explained),
        cmocka_unit_test(test_pidfd_tells_the_end),
        cmocka_unit_test(test_never_started),
        cmocka_unit_test(test_refused_programs),
        cmocka_unit_test(test_refused_folder_and_output),
        cmocka_unit_test(test_clean_surroundings),
        cmocka_unit_test(test_arguments_are_no_shell_text),
        cmocka_unit_test(test_limit_is_raised),
        cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_other_user),
        cmocka_unit_test(test_other_user_may_not),
        cmocka_unit_test(test_much_output),
        cmocka_unit_test(test_stop_ends_the_group),
        cmocka_unit_test(test_stop_after_leader_was_killed),
        cmocka_unit_test(test_deaf_program_is_killed),
        cmocka_unit_test(test_daemon_is_found),
        cmocka_unit_test(test_signal_reaches_the_group),
        cmocka_unit_test(test_nothing_outlives_a_killed_parity),
        cmocka_unit_test(test_killed_keeper),
        cmocka_unit_test(test_stop_wish_ends_waits),
        cmocka_unit_test(test_next_stop_wish_cuts_the_grace),
        cmocka_unit_test(test_third_stop_wish_kills),
        cmocka_unit_test(test_capture),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("process", tests, make_scratch, remove_scratch);
}
