/* host: made-up machines judged, and this one described without naming it. */
#include "lab/host.h"

#include "base/alloc.h"
#include "base/file.h"
#include "lab/tools.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/parity-test-host-XXXXXX");
    return mkdtemp(root) ? setenv("TMPDIR", root, 1) : -1;
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

static const struct diagnosis *find(const struct diagnoses *d, const char *what)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->item[i].what, what) == 0)
            return &d->item[i];
    fail_msg("there is no diagnosis %s", what);
    return NULL;
}

static void expect(const struct diagnoses *d, const char *what, enum health health,
                   const char *found)
{
    const struct diagnosis *one = find(d, what);
    if (one->health != health || !strstr(one->found, found))
        fail_msg("%s: health %d, '%s'; expected %d, '%s'", what, one->health, one->found, health,
                 found);
    assert_int_equal(one->advice[0] == '\0', health == HEALTH_OK);
}

static void make_laptop(void)
{
    put("cpuinfo", "processor\t: 0\nmodel name\t: Quick(R) CPU @ 3GHz\nmodel\t\t: 207\n"
                   "flags\t\t: fpu vme sse2\n\nprocessor\t: 1\nmodel name\t: another\n");
    put("meminfo", "MemTotal:       16384000 kB\nMemFree: 1 kB\nMemAvailable:    8192000 kB\n");
    put("sys/net/ipv4/ip_local_port_range", "32768\t33768\n");
    put("sys/net/core/somaxconn", "128\n");
    put("devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("devices/system/cpu/cpufreq/boost", "1\n");
    put("devices/system/cpu/smt/active", "1\n");
    put("devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    put("devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
    put("devices/system/cpu/vulnerabilities/retbleed", "Vulnerable\n");
    put("devices/system/cpu/vulnerabilities/mds", "Mitigation: Clear CPU buffers\n");
}

/* M08 */
static void test_laptop(void **state)
{
    (void)state;
    struct facts f = {0};
    struct diagnoses d = {0};
    make_laptop();
    host_facts_of_tree(&f, root, root);
    assert_string_equal(facts_show(&f, "cpu_model"), "Quick(R) CPU @ 3GHz");
    assert_string_equal(facts_show(&f, "governor"), "powersave");
    assert_string_equal(facts_show(&f, "boost"), "on");
    assert_string_equal(facts_show(&f, "smt"), "on");
    assert_string_equal(facts_show(&f, "virtualization"), "none");
    assert_string_equal(facts_show(&f, "mitigations"),
                        "mds: Mitigation: Clear CPU buffers; retbleed: Vulnerable");
    assert_string_equal(facts_show(&f, "memory_mib"), "16000");
    assert_string_equal(facts_show(&f, "port_range"), "32768 33768");
    host_diagnose_facts(&d, &f);
    expect(&d, "governor", HEALTH_WARNING, "powersave");
    expect(&d, "boost", HEALTH_WARNING, "on");
    expect(&d, "clock source", HEALTH_WARNING, "hpet");
    expect(&d, "port range", HEALTH_WARNING, "32768 33768");
    expect(&d, "somaxconn", HEALTH_WARNING, "128");
    expect(&d, "memory", HEALTH_OK, "8000 available");
    expect(&d, "CPU quota", HEALTH_OK, "none");
    expect(&d, "wrk", HEALTH_WARNING, "missing"); /* no such fact */
    diagnoses_fini(&d);
    facts_fini(&f);
}

static void test_tuned_server(void **state)
{
    (void)state;
    struct facts f = {0};
    struct diagnoses d = {0};
    make_laptop();
    put("cpuinfo", "processor: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
    put("devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put("devices/system/cpu/intel_pstate/no_turbo", "1\n");
    char *boost = xasprintf("%s/devices/system/cpu/cpufreq/boost", root);
    assert_int_equal(unlink(boost), 0);
    put("devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n");
    put("sys/net/ipv4/ip_local_port_range", "10000 60999\n");
    put("sys/net/core/somaxconn", "4096\n");
    host_facts_of_tree(&f, root, root);
    assert_string_equal(facts_show(&f, "cpu_model"), "implementer 0x41 part 0xd0c");
    host_diagnose_facts(&d, &f);
    expect(&d, "governor", HEALTH_OK, "performance");
    expect(&d, "boost", HEALTH_OK, "off");
    expect(&d, "clock source", HEALTH_OK, "arch_sys_counter");
    expect(&d, "port range", HEALTH_OK, "10000 60999");
    expect(&d, "somaxconn", HEALTH_OK, "4096");
    diagnoses_fini(&d);
    facts_fini(&f);
    free(boost);
}

/* M08: a virtual machine shows nothing of it; that is no fault. */
static void test_nothing_to_see(void **state)
{
    (void)state;
    struct facts f = {0};
    struct diagnoses d = {0};
    host_facts_of_tree(&f, root, root);
    assert_null(facts_find(&f, "governor")->text);
    assert_null(facts_find(&f, "boost")->text);
    assert_null(facts_find(&f, "mitigations")->text);
    assert_true(isnan(facts_find(&f, "memory_mib")->number));
    assert_true(isnan(facts_find(&f, "somaxconn")->number));
    host_diagnose_facts(&d, &f);
    expect(&d, "governor", HEALTH_OK, "unknown");
    expect(&d, "boost", HEALTH_OK, "unknown");
    expect(&d, "port range", HEALTH_OK, "unknown");
    diagnoses_fini(&d);
    facts_fini(&f);
}

static void judge_numbers(struct diagnoses *d, double cores, double cpus, double quota,
                          double files)
{
    struct facts f = {0};
    facts_number(&f, "cores_usable", cores);
    facts_number(&f, "cpus_usable", cpus);
    facts_number(&f, "cpus_online", cpus);
    facts_number(&f, "cpu_quota", quota);
    facts_number(&f, "open_files_hard", files);
    facts_number(&f, "open_files_soft", 256);
    facts_text(&f, "io_uring", files > 2000 ? "available" : "Operation not permitted");
    host_diagnose_facts(d, &f);
    facts_fini(&f);
}

static void test_limits(void **state)
{
    (void)state;
    struct diagnoses d = {0};
    judge_numbers(&d, 1, 2, NAN, 512);
    expect(&d, "cores", HEALTH_WARNING, "1 physical, 2 CPUs");
    expect(&d, "open files", HEALTH_ERROR, "hard 512; 384 connections");
    expect(&d, "io_uring", HEALTH_WARNING, "not permitted");
    diagnoses_fini(&d);
    judge_numbers(&d, 4, 8, 1.5, 4000);
    expect(&d, "cores", HEALTH_OK, "4 physical");
    expect(&d, "CPU quota", HEALTH_WARNING, "1.5 CPUs of 8");
    expect(&d, "open files", HEALTH_WARNING, "hard 4000");
    expect(&d, "io_uring", HEALTH_OK, "available");
    diagnoses_fini(&d);
    judge_numbers(&d, 4, 8, 8, 1048576);
    expect(&d, "CPU quota", HEALTH_OK, "8 CPUs of 8");
    expect(&d, "open files", HEALTH_OK, "1048448 connections");
    diagnoses_fini(&d);
}

/* Results are published: nothing in them says whose machine it was. */
static void test_facts_are_anonymous(void **state)
{
    (void)state;
    struct facts f = {0};
    char host[256] = "";
    const struct passwd *me = getpwuid(geteuid());
    gethostname(host, sizeof host - 1);
    host_facts(&f);
    static const char *const expected[] = {"os",           "kernel",          "architecture",
                                           "cpu_model",    "cpus_usable",     "cores_usable",
                                           "memory_mib",   "open_files_hard", "io_uring",
                                           "clock_source", "parity_version"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(facts_find(&f, expected[i]));
    assert_true(facts_find(&f, "cpus_usable")->number >= 1);
    assert_true(facts_find(&f, "memory_mib")->number >= 64);
    for (size_t i = 0; i < f.n; i++) {
        const char *text = f.item[i].text;
        if (!text)
            continue;
        if (me && strlen(me->pw_dir) > 1)
            assert_null(strstr(text, me->pw_dir));
        if (strlen(host) > 6)
            assert_null(strstr(text, host));
        assert_null(strstr(text, "/home/"));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(f.item[i].key, f.item[j].key);
    }
    facts_fini(&f);
}

static void test_tools(void **state)
{
    (void)state;
    struct tool none = {"no-such-tool", "-v", "none", "nothing"};
    struct tool shell = {"sh", "-c", "dash", "nothing"}; /* says something, whatever it is */
    assert_null(tools_version(&none));
    char *version = tools_version(&shell);
    assert_non_null(version);
    free(version);
    assert_string_equal(tools_all()[0].name, "volley");
    assert_null(tools_all()[0].package); /* ours */
    assert_string_equal(tools_all()[1].name, "wrk");
}

static void test_this_machine(void **state)
{
    (void)state;
    struct diagnoses d = {0};
    char key[300], again[300];
    host_diagnose(&d, 200);
    static const char *const expected[] = {"cores",      "steal", "neighbours", "run folder",
                                           "open files", "user",  "other runs", "io_uring"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(find(&d, expected[i])->found[0] != '\0');
    expect(&d, "run folder", HEALTH_OK, root);
    expect(&d, "leftovers", HEALTH_OK, "none");
    diagnoses_fini(&d);
    setenv("TMPDIR", "/no/such/folder", 1);
    host_diagnose(&d, 0);
    expect(&d, "run folder", HEALTH_ERROR, "/no/such/folder: No such file");
    diagnoses_fini(&d);
    host_machine_key(key, sizeof key);
    host_machine_key(again, sizeof again);
    assert_string_equal(key, again);
    assert_non_null(strstr(key, " cores, kernel "));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        TEST(test_laptop),       TEST(test_tuned_server),        TEST(test_nothing_to_see),
        TEST(test_limits),       TEST(test_facts_are_anonymous), TEST(test_tools),
        TEST(test_this_machine),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
