/* What the machine allows a generator (cases M01, W12), on copies of /proc. */
#include "load/limits.h"

#include "base/alloc.h"
#include "base/file.h"
#include "load/generator.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char dir[] = "/tmp/parity-test-limits-XXXXXX";

static void put(const char *root, const char *below, const char *text)
{
    char *path = xasprintf("%s/%s", root, below), *folder = xstrdup(path);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(file_make_dir(folder, NULL), 0);
    assert_int_equal(file_replace(path, text, strlen(text), NULL), 0);
    free(folder);
    free(path);
}

static void m01_ports_are_counted(void **state)
{
    (void)state;
    struct limits l;
    char *proc = xasprintf("%s/proc", dir);
    limits_read(&l, proc); /* nothing there: not known, never a reason to refuse */
    assert_int_equal(l.ports, -1);
    assert_int_equal(load_close_requests_limit(&l, 10), -1);

    put(proc, "sys/net/ipv4/ip_local_port_range", "32768\t33768\n");
    put(proc, "sys/net/ipv4/ip_local_reserved_ports", "8080,32700-32769,33000,33768-40000\n");
    put(proc, "sys/net/ipv4/tcp_tw_reuse", "0\n");
    limits_read(&l, proc);
    assert_int_equal(l.ports, 1001 - 4);
    assert_int_equal(load_close_requests_limit(&l, 10), 997);
    assert_int_equal(load_close_requests_limit(&l, 120), 3 * 997);

    put(proc, "sys/net/ipv4/tcp_tw_reuse", "2\n");
    put(proc, "sys/net/ipv4/ip_local_reserved_ports", "\n");
    limits_read(&l, proc);
    assert_int_equal(load_close_requests_limit(&l, 10), 11 * 1001);
    put(proc, "sys/net/ipv4/tcp_timestamps", "0\n"); /* no reuse without them */
    limits_read(&l, proc);
    assert_int_equal(load_close_requests_limit(&l, 10), 1001);
    free(proc);
}

static void m01_waiting_ports_are_counted(void **state)
{
    (void)state;
    char *proc = xasprintf("%s/proc", dir);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(8080)};
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    assert_int_equal(limits_waiting_ports(proc, &to), -1);
    put(proc, "net/tcp",
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
        "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000\n"
        "   1: 0100007F:8001 0100007F:1F90 06 00000000:00000000 03:00000D5C 00000000\n"
        "   2: 0100007F:8002 0100007F:1F90 01 00000000:00000000 00:00000000 00000000\n"
        "   3: 0100007F:1F90 0100007F:8003 06 00000000:00000000 03:00000D5C 00000000\n"
        "   4: 0100007F:8004 0100007F:1F91 06 00000000:00000000 03:00000D5C 00000000\n"
        "   5: 0100007F:8005 0100007F:1F90 06 00000000:00000000 03:00000D5C 00000000\n");
    assert_int_equal(limits_waiting_ports(proc, &to), 2);
    assert_true(limits_waiting_ports("/proc", &to) >= 0);
    free(proc);
}

static void w12_too_many_connections_are_refused_with_the_numbers(void **state)
{
    (void)state;
    struct load l = {.connections = 4, .keepalive = true};
    struct limits limits = {.fds_hard = 128, .ports = 28232, .reuse_s = 1};
    l.connections = 256;
    char *why = limits_refuse(&limits, &l);
    assert_non_null(why);
    assert_non_null(strstr(why, "256 connections need 320 file descriptors"));
    assert_non_null(strstr(why, "128"));
    free(why);
    l.connections = 64;
    assert_null(limits_refuse(&limits, &l));
    limits = (struct limits){.fds_hard = 1 << 20, .ports = 1001, .reuse_s = 1};
    l.connections = 1002;
    why = limits_refuse(&limits, &l);
    assert_non_null(why);
    assert_non_null(strstr(why, "1001"));
    free(why);
    limits.ports = -1;
    assert_null(limits_refuse(&limits, &l));
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return file_remove_tree(dir, NULL);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m01_ports_are_counted),
        cmocka_unit_test(m01_waiting_ports_are_counted),
        cmocka_unit_test(w12_too_many_connections_are_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
