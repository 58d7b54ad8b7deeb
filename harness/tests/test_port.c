/* port and sockets: real listeners of this process, of children and of strangers; recorded copies
   of /proc/net/tcp. */
#include "lab/port.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/account.h"
#include "lab/sockets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* An IPv4 listener, or with backlog -1 only a bound socket; *port 0 = any. */
static int open_listener(const char *ip, unsigned *port, int backlog)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    inet_pton(AF_INET, ip, &address.sin_addr);
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    if (backlog >= 0)
        assert_int_equal(listen(fd, backlog), 0);
    getsockname(fd, (struct sockaddr *)&address, &len);
    *port = ntohs(address.sin_port);
    return fd;
}

/* A child that holds a listener on *port until its pipe closes. */
struct holder {
    pid_t pid;
    int fd;
};

static struct holder fork_holder(unsigned *port, uid_t uid)
{
    int ready[2], hold[2];
    unsigned chosen = *port;
    assert_int_equal(pipe(ready) | pipe(hold), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        close(hold[1]);
        if (uid && account_become(uid, account_group(uid)) < 0)
            _exit(1);
        open_listener("127.0.0.1", &chosen, 5);
        ssize_t n = write(ready[1], &chosen, sizeof chosen);
        n += read(hold[0], &byte, 1);
        _exit(n > 0 ? 0 : 1);
    }
    close(ready[1]);
    close(hold[0]);
    assert_int_equal(read(ready[0], port, sizeof *port), sizeof *port);
    close(ready[0]);
    return (struct holder){pid, hold[1]};
}

static void end_holder(struct holder h)
{
    close(h.fd);
    waitpid(h.pid, NULL, 0);
}

static void test_candidates(void **state)
{
    (void)state;
    unsigned first, last;
    assert_true(port_candidates("32768\t60999\n", &first, &last));
    assert_int_equal(first, 10000);
    assert_int_equal(last, 32767);
    assert_true(port_candidates("5000\t65000\n", &first, &last));
    assert_int_equal(first, 1024);
    assert_int_equal(last, 4999);
    assert_true(port_candidates("1024\t40000\n", &first, &last));
    assert_int_equal(first, 40001);
    assert_int_equal(last, 65535);
    assert_false(port_candidates("1024 65535", &first, &last));
    assert_int_equal(first, 1024);
    assert_int_equal(last, 65535);
    assert_true(port_candidates(NULL, &first, &last));
    assert_int_equal(last, 32767);
    assert_true(port_candidates("", &first, &last));
    assert_int_equal(last, 32767);
}

static void test_pick_is_free_and_not_ephemeral(void **state)
{
    (void)state;
    unsigned low = 0, seen[20];
    char who[100];
    FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");
    assert_int_equal(fscanf(range, "%u", &low), 1);
    fclose(range);
    for (int i = 0; i < 20; i++) {
        int port = port_pick(NULL), same = 0;
        assert_true(port > 1023);
        if (low >= 2000)
            assert_true((unsigned)port < low);
        assert_true(port_is_free((unsigned)port, who, sizeof who));
        assert_false(port_has_listener((unsigned)port, who, sizeof who));
        seen[i] = (unsigned)port;
        for (int j = 0; j < i; j++)
            same += seen[j] == seen[i];
        assert_true(same < 3); /* not the same one again and again */
    }
}

static void test_holder_is_named(void **state)
{
    (void)state;
    unsigned port = 0;
    char who[160], expected[60];
    struct holder h = fork_holder(&port, 0);
    assert_false(port_is_free(port, who, sizeof who));
    snprintf(expected, sizeof expected, "test_port (process %d of user ", (int)h.pid);
    assert_non_null(strstr(who, expected));
    end_holder(h);
    assert_true(port_is_free(port, who, sizeof who));
}

/* M14 */
static void test_outgoing_connection_holds_a_port(void **state)
{
    (void)state;
    unsigned target = 0, port = 0;
    char who[160];
    int listener = open_listener("127.0.0.1", &target, 5);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)target),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int out = open_listener("127.0.0.1", &port, -1);
    assert_int_equal(connect(out, (struct sockaddr *)&to, sizeof to), 0);
    assert_false(port_is_free(port, who, sizeof who));
    assert_string_equal(who, "an outgoing connection");
    close(out);
    close(listener);
}

static void test_ours_and_foreign(void **state)
{
    (void)state;
    unsigned port = 0, nobody_there = (unsigned)port_pick(NULL);
    char who[160], list[100], expected[60];
    struct holder h = fork_holder(&port, 0);
    assert_int_equal(port_is_ours(nobody_there, getpid(), who, sizeof who), -1);
    assert_int_equal(port_is_ours(port, getpid(), who, sizeof who), 1); /* a child's is ours */
    assert_int_equal(port_is_ours(port, h.pid, who, sizeof who), 1);
    port_list_ours(h.pid, list, sizeof list);
    snprintf(expected, sizeof expected, "%u", port);
    assert_string_equal(list, expected);
    /* SO_REUSEPORT lets a stranger of the same user share the port: that must not pass for ours. */
    int stranger = open_listener("127.0.0.1", &port, 5);
    assert_int_equal(port_is_ours(port, h.pid, who, sizeof who), 0);
    snprintf(expected, sizeof expected, "process %d ", (int)getpid());
    assert_non_null(strstr(who, expected));
    close(stranger);
    assert_int_equal(port_is_ours(port, h.pid, who, sizeof who), 1);
    end_holder(h);
}

