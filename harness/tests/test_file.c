/* Files: read whole, replaced whole or not at all, whatever goes wrong on the way. */
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/scratch.h"

/* Fails unless the file holds exactly this. */
static void assert_holds(const char *path, const char *text, size_t len)
{
    size_t n;
    struct err e = {0};
    char *got = file_read(path, &n, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(n, len);
    assert_memory_equal(got, text, len);
    free(got);
}

static int entries_in(const char *dir)
{
    struct dirent **list;
    int n = scandir(dir, &list, NULL, alphasort);
    for (int i = 0; i < n; i++)
        free(list[i]);
    free(list);
    return n - 2;
}

static char *folder(const char *name)
{
    char *path = scratch_path(name);
    struct err e = {0};
    assert_int_equal(file_make_dir(path, &e), 0);
    return path;
}

static void test_read_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 16383, 16384, 16385, 32768, 100000};
    char *data = xcalloc(100000, 1);
    for (int i = 0; i < 100000; i++)
        data[i] = (char)(i * 7 + i / 251);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *path = scratch_bytes("sized", data, sizes[i]);
        assert_holds(path, data, sizes[i]);
        char *text = file_read(path, NULL, NULL);
        assert_int_equal(text[sizes[i]], '\0');
        free(text);
        free(path);
    }
    free(data);
}

/* /proc says that its files have 0 bytes. */
static void test_read_proc(void **state)
{
    (void)state;
    size_t len = 0;
    char *text = file_read("/proc/self/status", &len, NULL);
    assert_non_null(text);
    assert_true(len > 100);
    assert_non_null(strstr(text, "Pid:"));
    free(text);
}

static void test_read_failures(void **state)
{
    (void)state;
    struct err e = {0};
    assert_null(file_read("/nowhere/at/all", NULL, &e));
    assert_err(&e, EXIT_USAGE, "cannot read /nowhere/at/all", "No such file or directory");
    e = (struct err){0};
    assert_null(file_read(scratch_dir, NULL, &e));
    assert_err(&e, EXIT_USAGE, "cannot read ", "Is a directory");
    assert_null(file_read("/nowhere/at/all", NULL, NULL));
}

static void test_replace(void **state)
{
    (void)state;
    char *dir = folder("replace"), *path = scratch_path("replace/result.json");
    struct err e = {0};
    assert_int_equal(file_replace(path, "old", 3, &e), 0);
    assert_holds(path, "old", 3);
    assert_int_equal(file_replace(path, "new\0one", 7, &e), 0);
    assert_holds(path, "new\0one", 7);
    assert_int_equal(file_replace(path, "", 0, &e), 0);
    assert_holds(path, "", 0);
    assert_int_equal(entries_in(dir), 1);
    free(dir);
    free(path);
}

/* Who has the old file open keeps it: it is replaced, not written over. */
static void test_replace_leaves_readers_alone(void **state)
{
    (void)state;
    char buffer[10] = "", *path = scratch_text("held", "before");
    FILE *held = fopen(path, "r");
    assert_int_equal(file_replace(path, "after", 5, NULL), 0);
    assert_int_equal(fread(buffer, 1, sizeof buffer, held), 6);
    assert_memory_equal(buffer, "before", 6);
    fclose(held);
    free(path);
}

static void test_replace_in_missing_folder(void **state)
{
    (void)state;
    char *path = scratch_path("missing/result.json");
    struct err e = {0};
    assert_int_equal(file_replace(path, "x", 1, &e), -1);
    assert_err(&e, EXIT_MACHINE, "cannot write ", "missing/result.json: No such file");
    free(path);
}

/* The path is a folder: neither it nor what is in it may go. */
static void test_replace_folder(void **state)
{
    (void)state;
    char *dir = folder("taken"), *kept = scratch_text("taken/kept", "k");
    struct err e = {0};
    assert_int_equal(file_replace(dir, "x", 1, &e), -1);
    assert_err(&e, EXIT_MACHINE, "cannot write ", "Is a directory");
    assert_holds(kept, "k", 1);
    free(dir);
    free(kept);
}

/* P08: the device that is always full. It stays a device. */
static void test_replace_on_full_device(void **state)
{
    (void)state;
    struct err e = {0};
    struct stat st;
    assert_int_equal(file_replace("/dev/full", "x", 1, &e), -1);
    assert_err(&e, EXIT_MACHINE, "cannot write /dev/full", "No space left on device");
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    e = (struct err){0};
    assert_int_equal(file_replace("/dev/null", "x", 1, &e), 0); /* fsync(2): EINVAL, no failure */
    assert_int_equal(e.code, 0);
}

/* Two results in a folder, the second larger than its file system; what is left of them. */
struct squeeze {
    int first, second, left;
    char *kept;
    struct err e;
};

