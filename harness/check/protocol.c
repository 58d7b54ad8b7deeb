/* protocol: what HTTP/1.1 asks of a server beyond its routes, as far as load tools meet it: HEAD, a
   missing path, pipelined requests in order, close obeyed, Expect. Not a conformance suite. */
#include "check/session.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIPELINED = 8, /* requests in one write */
    EXPECT_BODY_LEN = 2000,
    EXPECT_WAIT_MS = 1000 /* how long curl waits for 100 (Continue) */
};

static bool is_get(int route)
{
    return route >= 0 && !route_get((enum route_id)route)->request_body;
}

/* Connects and sends text. Returns 0, or -1 with the item's value "unknown". */
static int send_text(struct session *s, struct check_item *i, const char *text)
{
    if (session_connect(s) == 0 && client_send(&s->client, text, strlen(text)) == 0)
        return 0;
    item_value(i, "unknown");
    item_fail(i, "%s", s->client.problem);
    return -1;
}

/* True when the next answer on the connection is the route's. */
static bool receive_route(struct session *s, enum route_id route)
{
    const struct route *r = route_get(route);
    struct answer a;
    bool right =
        client_receive(&s->client, false, &a) == CLIENT_OK && a.status == 200 &&
        (r->file || (a.body_len == r->body_len && memcmp(a.body, r->body, a.body_len) == 0));
    answer_fini(&a);
    return right;
}

/* HEAD, then GET on the same connection: bytes of a body that HEAD may not have (RFC 9110 9.3.2)
   would be taken for the start of the next answer. */
static void check_head(struct session *s)
{
    struct check_item *i = item_add(s, "HEAD");
    struct answer a;
    if (!is_get(s->route))
        return;
    enum route_id route = (enum route_id)s->route;
    char *text = xasprintf("HEAD %s HTTP/1.1\r\nHost: %s\r\n\r\n", route_get(route)->path, s->host);
    item_contract(i, -1, CHECK_ALL);
    if (send_text(s, i, text) < 0) {
        free(text);
        return;
    }
    free(text);
    if (client_receive(&s->client, true, &a) != CLIENT_OK) {
        item_value(i, "no answer");
        item_fail(i, "HEAD %s: %s", route_get(route)->path, s->client.problem);
    } else if (client_await_input(&s->client, 20)) {
        item_value(i, "%d and a body", a.status);
        item_fail(i, "its answer to HEAD has a body, which the next answer would begin with");
    } else {
        item_value(i, "%d, no body", a.status);
    }
    answer_fini(&a);
}

static void check_missing(struct session *s)
{
    struct check_item *i = item_add(s, "missing path");
    struct answer a = {0};
    if (s->route < 0)
        return;
    char *text = xasprintf("GET /parity-no-such-path HTTP/1.1\r\nHost: %s\r\n\r\n", s->host);
    item_contract(i, -1, CHECK_ALL);
    if (send_text(s, i, text) == 0) {
        if (client_receive(&s->client, false, &a) != CLIENT_OK) {
            item_value(i, "no answer");
            item_fail(i, "GET of a path that is not there: %s", s->client.problem);
        } else {
            item_value(i, "%d", a.status);
            if (a.status != 404)
                item_fail(i, "GET of a path that is not there: %d, expected 404", a.status);
        }
    }
    answer_fini(&a);
    free(text);
}

/* The route of the n-th pipelined request: two that differ in turn, where there are two. */
static enum route_id pipelined_route(const struct session *s, int n)
{
    enum route_id first = (enum route_id)s->route;
    if (n % 2 == 0)
        return first;
    for (int r = 0; r < ROUTE_LARGE; r++)
        if (r != (int)first && is_get(r) && session_usable(s, (enum route_id)r))
            return (enum route_id)r;
    return first;
}

static char *pipelined_requests(const struct session *s)
{
    char *all = xstrdup("");
    for (int n = 0; n < PIPELINED; n++) {
        char *one = session_request(s, pipelined_route(s, n), "1.1", "");
        char *joined = xasprintf("%s%s", all, one);
        free(all);
        free(one);
        all = joined;
    }
    return all;
}