static void test_other_users_listener(void **state)
{
    (void)state;
    uid_t uid = account_unprivileged();
    if (!uid) {
        print_message("# only root can try this\n");
        return;
    }
    unsigned port = 0;
    char who[160];
    struct holder h = fork_holder(&port, uid);
    assert_int_equal(port_is_ours(port, h.pid, who, sizeof who), 1);
    assert_true(port_has_listener(port, who, sizeof who));
    assert_non_null(strstr(who, "user nobody"));
    end_holder(h);
}

static void test_backlog(void **state)
{
    (void)state;
    unsigned port = 0;
    int fd = open_listener("127.0.0.1", &port, 7);
    assert_int_equal(sockets_backlog(port), 7);
    int other = open_listener("127.0.0.1", &port, 3);
    assert_int_equal(sockets_backlog(port), 3); /* the smallest */
    close(other);
    close(fd);
    assert_int_equal(sockets_backlog(port), -1);
}

/* Where sock_diag is missing the tables are read: they must say the same. */
static void test_tables_agree_with_sock_diag(void **state)
{
    (void)state;
    unsigned port = 0;
    size_t asked_n, n = 0, same = 0;
    int fd = open_listener("127.0.0.1", &port, 5);
    struct listener *asked = sockets_listeners(port, &asked_n), *list = NULL;
    char *text = file_read("/proc/net/tcp", NULL, NULL);
    assert_non_null(text);
    sockets_parse(&list, &n, text, false);
    assert_int_equal(asked_n, 1);
    for (size_t i = 0; i < n; i++)
        same += list[i].port == port && list[i].inode == asked->inode &&
                list[i].uid == asked->uid && list[i].local == asked->local;
    assert_int_equal(same, 1);
    assert_true(sockets_held_by(asked->inode, getpid()));
    free(text);
    free(list);
    free(asked);
    close(fd);
}

static void test_recorded_tables(void **state)
{
    (void)state;
    static const char v4[] = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "
                             "retrnsmt   uid  timeout "
                             "inode                                                     \n"
                             "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 "
                             "00000000 65534        0 "
                             "4294967297 1 000000007c1f7d5a 100 0 0 10 0                 \n"
                             "   1: 00000000:0050 00000000:0000 0A 00000000:00000003 00:00000000 "
                             "00000000     0        0 "
                             "2222 1 0 100 0 0 10 0\n"
                             "   2: 0200000A:1F91 00000000:0000 0A 00000000:00000000 00:00000000 "
                             "00000000  1000        0 "
                             "3333 1 0 100 0 0 10 0\n"
                             "   3: 0100007F:1F90 0100007F:C0DE 01 00000000:00000000 02:000A7B1C "
                             "00000000     0        0 "
                             "4444 1 0 20 4 30 10 -1\n"
                             "   4: broken line\n";
    static const char v6[] =
        "  sl  local_address                         remote_address                        st\n"
        "   0: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A "
        "00000000:00000000 00:00000000 00000000     0        0 5555 1 0 100 0 0 10 0\n"
        "   1: 00000000000000000000000001000000:01BC 00000000000000000000000000000000:0000 0A "
        "00000000:00000000 00:00000000 00000000     0        0 6666 1 0 100 0 0 10 0\n"
        "   2: 0000000000000000FFFF00000100007F:01BD 00000000000000000000000000000000:0000 0A "
        "00000000:00000000 00:00000000 00000000     0        0 7777 1 0 100 0 0 10 0\n";
    struct listener *list = NULL;
    size_t n = 0;
    sockets_parse(&list, &n, v4, false);
    sockets_parse(&list, &n, v6, true);
    sockets_parse(&list, &n, "", true);
    const struct listener expected[] = {{8080, true, 4294967297, 65534}, {80, true, 2222, 0},
                                        {8081, false, 3333, 1000},       {443, true, 5555, 0},
                                        {444, false, 6666, 0},           {445, true, 7777, 0}};
    assert_int_equal(n, 6);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(list[i].port, expected[i].port);
        assert_int_equal(list[i].local, expected[i].local);
        assert_true(list[i].inode == expected[i].inode);
        assert_int_equal(list[i].uid, expected[i].uid);
    }
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_pick_is_free_and_not_ephemeral),
        cmocka_unit_test(test_holder_is_named),
        cmocka_unit_test(test_outgoing_connection_holds_a_port),
        cmocka_unit_test(test_ours_and_foreign),
        cmocka_unit_test(test_other_users_listener),
        cmocka_unit_test(test_backlog),
        cmocka_unit_test(test_tables_agree_with_sock_diag),
        cmocka_unit_test(test_recorded_tables),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("port", tests, NULL, NULL);
}
