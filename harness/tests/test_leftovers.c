/* leftovers: a parity and its keepers are all killed at once; the next start must find what lives
   on, and nothing else. */
#include "lab/leftovers.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/process.h"
#include "lab/procfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 20000
};

static char tmp[64];

static int make_tmp(void **state)
{
    (void)state;
    strcpy(tmp, "/tmp/parity-test-left-XXXXXX");
    if (!mkdtemp(tmp))
        return -1;
    return setenv("TMPDIR", tmp, 1) | process_keep_children(NULL);
}

static int remove_tmp(void **state)
{
    (void)state;
    return file_remove_tree(tmp, NULL);
}

static bool lives(pid_t pid)
{
    struct procfs_stat s;
    return procfs_read(&s, pid) && s.state != 'Z';
}

static pid_t read_pid(const char *name)
{
    char *path = xasprintf("%s/%s", tmp, name);
    pid_t pid = 0;
    for (int i = 0; i < PATIENCE_MS / 20 && !pid; i++) {
        char *text = file_read(path, NULL, NULL);
        pid = text && strchr(text, '\n') ? (pid_t)strtol(text, NULL, 10) : 0;
        free(text);
        clock_sleep_ms(20);
    }
    free(path);
    assert_true(pid > 0);
    return pid;
}

/* A parity that starts a program with three kinds of children: one with our mark in the group, one
   with it in a session of its own, and one that wiped its environment (as nginx does) but runs the
   leader's program; and it has a folder. */
