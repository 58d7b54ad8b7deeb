/* The checks' own HTTP client: every prefix of an answer is incomplete, nothing is read behind its
   end, every split arrives the same, and what no careful client would trust is refused. */
#include "check/client.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

/* Parses text whose end is flush against a page that can't be read. */
static ssize_t parse_flush(const char *text, size_t n, bool to_head, bool eof, struct answer *a)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (n / page + 1) * page;
    char *map = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + room, page, PROT_NONE), 0);
    memcpy(map + room - n, text, n);
    ssize_t rc = answer_parse(map + room - n, n, to_head, eof, a);
    munmap(map, room + page);
    return rc;
}

/* Every prefix is incomplete; the whole is taken, and not one byte more. */
static void assert_whole(const char *text, int status, const char *body)
{
    struct answer a;
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(parse_flush(text, i, false, false, &a), 0);
    char *more = xasprintf("%sHTTP/1.1 200", text);
    assert_int_equal(parse_flush(more, strlen(more), false, false, &a), (ssize_t)n);
    assert_int_equal(a.status, status);
    assert_int_equal(a.body_len, strlen(body));
    assert_string_equal(a.body, body);
    answer_fini(&a);
    answer_fini(&a);
    free(more);
}

static void takes_whole_answers(void **state)
{
    (void)state;
    assert_whole(OK_HEAD "hello", 200, "hello");
    assert_whole("HTTP/1.1 204 No Content\r\n\r\n", 204, "");
    assert_whole("HTTP/1.0 404\r\ncontent-length:0\r\n\r\n", 404, "");
    assert_whole("HTTP/1.1 304 x\r\nContent-Length: 99\r\n\r\n", 304, "");
    assert_whole(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n",
        200, "hello");
    assert_whole("HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\n"
                 "Trailer: x\r\n\r\n",
                 200, "0123456789");
    assert_whole("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" OK_HEAD
                 "hello",
                 200, "hello");
}

