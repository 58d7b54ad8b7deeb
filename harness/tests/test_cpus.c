/* cpus on made-up machines: trees as sysfs has them, control groups as containers have them. */
#include "lab/cpus.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/parity-test-cpus-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    return file_remove_tree(root, NULL);
}

static void put(const char *below, const char *text)
{
    char *path = xasprintf("%s/%s", root, below), *dir = xstrdup(path);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(file_make_dir(dir, NULL), 0);
    assert_int_equal(file_replace(path, text, strlen(text), NULL), 0);
    free(dir);
    free(path);
}

/* A machine: which CPUs are online, and the sibling list of each CPU from 0 on. */
static void make_machine(const char *online, const char *const *siblings)
{
    put("devices/system/cpu/online", online);
    for (int cpu = 0; siblings[cpu]; cpu++) {
        char below[80];
        snprintf(below, sizeof below, "devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 cpu);
        put(below, siblings[cpu]);
    }
}

static const char *const two_by_two[] = {"0-1\n", "0-1\n", "2-3\n", "2-3\n", NULL};
static const char *const far_siblings[] = {"0,4\n", "1,5\n", "2,6\n", "3,7\n", "0,4\n",
                                           "1,5\n", "2,6\n", "3,7\n", NULL};
static const char *const two_cores[] = {"0\n", "1\n", NULL};

static struct cpus_split divide(const char *allowed, unsigned workers, const char *server,
                                const char *client, double quota)
{
    struct cpus_split s;
    struct err e = {0};
    cpu_set_t set;
    assert_int_equal(cpus_parse(&set, allowed, NULL), 0);
    struct cpus_wish wish = {.allowed = &set,
                             .workers = workers,
                             .quota = quota,
                             .server = server,
                             .client = client,
                             .sys_root = root};
    if (cpus_divide(&s, &wish, &e) < 0)
        fail_msg("%s", e.text);
    return s;
}

static void expect(struct cpus_split s, const char *server, const char *client, bool shared)
{
    char text[100];
    cpus_format(&s.server, text, sizeof text);
    assert_string_equal(text, server);
    cpus_format(&s.client, text, sizeof text);
    assert_string_equal(text, client);
    assert_int_equal(s.shared, shared);
    assert_int_equal(s.server_n, CPU_COUNT(&s.server));
    assert_int_equal(s.client_n, CPU_COUNT(&s.client));
}

static void test_lists(void **state)
{
    (void)state;
    static const char *const good[] = {"0", "0-3", "0-3,8", "1,3,5", "7-7", "0,2-3,1023"};
    static const char *const same[] = {"0", "0-3", "0-3,8", "1,3,5", "7", "0,2-3,1023"};
    static const char *const bad[] = {"",
                                      "a",
                                      "-1",
                                      "1-",
                                      "3-1",
                                      "1,,2",
                                      "1, 2",
                                      "0-3x",
                                      "1024",
                                      "1-2-3",
                                      "99999999999999999999"};
    cpu_set_t set;
    char text[100];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(cpus_parse(&set, good[i], NULL), 0);
        cpus_format(&set, text, sizeof text);
        assert_string_equal(text, same[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        assert_int_equal(cpus_parse(&set, bad[i], &e), -1);
        assert_int_equal(e.code, EXIT_USAGE);
    }
    CPU_ZERO(&set);
    cpus_format(&set, text, sizeof text);
    assert_string_equal(text, "");
    cpus_parse(&set, "0,2,4,6,8,10,12,14", NULL);
    cpus_format(&set, text, 8); /* cut, not overrun */
    assert_int_equal(strlen(text), 7);
}

/* M09 */
static void test_siblings_stay_together(void **state)
{
    (void)state;
    make_machine("0-3\n", two_by_two);
    expect(divide("0-3", 1, NULL, NULL, NAN), "0-1", "2-3", false);
    expect(divide("0-3", 4, NULL, NULL, NAN), "0-1", "2-3", false);
    struct cpus_split s = divide("0-3", 1, NULL, NULL, NAN);
    assert_string_equal(s.text, "server 0-1, generator 2-3 (2 cores)");
}

static void test_far_siblings(void **state)
{
    (void)state;
    make_machine("0-7\n", far_siblings);
    expect(divide("0-7", 1, NULL, NULL, NAN), "0,4", "1-3,5-7", false);
    expect(divide("0-7", 2, NULL, NULL, NAN), "0-1,4-5", "2-3,6-7", false);
    expect(divide("0-7", 8, NULL, NULL, NAN), "0-1,4-5", "2-3,6-7", false); /* half at most */
    cpu_set_t set;
    cpus_parse(&set, "0-7", NULL);
    assert_int_equal(cpus_count_cores(&set, root), 4);
    cpus_parse(&set, "0,4,5", NULL);
    assert_int_equal(cpus_count_cores(&set, root), 2);
}

static void test_restricted_affinity(void **state)
{
    (void)state;
    make_machine("0-7\n", far_siblings);
    expect(divide("1,5,6", 1, NULL, NULL, NAN), "1,5", "6", false);
    expect(divide("3,7", 1, NULL, NULL, NAN), "3", "7", true); /* threads of one core */
    struct cpus_split s = divide("3,7", 1, NULL, NULL, NAN);
    assert_string_equal(s.text, "server 3, generator 7 (1 core, shared)");
}

static void test_offline_cpus(void **state)
{
    (void)state;
    make_machine("0,2-3\n", two_by_two);
    expect(divide("0-3", 1, NULL, NULL, NAN), "0", "2-3", false);
    struct cpus_split s;
    struct err e = {0};
    cpu_set_t set;
    cpus_parse(&set, "1", NULL);
    struct cpus_wish wish = {.allowed = &set, .workers = 1, .quota = NAN, .sys_root = root};
    assert_int_equal(cpus_divide(&s, &wish, &e), -1);
    assert_int_equal(e.code, EXIT_MACHINE);
}

static void test_small_machines(void **state)
{
    (void)state;
    make_machine("0-1\n", two_cores);
    expect(divide("0-1", 1, NULL, NULL, NAN), "0", "1", false);
    expect(divide("0-1", 2, NULL, NULL, NAN), "0", "1", false);
    expect(divide("0", 1, NULL, NULL, NAN), "0", "0", true);
    struct cpus_split s = divide("1", 1, NULL, NULL, NAN);
    assert_string_equal(s.text, "server and generator share 1 (1 core)");
}

static void test_no_sysfs(void **state)
{
    (void)state;
    expect(divide("0-3", 1, NULL, NULL, NAN), "0", "1-3", false);
}

static void test_quota_shares(void **state)
{
    (void)state;
    make_machine("0-1\n", two_cores);
    expect(divide("0-1", 1, NULL, NULL, 1.5), "0", "1", true);
    struct cpus_split s = divide("0-1", 1, NULL, NULL, 1.5);
    assert_string_equal(s.text, "server 0, generator 1 (2 cores, quota of 1.5 CPUs)");
    expect(divide("0-1", 1, NULL, NULL, 2), "0", "1", false);
}

static void test_wishes(void **state)
{
    (void)state;
    make_machine("0-7\n", far_siblings);
    expect(divide("0-7", 1, "2", NULL, NAN), "2", "0-1,3-5,7", false);
    expect(divide("0-7", 1, NULL, "0", NAN), "1-3,5-7", "0", false);
    expect(divide("0-7", 1, "0-1", "2-3", NAN), "0-1", "2-3", false);
    expect(divide("0-7", 1, "0", "4", NAN), "0", "4", true); /* one core */
    expect(divide("0-7", 1, "0-3", NULL, NAN), "0-3", "4-7", true);
    expect(divide("0-7", 1, "0-7", NULL, NAN), "0-7", "0-7", true);
}

static void test_wrong_wishes(void **state)
{
    (void)state;
    make_machine("0-3\n", two_by_two);
    struct cpus_split s;
    struct err e = {0};
    cpu_set_t set;
    cpus_parse(&set, "0-2", NULL);
    struct cpus_wish wish = {.allowed = &set, .server = "2-4", .quota = NAN, .sys_root = root};
    assert_int_equal(cpus_divide(&s, &wish, &e), -1);
    assert_int_equal(e.code, EXIT_USAGE);
    assert_string_equal(e.text, "CPU 3-4 can't be used here; usable are 0-2");
    e.code = 0;
    wish.server = "x";
    assert_int_equal(cpus_divide(&s, &wish, &e), -1);
    assert_int_equal(e.code, EXIT_USAGE);
}

static void test_this_machine(void **state)
{
    (void)state;
    struct cpus_split s;
    struct err e = {0};
    cpu_set_t allowed, used;
    cpus_allowed(&allowed);
    assert_int_equal(cpus_plan(&s, 1, NULL, NULL, "/sys", &e), 0);
    assert_true(s.server_n >= 1 && s.client_n >= 1);
    CPU_OR(&used, &s.server, &s.client);
    CPU_AND(&allowed, &allowed, &used);
    assert_true(CPU_EQUAL(&allowed, &used));
}

static void expect_quota(double cpus)
{
    double got = cpus_quota(root, root);
    if (isnan(cpus))
        assert_true(isnan(got));
    else
        assert_true(fabs(got - cpus) < 1e-9);
}

/* M06 */
static void test_quota_v2(void **state)
{
    (void)state;
    put("self/cgroup", "0::/a/b\n");
    expect_quota(NAN);
    put("fs/cgroup/a/b/cpu.max", "max 100000\n");
    expect_quota(NAN);
    put("fs/cgroup/a/b/cpu.max", "200000 100000\n");
    expect_quota(2);
    put("fs/cgroup/a/b/cpu.max", "50000 100000\n");
    expect_quota(0.5);
    put("fs/cgroup/a/b/cpu.max", "399000 100000\n");
    put("fs/cgroup/a/b/cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 2500000\n");
    expect_quota(3.99);
    assert_true(cpus_throttled_s(root, root) == 2.5);
    put("fs/cgroup/a/b/cpu.max", "");
    expect_quota(NAN);
    assert_true(isnan(cpus_throttled_s(root, root)));
    put("fs/cgroup/a/cpu.max", "300000 100000\n"); /* a level above is looser or tighter */
    put("fs/cgroup/a/b/cpu.max", "400000 100000\n");
    expect_quota(3);
    put("fs/cgroup/a/b/cpu.max", "100000 100000\n");
    expect_quota(1);
}

static void test_quota_v2_in_a_container(void **state)
{
    (void)state;
    put("self/cgroup", "0::/docker/0123/not/in/sight\n");
    put("fs/cgroup/cpu.max", "150000 100000\n");
    expect_quota(1.5);
}

static void test_quota_v1(void **state)
{
    (void)state;
    put("self/cgroup", "12:memory:/x\n4:cpuset:/wrong\n3:cpu,cpuacct:/docker/0123\n0::/\n");
    put("fs/cgroup/cpu,cpuacct/docker/0123/cpu.cfs_quota_us", "-1\n");
    put("fs/cgroup/cpu,cpuacct/docker/0123/cpu.cfs_period_us", "100000\n");
    expect_quota(NAN);
    put("fs/cgroup/cpu,cpuacct/docker/0123/cpu.cfs_quota_us", "250000\n");
    put("fs/cgroup/cpu,cpuacct/docker/0123/cpu.stat",
        "nr_throttled 4\nthrottled_time 1500000000\n");
    expect_quota(2.5);
    assert_true(cpus_throttled_s(root, root) == 1.5);
    put("self/cgroup", "1:cpu:/\n"); /* a container's root */
    put("fs/cgroup/cpu/cpu.cfs_quota_us", "80000");
    put("fs/cgroup/cpu/cpu.cfs_period_us", "100000");
    expect_quota(0.8);
}

static void test_usable(void **state)
{
    (void)state;
    cpu_set_t set;
    cpus_parse(&set, "0-3", NULL);
    assert_int_equal(cpus_usable(&set, NAN), 4);
    assert_int_equal(cpus_usable(&set, 8), 4);
    assert_int_equal(cpus_usable(&set, 3.99), 3);
    assert_int_equal(cpus_usable(&set, 2), 2);
    assert_int_equal(cpus_usable(&set, 0.5), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        TEST(test_lists),
        TEST(test_siblings_stay_together),
        TEST(test_far_siblings),
        TEST(test_restricted_affinity),
        TEST(test_offline_cpus),
        TEST(test_small_machines),
        TEST(test_no_sysfs),
        TEST(test_quota_shares),
        TEST(test_wishes),
        TEST(test_wrong_wishes),
        TEST(test_this_machine),
        TEST(test_quota_v2),
        TEST(test_quota_v2_in_a_container),
        TEST(test_quota_v1),
        TEST(test_usable),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
