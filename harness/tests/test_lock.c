/* lock between real processes: held, told apart, released, dropped by a death. */
#include "lab/lock.h"

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

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/parity-test-lock-%d", (int)getpid());
    return setenv("PARITY_LOCK", path, 1);
}

static int remove_path(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* A process that holds the lock until it is killed. */
static pid_t fork_holder(void)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char *busy;
        byte = (char)(lock_take(&busy) >= 0 && !busy);
        if (write(ready[1], &byte, 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void test_taken_and_released(void **state)
{
    (void)state;
    char *busy;
    struct stat st;
    int fd = lock_take(&busy);
    assert_true(fd >= 0);
    assert_null(busy);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666);
    lock_release(fd);
    fd = lock_take(&busy);
    assert_true(fd >= 0);
    lock_release(fd);
    lock_release(-1);
}

static void test_second_run_is_warned(void **state)
{
    (void)state;
    char *busy, expected[40];
    pid_t holder = fork_holder();
    assert_int_equal(lock_take(&busy), -1);
    snprintf(expected, sizeof expected, "(process %d)", (int)holder);
    assert_non_null(busy);
    assert_non_null(strstr(busy, expected));
    free(busy);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    int fd = lock_take(&busy); /* its death dropped it */
    assert_true(fd >= 0);
    assert_null(busy);
    lock_release(fd);
}

static void test_unusable_file(void **state)
{
    (void)state;
    char *busy;
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0); /* a trap in a folder that all can write */
    assert_int_equal(lock_take(&busy), -1);
    assert_non_null(strstr(busy, "can't tell"));
    free(busy);
    unlink(path);
    setenv("PARITY_LOCK", "/no/such/folder/lock", 1);
    assert_int_equal(lock_take(&busy), -1);
    assert_non_null(strstr(busy, "No such file"));
    free(busy);
    setenv("PARITY_LOCK", path, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken_and_released),
        cmocka_unit_test(test_second_run_is_warned),
        cmocka_unit_test(test_unusable_file),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("lock", tests, make_path, remove_path);
}