static void knows_what_it_saw(void **state)
{
    struct answer a;
    const char *text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nServer: x\r\n"
                       "CONTENT-type:\t text/plain \r\nContent-Length: 2\r\n\r\nOK";
    (void)state;
    assert_int_equal(answer_parse(text, strlen(text), false, false, &a), (ssize_t)strlen(text));
    assert_int_equal(a.minor, 0);
    assert_int_equal(a.interim, 1);
    assert_int_equal(a.interim_status, 100);
    assert_int_equal(a.framing, FRAMING_LENGTH);
    assert_int_equal(a.head_len, strlen(text) - 25 - 2);
    assert_int_equal(a.wire_len, strlen(text) - 25);
    char value[40];
    assert_true(answer_header(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "text/plain");
    assert_true(answer_header(&a, "content-type", value, 5));
    assert_string_equal(value, "text");
    assert_false(answer_header(&a, "Date", value, sizeof value));
    answer_header_names(&a, value, sizeof value);
    assert_string_equal(value, "content-length content-type server");
    answer_fini(&a);
}

static void ends_with_the_connection(void **state)
{
    struct answer a;
    const char *text = "HTTP/1.0 200 OK\r\n\r\nto the end";
    (void)state;
    assert_int_equal(answer_parse(text, strlen(text), false, false, &a), 0);
    assert_int_equal(answer_parse(text, strlen(text), false, true, &a), (ssize_t)strlen(text));
    assert_int_equal(a.framing, FRAMING_CLOSE);
    assert_string_equal(a.body, "to the end");
    answer_fini(&a);
    assert_int_equal(answer_parse(OK_HEAD "hell", strlen(OK_HEAD) + 4, false, true, &a), 0);
    assert_int_equal(answer_parse("", 0, false, true, &a), 0);
}

static void head_has_no_body(void **state)
{
    struct answer a;
    (void)state;
    assert_int_equal(parse_flush(OK_HEAD, strlen(OK_HEAD), true, false, &a), strlen(OK_HEAD));
    assert_int_equal(a.framing, FRAMING_NONE);
    assert_int_equal(a.body_len, 0);
    answer_fini(&a);
}

static void refuses_what_is_no_answer(void **state)
{
    static const char *const bad[] = {
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: x\nDate: y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: x\ry\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer : x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: x\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct answer a;
        ssize_t rc = parse_flush(bad[i], strlen(bad[i]), false, false, &a);
        if (rc != -1)
            print_error("taken: %s\n", bad[i]);
        assert_int_equal(rc, -1);
        assert_non_null(a.malformed);
    }
}

static void refuses_endless_heads(void **state)
{
    struct answer a;
    char *text = xasprintf("HTTP/1.1 200 OK\r\nX: %0*d", ANSWER_HEAD_MAX, 0);
    (void)state;
    assert_int_equal(answer_parse(text, ANSWER_HEAD_MAX, false, false, &a), 0);
    assert_int_equal(answer_parse(text, strlen(text), false, false, &a), -1);
    free(text);
}

#define INTERIM "HTTP/1.1 100 Continue\r\n\r\n"
#define FOUR    INTERIM INTERIM INTERIM INTERIM

static void refuses_endless_interim_answers(void **state)
{
    struct answer a;
    const char *enough = FOUR FOUR FOUR FOUR, *too_many = FOUR FOUR FOUR FOUR INTERIM;
    (void)state;
    assert_int_equal(answer_parse(enough, strlen(enough), false, false, &a), 0);
    assert_int_equal(answer_parse(too_many, strlen(too_many), false, false, &a), -1);
}

/* One connection served by a thread: reads want bytes, sends two pieces, then closes or waits. */
struct peer {
    int listener;
    struct sockaddr_in address;
    pthread_t thread;
    const char *text;
    size_t split, want;
    bool stay; /* keep the connection open until the client closes */
};

static void *serve(void *arg)
{
    struct peer *p = arg;
    char in[4096];
    int fd = accept(p->listener, NULL, NULL);
    size_t got = 0;
    while (got < p->want) {
        ssize_t n = recv(fd, in, sizeof in, 0);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    size_t len = strlen(p->text);
    if (p->split) {
        send(fd, p->text, p->split, MSG_NOSIGNAL);
        clock_sleep_ms(2);
    }
    send(fd, p->text + p->split, len - p->split, MSG_NOSIGNAL);
    while (p->stay && recv(fd, in, sizeof in, 0) > 0)
        ;
    close(fd);
    return NULL;
}

static void peer_open(struct peer *p)
{
    socklen_t size = sizeof p->address;
    p->address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&p->address, size), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&p->address, &size), 0);
    assert_int_equal(listen(p->listener, 16), 0);
}

static void peer_close(struct peer *p)
{
    pthread_join(p->thread, NULL);
    close(p->listener);
}

static void every_split_is_one_answer(void **state)
{
    const char *text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
    (void)state;
    for (size_t split = 0; split < strlen(text); split++) {
        struct peer p = {.text = text, .split = split, .want = 1, .stay = true};
        struct client c;
        struct answer a;
        peer_open(&p);
        pthread_create(&p.thread, NULL, serve, &p);
        assert_int_equal(client_open(&c, &p.address, 10000), 0);
        assert_int_equal(client_ask(&c, "GET / HTTP/1.1\r\n\r\n", &a), CLIENT_OK);
        assert_string_equal(a.body, "hello");
        assert_int_equal(a.framing, FRAMING_CHUNKED);
        assert_true(a.latency_ns > 0);
        assert_int_equal(client_await_close(&c, 0), 0);
        answer_fini(&a);
        client_close(&c);
        client_close(&c);
        peer_close(&p);
    }
}

