/* counters: recorded copies of the kernel's tables, and real work that must show up in them. */
#include "lab/counters.h"

#include "base/clock.h"
#include "lab/procfs.h"
#include "lab/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%g is not within %g of %g", got, tolerance, expected);
}

static void test_tables(void **state)
{
    (void)state;
    static const char text[] = "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
                               "Tcp: RtoAlgorithm MaxConn ActiveOpens PassiveOpens RetransSegs\n"
                               "Tcp: 1 -1 2500163 1294583 16488\n"
                               "TcpExt: ListenOverflows ListenDrops\nTcpExt: 7 9";
    assert_near(counters_table_value(text, "Tcp", "PassiveOpens"), 1294583, 0);
    assert_near(counters_table_value(text, "Tcp", "MaxConn"), -1, 0);
    assert_near(counters_table_value(text, "Tcp", "RetransSegs"), 16488, 0);
    assert_near(counters_table_value(text, "TcpExt", "ListenDrops"), 9, 0);
    assert_true(isnan(counters_table_value(text, "Tcp", "Passive")));
    assert_true(isnan(counters_table_value(text, "Udp", "InDatagrams")));
    assert_true(isnan(counters_table_value("", "Tcp", "PassiveOpens")));
    assert_true(isnan(counters_table_value("Tcp: A B\nTcp: 1", "Tcp", "B")));
    assert_true(isnan(counters_table_value("Tcp: A B", "Tcp", "B")));
}

static void test_cpu_columns(void **state)
{
    (void)state;
    static const char text[] = "cpu  60 0 0 600 0 0 0 0 0 0\n"
                               "cpu0 100 20 300 4000 50 6 7 80 9 10\n"
                               "cpu1 1 1 1 1 1 1 1 1 1 1\n"
                               "cpu12 200 0 100 700 0 0 0 0 0 0\nintr 5 0\n";
    struct counters c;
    cpu_set_t used;
    double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    CPU_ZERO(&used);
    CPU_SET(0, &used);
    CPU_SET(12, &used);
    counters_parse_stat(&c, text, &used);
    assert_near(c.cpu_total_s, (4563 + 1000) * tick_s, 1e-9);
    assert_near(c.cpu_work_s, (420 + 300) * tick_s, 1e-9);
    assert_near(c.cpu_idle_s, (4050 + 700) * tick_s, 1e-9);
    assert_near(c.cpu_steal_s, 80 * tick_s, 1e-9);
    CPU_ZERO(&used);
    CPU_SET(5, &used);
    counters_parse_stat(&c, text, &used);
    assert_true(isnan(c.cpu_total_s) && isnan(c.cpu_steal_s));
}

static void test_recorded_stat_lines(void **state)
{
    (void)state;
    struct procfs_stat s;
    assert_true(procfs_parse_stat(
        &s,
        "4242 (ng) inx: (w) S 4200 4241 4241 0 -1 4194624 500 0 0 0 150 50 7 3 20 0 3 0 "
        "987654321 13434880 600 18446744073709551615 1 1 0 0 0 0 0 4096 134234626 0 0 0 17 1\n"));
    double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    assert_int_equal(s.pid, 4242);
    assert_string_equal(s.name, "ng) inx: (w");
    assert_int_equal(s.state, 'S');
    assert_int_equal(s.parent, 4200);
    assert_int_equal(s.group, 4241);
    assert_near(s.cpu_s, 200 * tick_s, 1e-9);
    assert_near(s.children_cpu_s, 10 * tick_s, 1e-9);
    assert_int_equal(s.threads, 3);
    assert_true(s.start_ticks == 987654321);
    assert_false(procfs_parse_stat(&s, ""));
    assert_false(procfs_parse_stat(&s, "12 no parentheses S 1"));
    assert_false(procfs_parse_stat(&s, "12 (cut) S 1 2"));
    assert_false(procfs_parse_stat(&s, ") 12 ("));
}

static void test_fields(void **state)
{
    (void)state;
    static const char text[] = "Name:\tx\nVmHWM:\t    5120 kB\nVmRSS:\t 4096 kB\n"
                               "nonvoluntary_ctxt_switches:\t3\n";
    assert_near(procfs_field(text, "VmHWM"), 5120, 0);
    assert_near(procfs_field(text, "nonvoluntary_ctxt_switches"), 3, 0);
    assert_true(isnan(procfs_field(text, "voluntary_ctxt_switches")));
    assert_true(isnan(procfs_field("", "VmHWM")));
}

/* A server without a manifest: a shell that works in a child that ended, in one that lives, and
   itself. */