static struct squeeze squeeze(const char *dir)
{
    static const char big[200000];
    struct squeeze s = {0};
    char *path = xasprintf("%s/result.json", dir);
    s.first = file_replace(path, "old result", 10, &s.e);
    s.second = file_replace(path, big, sizeof big, &s.e);
    s.left = entries_in(dir);
    s.kept = file_read(path, NULL, NULL);
    free(path);
    return s;
}

/* P08: a file system of 64 KiB. The old result survives, the half-written one doesn't. */
static void test_replace_on_full_disk(void **state)
{
    (void)state;
    char *dir = folder("tiny");
    bool mounted = mount("parity-test", dir, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") == 0;
    struct squeeze s = {0};
    if (mounted) {
        s = squeeze(dir);
        umount(dir);
    }
    free(dir);
    if (!mounted)
        skip_because("only root may mount a tmpfs");
    assert_int_equal(s.first, 0);
    assert_int_equal(s.second, -1);
    assert_err(&s.e, EXIT_MACHINE, "cannot write ", "No space left on device");
    assert_non_null(strstr(s.e.text, "previous content is untouched"));
    assert_int_equal(s.left, 1);
    assert_string_equal(s.kept, "old result");
    free(s.kept);
}

/* P08: killed at any moment of the writing, a hundred times: always one whole version. */
static void test_replace_survives_sigkill(void **state)
{
    (void)state;
    enum {
        SIZE = 300000
    };
    char *path = scratch_text("killed", "aaaa"), *data = xcalloc(SIZE, 1);
    for (int round = 0; round < 100; round++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (char c = 'a';; c = c == 'z' ? 'a' : (char)(c + 1)) {
                memset(data, c, SIZE);
                file_replace(path, data, SIZE, NULL);
            }
        }
        usleep((unsigned)(round * 37 % 3000));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        size_t len = 0;
        char *text = file_read(path, &len, NULL);
        assert_true(len == 4 || len == SIZE);
        assert_int_equal(strspn(text, (char[]){text[0], 0}), len);
        free(text);
    }
    free(path);
    free(data);
}

static void test_make_dir(void **state)
{
    (void)state;
    char *deep = scratch_path("a/b//c/d/"), *file = scratch_text("plain", ""), *below;
    struct stat st;
    struct err e = {0};
    assert_int_equal(file_make_dir(deep, &e), 0);
    assert_int_equal(file_make_dir(deep, &e), 0); /* there already */
    assert_int_equal(stat(deep, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(file_make_dir(file, &e), -1);
    assert_err(&e, EXIT_MACHINE, "cannot make the folder ", "File exists");
    e = (struct err){0};
    below = xasprintf("%s/x/y", file);
    assert_int_equal(file_make_dir(below, &e), -1);
    assert_err(&e, EXIT_MACHINE, "cannot make the folder ", "Not a directory");
    assert_int_equal(file_make_dir("/", &(struct err){0}), 0);
    e = (struct err){0};
    assert_int_equal(file_make_dir("", &e), -1);
    assert_err(&e, EXIT_MACHINE, "cannot make the folder ", "No such file");
    free(deep);
    free(file);
    free(below);
}

/* A link in the tree is removed, what it points to is not. */
static void test_remove_tree(void **state)
{
    (void)state;
    char *dir = folder("tree/x/y"), *top = scratch_path("tree");
    char *kept = scratch_text("kept", "k"), *in = scratch_text("tree/x/f", "f");
    char *link = scratch_path("tree/x/y/link"), *outside = folder("outside");
    struct err e = {0};
    assert_int_equal(symlink(outside, link), 0);
    assert_int_equal(file_remove_tree(top, &e), 0);
    assert_int_equal(access(top, F_OK), -1);
    assert_int_equal(access(outside, F_OK), 0);
    assert_int_equal(file_remove_tree(top, &e), 0); /* not there: no error */
    assert_int_equal(file_remove_tree(kept, &e), 0);
    assert_int_equal(access(kept, F_OK), -1);
    assert_int_equal(e.code, 0);
    assert_int_equal(file_remove_tree("/proc/self/status", &e), -1);
    assert_err(&e, EXIT_MACHINE, "cannot remove /proc/self/status", "");
    free(dir);
    free(top);
    free(kept);
    free(in);
    free(link);
    free(outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_sizes),
        cmocka_unit_test(test_read_proc),
        cmocka_unit_test(test_read_failures),
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_replace_leaves_readers_alone),
        cmocka_unit_test(test_replace_in_missing_folder),
        cmocka_unit_test(test_replace_folder),
        cmocka_unit_test(test_replace_on_full_device),
        cmocka_unit_test(test_replace_on_full_disk),
        cmocka_unit_test(test_replace_survives_sigkill),
        cmocka_unit_test(test_make_dir),
        cmocka_unit_test(test_remove_tree),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
