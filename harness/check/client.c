/* client: non-blocking socket, poll, one growing buffer. Sending also receives, so that two full
   socket buffers can't lock client and server. It knows requests only as bytes. */
#include "check/client.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t deadline_after(unsigned ms)
{
    return clock_ns() + (uint64_t)ms * 1000000;
}

/* Waits for events until the deadline. Returns the events, 0 when time is up. */
static short await(const struct client *c, short events, uint64_t deadline_ns)
{
    struct pollfd p = {.fd = c->fd, .events = events};
    for (;;) {
        uint64_t now = clock_ns();
        int ms = now >= deadline_ns ? 0 : (int)((deadline_ns - now + 999999) / 1000000);
        int n = poll(&p, 1, ms);
        if (n > 0)
            return p.revents;
        if (n == 0)
            return 0;
        assert(errno == EINTR);
    }
}

static int fail(struct client *c, const char *what, int error)
{
    snprintf(c->problem, sizeof c->problem, "%s: %s", what, strerror(error));
    return -1;
}

int client_open(struct client *c, const struct sockaddr_in *to, unsigned timeout_ms)
{
    *c = (struct client){.timeout_ms = timeout_ms};
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        return fail(c, "no socket", errno);
    int one = 1, error = 0;
    socklen_t size = sizeof error;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(c->fd, (const struct sockaddr *)to, sizeof *to) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return fail(c, "cannot connect", errno);
    if (!await(c, POLLOUT, deadline_after(timeout_ms)))
        return fail(c, "cannot connect", ETIMEDOUT);
    assert(getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0);
    return error ? fail(c, "cannot connect", error) : 0;
}

void client_close(struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    free(c->in);
    c->in = NULL;
    c->in_len = c->in_room = 0;
}

/* Takes what is there into the buffer. */
static void take_input(struct client *c)
{
    if (c->in_room - c->in_len < 65536) {
        c->in_room = c->in_room ? c->in_room * 2 : 131072;
        c->in = xrealloc(c->in, c->in_room, 1);
    }
    ssize_t n = recv(c->fd, c->in + c->in_len, c->in_room - c->in_len, 0);
    if (n > 0)
        c->in_len += (size_t)n;
    else if (n == 0)
        c->eof = true;
    else if (errno != EAGAIN && errno != EINTR)
        c->eof = c->reset = true;
}

int client_send(struct client *c, const void *data, size_t len)
{
    const char *p = data;
    uint64_t deadline_ns = deadline_after(c->timeout_ms);
    c->sent_ns = clock_ns();
    while (len) {
        ssize_t n = send(c->fd, p, len, MSG_NOSIGNAL);
        if (n >= 0) {
            p += n;
            len -= (size_t)n;
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return fail(c, "the server does not take the request", errno);
        short events = await(c, (short)(POLLOUT | (c->eof ? 0 : POLLIN)), deadline_ns);
        if (!events)
            return fail(c, "the server does not take the request", ETIMEDOUT);
        if ((events & POLLIN) && c->in_len < ANSWER_BODY_MAX)
            take_input(c);
    }
    return 0;
}

static void drop_input(struct client *c, size_t n)
{
    c->in_len -= n;
    memmove(c->in, c->in + n, c->in_len);
}

static enum client_end explain_closed(struct client *c)
{
    snprintf(c->problem, sizeof c->problem, "the server %s after %zu bytes of an answer",
             c->reset ? "reset the connection" : "closed", c->in_len);
    return CLIENT_CLOSED;
}

static enum client_end explain_timeout(struct client *c)
{
    snprintf(c->problem, sizeof c->problem, "no whole answer in %u ms (%zu bytes came)",
             c->timeout_ms, c->in_len);
    return CLIENT_TIMEOUT;
}

static enum client_end explain_malformed(struct client *c, const char *why)
{
    snprintf(c->problem, sizeof c->problem, "not an HTTP answer: %s", why);
    return CLIENT_MALFORMED;
}

enum client_end client_receive(struct client *c, bool to_head, struct answer *a)
{
    uint64_t deadline_ns = deadline_after(c->timeout_ms);
    for (;;) {
        ssize_t n = answer_parse(c->in_len ? c->in : "", c->in_len, to_head, c->eof, a);
        if (n > 0) {
            a->latency_ns = clock_ns() - c->sent_ns;
            drop_input(c, (size_t)n);
            return CLIENT_OK;
        }
        if (n < 0)
            return explain_malformed(c, a->malformed);
        if (c->eof)
            return explain_closed(c);
        if (clock_ns() >= deadline_ns || !await(c, POLLIN, deadline_ns))
            return explain_timeout(c); /* also when bytes trickle in for ever */
        take_input(c);
    }
}

enum client_end client_ask(struct client *c, const char *request, struct answer *a)
{
    *a = (struct answer){0};
    int sent = client_send(c, request, strlen(request));
    enum client_end end = client_receive(c, strncmp(request, "HEAD ", 5) == 0, a);
    if (sent < 0 && end == CLIENT_TIMEOUT)
        return CLIENT_CLOSED;
    return end;
}

bool client_await_input(struct client *c, unsigned wait_ms)
{
    uint64_t deadline_ns = deadline_after(wait_ms);
    while (c->in_len == 0 && !c->eof && await(c, POLLIN, deadline_ns))
        take_input(c);
    return c->in_len > 0;
}

int client_await_close(struct client *c, unsigned wait_ms)
{
    if (!client_await_input(c, wait_ms))
        return c->eof;
    snprintf(c->problem, sizeof c->problem, "%zu bytes came that nobody asked for", c->in_len);
    return -1;
}

void client_delay_acks(struct client *c)
{
    int zero = 0;
    setsockopt(c->fd, IPPROTO_TCP, TCP_QUICKACK, &zero, sizeof zero);
}
