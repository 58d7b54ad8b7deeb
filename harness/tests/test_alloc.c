/* Allocation that can't fail: zeroed, growing without losing anything, and loud when memory ends.
 */
#include "base/alloc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* ASan would end the program itself where malloc returns NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void test_calloc_zeroes(void **state)
{
    (void)state;
    unsigned char *p = xcalloc(1000, 3);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(p[i], 0);
    free(p);
    p = xcalloc(0, 0); /* never NULL: the caller doesn't check */
    assert_non_null(p);
    free(p);
}

static void test_realloc_keeps(void **state)
{
    (void)state;
    char *p = xrealloc(NULL, 4, 1);
    memcpy(p, "abc", 4);
    p = xrealloc(p, 100, 100);
    assert_string_equal(p, "abc");
    free(p);
}

static void test_strings(void **state)
{
    (void)state;
    char *a = xstrdup("parity"), *b = xstrndup("parity", 3), *c = xstrndup("ab", 10);
    char *d = xasprintf("%s-%d", "port", 8080);
    assert_string_equal(a, "parity");
    assert_string_equal(b, "par");
    assert_string_equal(c, "ab");
    assert_string_equal(d, "port-8080");
    free(a);
    free(b);
    free(c);
    free(d);
}

/* Also across powers of two, where the array moves; each slot is new and zeroed. */
static void test_grow(void **state)
{
    (void)state;
    struct pair {
        int number;
        char text[9];
    } *items = NULL;
    size_t n = 0;
    for (int i = 0; i < 1025; i++) {
        struct pair *one = xgrow(&items, &n, sizeof *one);
        assert_ptr_equal(one, &items[i]);
        assert_int_equal(one->number, 0);
        assert_string_equal(one->text, "");
        one->number = i;
        memset(one->text, 'x', sizeof one->text - 1);
    }
    assert_int_equal(n, 1025);
    for (int i = 0; i < 1025; i++)
        assert_int_equal(items[i].number, i);
    free(items);
}

/* xgrow after a take-over: an array that was filled some other way and has any length. */
static void test_grow_after_shrinking(void **state)
{
    (void)state;
    int *items = NULL;
    size_t n = 0;
    for (int i = 0; i < 9; i++)
        *(int *)xgrow(&items, &n, sizeof *items) = i;
    for (n = 3; n < 20;)
        xgrow(&items, &n, sizeof *items);
    assert_int_equal(items[2], 2);
    free(items);
}

/* count * size overflows: reallocarray says so, and the program ends with a message. */
static void test_out_of_memory_aborts(void **state)
{
    (void)state;
    char text[200] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], 2);
        volatile size_t huge = SIZE_MAX / 2;
        void *p = xrealloc(NULL, huge, 4);
        _exit(p ? 1 : 2);
    }
    close(ends[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, "out of memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calloc_zeroes),
        cmocka_unit_test(test_realloc_keeps),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_grow_after_shrinking),
        cmocka_unit_test(test_out_of_memory_aborts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