/* A server may close early (RFC 9112 9.3.2), which is stated; answers out of order, wrong or too
   many break every count of answers. */
static void check_pipelining(struct session *s)
{
    struct check_item *i = item_add(s, "pipelining");
    if (s->route < 0)
        return;
    char *text = pipelined_requests(s);
    item_contract(i, -1, CHECK_ALL);
    if (send_text(s, i, text) == 0) {
        int n = 0;
        while (n < PIPELINED && receive_route(s, pipelined_route(s, n)))
            n++;
        if (n == PIPELINED)
            item_value(i, "%d in order", n);
        else
            item_value(i, "%d of %d", n, PIPELINED);
        if (n < PIPELINED && !s->client.eof)
            item_fail(i, "answer %d of %d pipelined ones is wrong, out of order or missing", n + 1,
                      PIPELINED);
        else if (n == PIPELINED && client_await_close(&s->client, 100) < 0)
            item_fail(i, "after %d answers to %d pipelined requests %s", n, PIPELINED,
                      s->client.problem);
    }
    free(text);
}

/* Asks once so that the server has to close. Returns NULL, or what is wrong. */
static const char *close_problem(struct session *s, const char *version, const char *extra)
{
    struct answer a = {0};
    char *text = session_request(s, (enum route_id)s->route, version, extra);
    const char *problem = NULL;
    if (session_connect(s) < 0 || client_ask(&s->client, text, &a) != CLIENT_OK)
        problem = s->client.problem;
    answer_fini(&a);
    free(text);
    if (problem)
        return problem;
    int closed = client_await_close(&s->client, SESSION_CLOSE_MS);
    if (closed < 0)
        return s->client.problem;
    return closed ? NULL : "the connection is still open after 3 s";
}

static void check_close(struct session *s)
{
    struct check_item *i = item_add(s, "close obeyed");
    if (s->route < 0)
        return;
    item_contract(i, -1, CHECK_CLOSE);
    const char *problem = close_problem(s, "1.1", "Connection: close\r\n");
    if (problem) {
        item_value(i, "no");
        item_fail(i, "after Connection: close: %s", problem);
        return;
    }
    bool reset = s->client.reset;
    problem = close_problem(s, "1.0", "");
    item_value(i, problem ? "not for HTTP/1.0" : reset ? "yes, by a reset" : "yes");
    if (problem)
        item_fail(i, "after an HTTP/1.0 request without keep-alive: %s", problem);
}

/* Sends the head of an echo that waits for 100 (Continue), then its body. Returns 0, or -1. */
static int ask_expecting(struct session *s, bool *silent, struct answer *a)
{
    char body[EXPECT_BODY_LEN];
    char *head = xasprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n"
                           "Content-Type: application/octet-stream\r\n"
                           "Expect: 100-continue\r\n\r\n",
                           route_get(ROUTE_ECHO)->path, s->host, EXPECT_BODY_LEN);
    int rc = session_connect(s) < 0 ? -1 : client_send(&s->client, head, strlen(head));
    free(head);
    if (rc < 0)
        return -1;
    *silent = !client_await_input(&s->client, EXPECT_WAIT_MS);
    memset(body, 'x', sizeof body);
    client_send(&s->client, body, sizeof body); /* refused bodies show in the answer */
    return client_receive(&s->client, false, a) == CLIENT_OK ? 0 : -1;
}

static void check_expect(struct session *s)
{
    struct check_item *i = item_add(s, "Expect: 100-continue");
    struct answer a = {0};
    bool silent = false;
    if (!session_usable(s, ROUTE_ECHO))
        return;
    if (ask_expecting(s, &silent, &a) < 0) {
        item_value(i, "no answer");
        item_fail(i, "POST with Expect: 100-continue: %s", s->client.problem);
    } else {
        item_value(i, "%s%d",
                   silent      ? "silent for 1 s, "
                   : a.interim ? "100, "
                               : "at once ",
                   a.status);
        if (silent)
            item_fail(i, "clients that send Expect wait a second for each request");
    }
    answer_fini(&a);
}

void check_protocol(struct session *s)
{
    check_head(s);
    check_missing(s);
    check_pipelining(s);
    check_close(s);
    check_expect(s);
}