static enum client_end ask_peer(const char *text, bool stay, unsigned timeout_ms, char *problem)
{
    struct peer p = {.text = text, .want = 1, .stay = stay};
    struct client c;
    struct answer a;
    peer_open(&p);
    pthread_create(&p.thread, NULL, serve, &p);
    assert_int_equal(client_open(&c, &p.address, timeout_ms), 0);
    enum client_end end = client_ask(&c, "GET / HTTP/1.1\r\n\r\n", &a);
    memcpy(problem, c.problem, sizeof c.problem);
    answer_fini(&a);
    client_close(&c);
    peer_close(&p);
    return end;
}

static void says_why_there_is_no_answer(void **state)
{
    char why[160];
    (void)state;
    assert_int_equal(ask_peer(OK_HEAD "hell", false, 10000, why), CLIENT_CLOSED);
    assert_non_null(strstr(why, "closed after 42 bytes"));
    assert_int_equal(ask_peer(OK_HEAD "hell", true, 50, why), CLIENT_TIMEOUT);
    assert_non_null(strstr(why, "50 ms"));
    assert_int_equal(ask_peer("SSH-2.0-x\r\n\r\n", true, 10000, why), CLIENT_MALFORMED);
    assert_non_null(strstr(why, "HTTP/1.x"));
    assert_int_equal(ask_peer("HTTP/1.1 200 OK\r\n\r\nend", false, 10000, why), CLIENT_OK);
}

static void sees_answers_that_nobody_asked_for(void **state)
{
    struct peer p = {.text = OK_HEAD "hello" OK_HEAD "again", .want = 1, .stay = true};
    struct client c;
    struct answer a;
    (void)state;
    peer_open(&p);
    pthread_create(&p.thread, NULL, serve, &p);
    assert_int_equal(client_open(&c, &p.address, 10000), 0);
    assert_int_equal(client_ask(&c, "GET / HTTP/1.1\r\n\r\n", &a), CLIENT_OK);
    assert_string_equal(a.body, "hello");
    answer_fini(&a);
    assert_int_equal(client_await_close(&c, 10000), -1);
    assert_non_null(strstr(c.problem, "43 bytes"));
    assert_int_equal(client_receive(&c, false, &a), CLIENT_OK);
    assert_string_equal(a.body, "again");
    answer_fini(&a);
    client_close(&c);
    peer_close(&p);
}

/* More than the socket buffers hold in both directions at once. */
static void sends_and_reads_at_once(void **state)
{
    size_t n = 24 << 20;
    char *text = xcalloc(n + 100, 1), *body = xcalloc(n, 1);
    size_t head = (size_t)sprintf(text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
    (void)state;
    memset(text + head, 'a', n);
    struct peer p = {.text = text, .want = 1, .stay = true};
    struct client c;
    struct answer a;
    peer_open(&p);
    pthread_create(&p.thread, NULL, serve, &p);
    assert_int_equal(client_open(&c, &p.address, 60000), 0);
    assert_int_equal(client_send(&c, body, n), 0);
    assert_int_equal(client_receive(&c, false, &a), CLIENT_OK);
    assert_int_equal(a.body_len, n);
    answer_fini(&a);
    client_close(&c);
    peer_close(&p);
    free(text);
    free(body);
}

static void names_a_refused_connection(void **state)
{
    struct peer p;
    struct client c;
    (void)state;
    peer_open(&p);
    close(p.listener);
    assert_int_equal(client_open(&c, &p.address, 10000), -1);
    assert_non_null(strstr(c.problem, "refused"));
    client_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_whole_answers),
        cmocka_unit_test(knows_what_it_saw),
        cmocka_unit_test(ends_with_the_connection),
        cmocka_unit_test(head_has_no_body),
        cmocka_unit_test(refuses_what_is_no_answer),
        cmocka_unit_test(refuses_endless_heads),
        cmocka_unit_test(refuses_endless_interim_answers),
        cmocka_unit_test(every_split_is_one_answer),
        cmocka_unit_test(says_why_there_is_no_answer),
        cmocka_unit_test(sees_answers_that_nobody_asked_for),
        cmocka_unit_test(sends_and_reads_at_once),
        cmocka_unit_test(names_a_refused_connection),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