static pid_t fork_parity(pid_t *keeper)
{
    int tell[2];
    assert_int_equal(pipe(tell), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct process p;
        char *dir = xasprintf("%s/run-dir", tmp);
        char *argv[] = {(char[]){"sh"}, (char[]){"-c"},
                        (char[]){"sleep 99 & echo $! > marked; setsid sleep 99 & echo $! > daemon;"
                                 "env -i sh -c 'sleep 98; :' & echo $! > wiped; wait"},
                        NULL};
        struct process_spec spec = {.argv = argv, .cwd = tmp};
        mkdir(dir, 0755);
        leftovers_note_dir(dir);
        if (process_start(&p, &spec, NULL) < 0 || write(tell[1], &p.keeper, sizeof p.keeper) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(tell[0], keeper, sizeof *keeper), sizeof *keeper);
    close(tell[0]);
    close(tell[1]);
    return pid;
}

static bool names_pid(const struct strings *list, pid_t pid)
{
    char text[40];
    snprintf(text, sizeof text, "process %d,", (int)pid);
    for (size_t i = 0; i < list->n; i++)
        if (strstr(list->item[i], text))
            return true;
    return false;
}

static void test_killed_with_its_keepers(void **state)
{
    (void)state;
    pid_t keeper, parity = fork_parity(&keeper);
    pid_t pids[] = {read_pid("marked"), read_pid("daemon"), read_pid("wiped")};
    struct strings found = {0}, done = {0};
    char *dir = xasprintf("%s/run-dir", tmp);
    leftovers_find(&found); /* its parity lives: it is nobody's leftover */
    assert_int_equal(found.n, 0);
    kill(parity, SIGSTOP);
    kill(keeper, SIGKILL);
    kill(parity, SIGKILL);
    waitpid(parity, NULL, 0);
    leftovers_find(&found);
    for (int i = 0; i < 3; i++) {
        assert_true(lives(pids[i]));
        assert_true(names_pid(&found, pids[i]));
    }
    assert_string_equal(found.item[found.n - 1] + strlen("folder "),
                        strstr(found.item[found.n - 1], dir));
    struct err e = {0};
    assert_int_equal(leftovers_end(&done, &e), 0);
    assert_true(done.n >= 4);
    for (int i = 0; i < 3; i++)
        assert_false(lives(pids[i]));
    assert_int_not_equal(access(dir, F_OK), 0);
    strings_fini(&found);
    leftovers_find(&found);
    assert_int_equal(found.n, 0);
    strings_fini(&done);
    free(dir);
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

/* Somebody else's process with a reused number, another program in a group of that number. */
static void test_strangers_are_left_alone(void **state)
{
    (void)state;
    struct strings found = {0};
    struct procfs_stat s;
    pid_t stranger = fork();
    if (stranger == 0) {
        setpgid(0, 0);
        execlp("sleep", "sleep", "99", (char *)NULL);
        _exit(127);
    }
    clock_sleep_ms(50);
    assert_true(procfs_read(&s, stranger));
    char *folder = xasprintf("%s/parity-%u", tmp, (unsigned)geteuid());
    char *path = xasprintf("%s/999999999-1%s.run", folder, strrchr(leftovers_mark(), '-'));
    char *text = xasprintf("group %d %llu /usr/bin/sleep\nrubbish\ngroup\ngroup 1\n", (int)stranger,
                           (unsigned long long)s.start_ticks + 1);
    mkdir(folder, 0700);
    assert_int_equal(file_replace(path, text, strlen(text), NULL), 0);
    leftovers_find(&found);
    assert_int_equal(found.n, 0);
    assert_int_equal(leftovers_end(&found, NULL), 0);
    assert_true(lives(stranger));
    assert_int_not_equal(access(path, F_OK), 0); /* the run file of the dead has gone */
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
    free(text);
    free(path);
    free(folder);
}

/* A folder that others can write to might name anything. */
static void test_untrusted_folder(void **state)
{
    (void)state;
    struct strings found = {0};
    char *folder = xasprintf("%s/parity-%u", tmp, (unsigned)geteuid());
    char *victim = xasprintf("%s/victim", tmp),
         *path = xasprintf("%s/999999999-1%s.run", folder, strrchr(leftovers_mark(), '-'));
    char *text = xasprintf("dir %s\n", victim);
    mkdir(folder, 0700);
    mkdir(victim, 0755);
    assert_int_equal(file_replace(path, text, strlen(text), NULL), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    leftovers_find(&found);
    assert_int_equal(found.n, 0);
    assert_int_equal(leftovers_end(&found, NULL), 0);
    assert_int_equal(access(victim, F_OK), 0);
    chmod(folder, 0700);
    assert_int_equal(leftovers_end(&found, NULL), 0);
    assert_int_equal(found.n, 1);
    assert_int_not_equal(access(victim, F_OK), 0);
    strings_fini(&found);
    free(text);
    free(path);
    free(victim);
    free(folder);
}

/* A container that shares the folder: its numbers are no processes of ours. */
static void test_other_namespace(void **state)
{
    (void)state;
    struct strings found = {0};
    char *folder = xasprintf("%s/parity-%u", tmp, (unsigned)geteuid());
    char *dir = xasprintf("%s/theirs", tmp), *path = xasprintf("%s/999999999-1-1.run", folder);
    char *text = xasprintf("dir %s\n", dir);
    mkdir(folder, 0700);
    mkdir(dir, 0755);
    assert_int_equal(file_replace(path, text, strlen(text), NULL), 0);
    assert_int_equal(leftovers_end(&found, NULL), 0);
    assert_int_equal(found.n, 0);
    assert_int_equal(access(dir, F_OK), 0);
    assert_int_equal(access(path, F_OK), 0);
    free(text);
    free(path);
    free(dir);
    free(folder);
}

static void test_orderly_end_leaves_no_file(void **state)
{
    (void)state;
    struct process p;
    struct process_spec spec = {.argv = (char *[]){(char[]){"sleep"}, (char[]){"99"}, NULL}};
    char *path = xasprintf("%s/parity-%u/%s.run", tmp, (unsigned)geteuid(), leftovers_mark());
    assert_int_equal(process_start(&p, &spec, NULL), 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(process_stop(&p, SIGTERM, 1000, NULL), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_with_its_keepers),
        cmocka_unit_test(test_strangers_are_left_alone),
        cmocka_unit_test(test_untrusted_folder),
        cmocka_unit_test(test_other_namespace),
        cmocka_unit_test(test_orderly_end_leaves_no_file),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("leftovers", tests, make_tmp, remove_tmp);
}
