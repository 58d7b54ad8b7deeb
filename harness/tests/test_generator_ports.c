/* Running out of ephemeral ports (case M01), for real: a network of our own with 1001 ports and no
   reuse of TIME_WAIT. When the generator closes first, its ports are used up and the verdict names
   them; when the server does, they are free at once and far more requests than ports succeed. */
#include "load/generator.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/scratch.h"

enum {
    PORT = 8080,
    CANNOT = 77, /* this machine doesn't let us */
    CONNECTIONS = 8
};

static char dir[] = "/tmp/parity-test-ports-XXXXXX";

static void can(bool it_worked)
{
    if (!it_worked)
        _exit(CANNOT);
}

static void set(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    can(fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value));
    close(fd);
}

static void make_network(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    can(unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) == 0);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    can(fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &lo) == 0);
    close(fd);
    set("/proc/sys/net/ipv4/ip_local_port_range", "32768 33768");
    set("/proc/sys/net/ipv4/tcp_tw_reuse", "0");
}

static struct sockaddr_in address(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
    return a;
}

/* Answers a request on a connection; false when it is over. */
static bool answer(int fd, bool closes_first)
{
    static const char reply[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
        "Connection: close\r\n\r\nOK";
    char request[4096];
    if (read(fd, request, sizeof request) <= 0)
        return false;
    return write(fd, reply, sizeof reply - 1) == (ssize_t)sizeof reply - 1 && !closes_first;
}

static _Noreturn void serve(int listener, bool closes_first)
{
    struct pollfd fds[64] = {{.fd = listener, .events = POLLIN}};
    nfds_t n = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        poll(fds, n, -1);
        for (nfds_t i = n; i-- > 1;)
            if (fds[i].revents && !answer(fds[i].fd, closes_first)) {
                close(fds[i].fd);
                fds[i] = fds[--n];
            }
        if (fds[0].revents && n < 64)
            fds[n++] = (struct pollfd){.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC),
                                       .events = POLLIN};
    }
}

static void start_server(bool closes_first)
{
    struct sockaddr_in a = address();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    can(bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0);
    pid_t pid = fork();
    if (pid == 0)
        serve(fd, closes_first);
    close(fd);
}

/* Measures 2 s in a process of its own (namespaces stay) and hands its findings back. */
static void measure(const char *name, bool closes_first, struct tally *t, struct load_outcome *o)
{
    struct found {
        struct tally tally;
        struct load_outcome outcome;
    } found = {0};
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const struct generator *g = generator_find(name);
        struct load l = {.address = address(),
                         .route = ROUTE_HEALTH,
                         .connections = CONNECTIONS,
                         .duration_s = 2,
                         .cpus_n = 1,
                         .raw_dir = dir};
        can(!g->missing());
        make_network();
        start_server(closes_first);
        process_keep_children(NULL);
        int rc = g->measure(&l, &found.tally, &found.outcome, NULL);
        _exit(rc == 0 && write(pipes[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(pipes[1]);
    ssize_t n = read(pipes[0], &found, sizeof found);
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
        skip_because("no network namespace can be made here");
    assert_int_equal(status, 0);
    assert_int_equal(n, sizeof found);
    *t = found.tally;
    *o = found.outcome;
}

static void ports_run_out_when_wrk_closes_first(void **state)
{
    (void)state;
    struct tally t = {0};
    struct load_outcome o = {0};
    measure("wrk", false, &t, &o);
    if (o.verdict != VERDICT_PORTS_EXHAUSTED)
        fail_msg("%s: %s", verdict_name(o.verdict), o.note);
    assert_non_null(strstr(o.note, "1001 ephemeral ports"));
    assert_true(t.requests > 900 && t.requests <= 1001);
    assert_int_equal(t.errors[ERROR_CONNECT], CONNECTIONS);
}

static void ports_suffice_when_the_server_closes_first(void **state)
{
    (void)state;
    struct tally t = {0};
    struct load_outcome o = {0};
    measure("ab", true, &t, &o);
    if (o.verdict != VERDICT_VALID)
        fail_msg("%s: %s", verdict_name(o.verdict), o.note);
    assert_true(t.requests > 1001);
    assert_int_equal(t.ok, t.requests);
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
        cmocka_unit_test(ports_run_out_when_wrk_closes_first),
        cmocka_unit_test(ports_suffice_when_the_server_closes_first),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
