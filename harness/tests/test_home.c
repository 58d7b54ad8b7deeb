/* Where the program's data is: from $PARITY_HOME or from the place of the program itself. The test
   runs copies of itself from made-up prefixes; such a copy prints what it found. */
#include "base/home.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/scratch.h"

/* Copies this program to PREFIX/TO (below the scratch folder). */
static char *install_copy(const char *to)
{
    size_t len;
    char *self = file_read("/proc/self/exe", &len, NULL), *path = scratch_path(to);
    char *dir = xstrdup(path);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(file_make_dir(dir, NULL), 0);
    free(path);
    path = scratch_bytes(to, self, len);
    assert_int_equal(chmod(path, 0755), 0);
    free(self);
    free(dir);
    return path;
}

static void make_folder(const char *name)
{
    char *path = scratch_path(name);
    assert_int_equal(file_make_dir(path, NULL), 0);
    free(path);
}

/* Fails unless the copy at `to`, run in the scratch folder with this environment, finds home. */
static void assert_home(const char *to, const char *environment, const char *home)
{
    char got[400] = "", *path = install_copy(to), *wanted = scratch_path(home);
    char *command = xasprintf("cd '%s' && env -u PARITY_HOME %s '%s' print-home", scratch_dir,
                              environment, path);
    FILE *f = popen(command, "r"); /* NOLINT(bugprone-command-processor): our own words */
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    assert_int_equal(pclose(f), 0);
    assert_string_equal(got, wanted);
    free(path);
    free(wanted);
    free(command);
}

static void test_checkout(void **state)
{
    (void)state;
    make_folder("checkout/configs/suites");
    assert_home("checkout/bin/parity", "", "checkout");
    assert_home("checkout/build/asan/bin/parity", "", "checkout");
}

static void test_installed(void **state)
{
    (void)state;
    make_folder("usr/share/parity");
    assert_home("usr/bin/parity", "", "usr/share/parity");
}

/* A checkout below a prefix that has an installed Parity uses its own files. */
static void test_nearest_wins(void **state)
{
    (void)state;
    make_folder("opt/share/parity");
    make_folder("opt/src/parity/configs/suites");
    assert_home("opt/src/parity/bin/parity", "", "opt/src/parity");
}

static void test_environment_wins_and_is_made_absolute(void **state)
{
    (void)state;
    make_folder("elsewhere/data");
    make_folder("home/configs/suites");
    assert_home("home/bin/parity", "PARITY_HOME=elsewhere/data", "elsewhere/data");
    assert_home("home/bin/parity", "PARITY_HOME=elsewhere/../elsewhere/data/", "elsewhere/data");
    assert_home("home/bin/parity", "PARITY_HOME=", "home");
}

/* A program without its data looks for it beside itself: absolute, so that the message helps. */
static void test_nowhere(void **state)
{
    (void)state;
    assert_home("alone/parity", "", "alone");
}

static void test_path_below(void **state)
{
    (void)state;
    char *path = home_path("configs/suites"), *joined = xasprintf("%s/configs/suites", home_dir());
    assert_string_equal(path, joined);
    assert_int_equal(path[0], '/');
    free(path);
    free(joined);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checkout),
        cmocka_unit_test(test_installed),
        cmocka_unit_test(test_nearest_wins),
        cmocka_unit_test(test_environment_wins_and_is_made_absolute),
        cmocka_unit_test(test_nowhere),
        cmocka_unit_test(test_path_below),
    };
    if (argc > 1 && strcmp(argv[1], "print-home") == 0) {
        printf("%s", home_dir());
        fflush(stdout);
        _exit(0); /* home keeps its string until the end: no leak to report */
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
