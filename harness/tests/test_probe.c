/* probe against canned answers from a real socket, whole and in pieces, right and wrong. */
#include "lab/probe.h"

#include "base/alloc.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TIMEOUT_MS = 20000
};

struct canned {
    const char *answer;
    size_t len, piece; /* bytes per send; 0 = all at once */
    bool stay;         /* leave the connection open */
};

static struct sockaddr_in address;
static int listener;

static int open_listener(void **state)
{
    (void)state;
    socklen_t len = sizeof address;
    address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 16), 0);
    return getsockname(listener, (struct sockaddr *)&address, &len);
}

/* Serves one connection: reads a request's head, sends the answer. The request goes to a pipe. */
static void serve(const struct canned *c, int report)
{
    char request[4096] = "";
    size_t got = 0;
    int fd = accept(listener, NULL, NULL);
    while (got + 1 < sizeof request && !strstr(request, "\r\n\r\n")) {
        ssize_t n = recv(fd, request + got, sizeof request - 1 - got, 0);
        if (n <= 0)
            break;
        got += (size_t)n;
        request[got] = '\0';
    }
    ssize_t written = write(report, request, got);
    for (size_t at = 0; at < c->len && written >= 0;) {
        size_t n = c->piece && c->piece < c->len - at ? c->piece : c->len - at;
        ssize_t sent = send(fd, c->answer + at, n, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += (size_t)sent;
        if (c->piece)
            usleep(200);
    }
    if (c->stay)
        pause();
    _exit(0);
}

static struct probe ask(enum route_id id, const struct canned *c, const char *docroot,
                        unsigned timeout_ms, char request[4096])
{
    struct probe p;
    int report[2];
    assert_int_equal(pipe(report), 0);
    pid_t pid = fork();
    if (pid == 0)
        serve(c, report[1]);
    close(report[1]);
    probe_route(&p, &address, route_get(id), docroot, timeout_ms);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ssize_t n = read(report[0], request, 4095);
    request[n > 0 ? n : 0] = '\0';
    close(report[0]);
    return p;
}

static void expect(enum probe_outcome outcome, const char *answer, bool stay)
{
    char request[4096];
    for (size_t piece = 0; piece < 8; piece += 1 + piece * 2) {
        struct canned c = {answer, strlen(answer), piece, stay};
        struct probe p =
            ask(ROUTE_HEALTH, &c, NULL, outcome == PROBE_SILENT ? 300 : TIMEOUT_MS, request);
        if (p.outcome != outcome)
            fail_msg("%s: outcome %d, %s", answer, p.outcome, p.text);
    }
}

static void test_right_answers(void **state)
{
    (void)state;
    expect(PROBE_RIGHT, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK", true);
    expect(PROBE_RIGHT, "HTTP/1.1 200 OK\r\nX: y\r\ncontent-length:2\r\n\r\nOK", false);
    expect(PROBE_RIGHT, "HTTP/1.0 200 OK\r\nServer: x\r\n\r\nOK", false);
    expect(PROBE_RIGHT,
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nO\r\n1;a=b\r\nK\r\n0\r\n\r\n",
           true);
}

static void test_wrong_answers(void **state)
{
    (void)state;
    expect(PROBE_WRONG, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nOK", true);
    expect(PROBE_WRONG, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nKO", true);
    expect(PROBE_WRONG, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n", true);
    expect(PROBE_WRONG, "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", true);
    expect(PROBE_WRONG, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true);
}

static void test_broken_answers(void **state)
{
    (void)state;
    expect(PROBE_BROKEN, "", false);
    expect(PROBE_BROKEN, "SSH-2.0-OpenSSH_9.2\r\n\r\n", false);
    expect(PROBE_BROKEN, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nOK", false);
    expect(PROBE_BROKEN, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nOK", false);
    expect(PROBE_BROKEN,
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nOK", false);
    expect(PROBE_BROKEN, "HTTP/1.1 200 OK\r\nContent-", false);
}

static void test_silence(void **state)
{
    (void)state;
    expect(PROBE_SILENT, "", true);
    expect(PROBE_SILENT, "HTTP/1.1 200 OK\r\n\r\nOK",
           true); /* no length: ends with the connection */
    expect(PROBE_SILENT, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n", true);
}

static void test_words(void **state)
{
    (void)state;
    char request[4096];
    const char *answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nno\tn\n";
    struct probe p = ask(ROUTE_HEALTH, &(struct canned){answer, strlen(answer), 0, true}, NULL,
                         TIMEOUT_MS, request);
    assert_int_equal(p.status, 404);
    assert_string_equal(p.text, "status 404, 5 bytes 'no.n.'; expected status 200, 2 bytes 'OK'");
    assert_true(strncmp(request, "GET /health HTTP/1.1\r\nHost: 127.0.0.1:", 38) == 0);
    assert_non_null(strstr(request, "\r\nConnection: close\r\n\r\n"));
}

static void test_post(void **state)
{
    (void)state;
    char request[4096];
    const char *answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    struct probe p = ask(ROUTE_ECHO, &(struct canned){answer, strlen(answer), 0, true}, NULL,
                         TIMEOUT_MS, request);
    assert_int_equal(p.outcome, PROBE_RIGHT);
    assert_true(strncmp(request, "POST /echo HTTP/1.1\r\n", 21) == 0);
    assert_non_null(strstr(request, "\r\nContent-Length: 5\r\n"));
    assert_non_null(strstr(request, "\r\n\r\nhello"));
}

static void test_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/parity-test-probe-XXXXXX", request[4096];
    assert_non_null(mkdtemp(dir));
    char *path = xasprintf("%s/large.bin", dir);
    size_t len = 2229306;
    char *body = xcalloc(len, 1);
    for (size_t i = 0; i < len; i++)
        body[i] = (char)(i * i >> 3); /* with NULs and line ends */
    assert_int_equal(file_replace(path, body, len, NULL), 0);
    char *head = xasprintf("HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", len);
    size_t head_len = strlen(head);
    char *answer = xcalloc(head_len + len, 1);
    memcpy(mempcpy(answer, head, head_len), body, len);
    struct canned c = {answer, head_len + len, 0, true};
    assert_int_equal(ask(ROUTE_LARGE, &c, dir, TIMEOUT_MS, request).outcome, PROBE_RIGHT);
    answer[head_len + len - 1]++;
    assert_int_equal(ask(ROUTE_LARGE, &c, dir, TIMEOUT_MS, request).outcome, PROBE_WRONG);
    struct probe p = ask(ROUTE_SMALL, &c, dir, TIMEOUT_MS, request);
    assert_int_equal(p.outcome, PROBE_WRONG);
    assert_non_null(strstr(p.text, "small.txt is missing"));
    file_remove_tree(dir, NULL);
    free(answer);
    free(head);
    free(body);
    free(path);
}

static void test_nobody_listens(void **state)
{
    (void)state;
    struct probe p;
    struct sockaddr_in nowhere = address;
    socklen_t len = sizeof nowhere;
    int bound = socket(AF_INET, SOCK_STREAM, 0);
    nowhere.sin_port = 0;
    assert_int_equal(bind(bound, (struct sockaddr *)&nowhere, sizeof nowhere), 0);
    getsockname(bound, (struct sockaddr *)&nowhere, &len);
    probe_route(&p, &nowhere, route_get(ROUTE_HEALTH), NULL, TIMEOUT_MS);
    assert_int_equal(p.outcome, PROBE_REFUSED);
    assert_string_equal(p.text, "no connection: Connection refused");
    close(bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_answers),  cmocka_unit_test(test_wrong_answers),
        cmocka_unit_test(test_broken_answers), cmocka_unit_test(test_silence),
        cmocka_unit_test(test_words),          cmocka_unit_test(test_post),
        cmocka_unit_test(test_files),          cmocka_unit_test(test_nobody_listens),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("probe", tests, open_listener, NULL);
}