static void start_worker(struct server *s, const char *script)
{
    struct strings argv = {0};
    strings_add(&argv, "sh");
    strings_add(&argv, "-c");
    strings_add(&argv, script);
    struct process_spec spec = {.argv = argv.item};
    *s = (struct server){0};
    assert_int_equal(process_keep_children(NULL), 0);
    assert_int_equal(process_start(&s->process, &spec, NULL), 0);
    strings_fini(&argv);
}

static void read_all(struct counters *c, const struct server *s)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        CPU_SET(cpu, &all);
    counters_read(c, s, &all);
}

static void test_work_is_seen(void **state)
{
    (void)state;
    struct server s;
    struct counters before, after;
    struct usage u;
    start_worker(&s, "sleep 0.3; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done;"
                     "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; sleep 99");
    read_all(&before, &s);
    for (int i = 0; i < 1000; i++) {
        struct procfs_stat leader;
        clock_sleep_ms(20);
        if (procfs_read(&leader, s.process.pid) && leader.children_cpu_s > 0)
            break;
    }
    read_all(&after, &s);
    counters_usage(&u, &before, &after, 0.5);
    assert_true(u.wall_s > 0.1 && u.wall_s < 100);
    /* its own loop by the exact clock, the ended child's in ticks */
    assert_true(u.server_cpu_s > 0.02 && u.server_cpu_s < u.wall_s * 2);
    assert_true(u.server_switches >= 1);
    assert_true(u.server_peak_rss_kib > 200);
    assert_near(u.client_cpu_s, 0.5, 0);
    assert_true(u.steal_share >= 0 && u.steal_share <= 1);
    assert_true(u.neighbour_share >= 0 && u.neighbour_share <= 1);
    assert_true(after.own_cpu_s - before.own_cpu_s >= u.server_cpu_s - 0.05);
    assert_true(after.cpu_total_s > before.cpu_total_s);
    assert_true(u.tcp_opens >= 0 && u.tcp_retransmits >= 0 && u.listen_overflows >= 0);
    process_stop(&s.process, SIGTERM, 1000, NULL);
    read_all(&after, &s);
    assert_true(isnan(after.server_cpu_s) && isnan(after.server_peak_rss_kib));
    assert_true(after.own_cpu_s >= before.own_cpu_s); /* the ended ones' is kept */
}

static void test_shares(void **state)
{
    (void)state;
    struct counters before = {.at_s = 1}, after = {.at_s = 3};
    struct usage u;
    after.cpu_total_s = 4;
    after.cpu_work_s = 2.5;
    after.own_cpu_s = 1.5;
    after.cpu_steal_s = 0.2;
    after.throttled_s = NAN;
    before.time_wait = 17;
    counters_usage(&u, &before, &after, 1);
    assert_near(u.wall_s, 2, 1e-12);
    assert_near(u.neighbour_share, 0.25, 1e-12);
    assert_near(u.steal_share, 0.05, 1e-12);
    assert_near(u.time_wait_before, 17, 0);
    assert_true(isnan(u.throttled_s));
    after.own_cpu_s = 3; /* ticks and exact clocks disagree: nobody else was there */
    counters_usage(&u, &before, &after, 1);
    assert_near(u.neighbour_share, 0, 0);
    after.cpu_total_s = NAN;
    counters_usage(&u, &before, &after, 1);
    assert_true(isnan(u.neighbour_share) && isnan(u.steal_share));
}

static void test_server_that_runs_already(void **state)
{
    (void)state;
    struct server s = {0};
    struct counters c;
    read_all(&c, &s);
    assert_true(isnan(c.server_cpu_s) && isnan(c.server_switches));
    assert_true(c.own_cpu_s > 0 && c.cpu_total_s > 0);
}

/* Opens and closes n connections, our side first: each leaves a socket in TIME_WAIT. */
static void make_time_wait(int n)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    char byte;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 5), 0);
    getsockname(listener, (struct sockaddr *)&address, &len);
    for (int i = 0; i < n; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
        int other = accept(listener, NULL, NULL);
        close(fd);
        assert_int_equal(read(other, &byte, 1), 0);
        close(other);
    }
    close(listener);
}

static void test_time_wait_and_opens(void **state)
{
    (void)state;
    struct server s = {0};
    struct counters before, after;
    struct usage u;
    read_all(&before, &s);
    make_time_wait(50);
    read_all(&after, &s);
    counters_usage(&u, &before, &after, 0);
    assert_true(u.tcp_opens >= 50);
    assert_true(counters_await_time_wait(1e9, 30) > 0); /* at once: it is below */
    uint64_t begin_ns = clock_ns();
    assert_true(counters_await_time_wait(0, 0.3) > 0); /* not within the time */
    assert_true(clock_ns() - begin_ns >= 300000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_cpu_columns),
        cmocka_unit_test(test_recorded_stat_lines),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_work_is_seen),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_server_that_runs_already),
        cmocka_unit_test(test_time_wait_and_opens),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
