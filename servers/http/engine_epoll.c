/* engine_epoll: readiness. Each socket is registered once, edge-triggered, for both directions, and
   no epoll_ctl follows while it lives. One recv and one send a request: a recv that returns less
   than it could has drained the socket (epoll(7), Q9), so there is no second one to see EAGAIN.
   What can't be sent at once is copied, and the socket isn't read until it has left. */
#include "http/engine_priv.h"

#include "http/err.h"
#include "http/readiness.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVERYTHING   (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)
#define EVENTS       256
#define RECEIVE_SIZE 65536
#define OUT_SIZE     65536
#define ACCEPTS      256 /* a pass, so that a flood of clients doesn't starve the present ones */
#define RECEIVES     16  /* of one connection in a row, for the same reason */

struct epoll_engine {
    struct engine base;
    int epoll_fd;
    struct epoll_event events[EVENTS];
    char in[RECEIVE_SIZE];
    char out[OUT_SIZE];
};

static struct epoll_engine *self(struct engine *e)
{
    return (struct epoll_engine *)e;
}

/* In place of a link. */
enum other {
    THE_LISTENER,
    THE_WAKER,
    OTHERS
};

/* false: the kernel has no memory for it, or the user's watches are used up. */
static bool watch(const struct epoll_engine *s, int fd, uint32_t events, uint64_t what)
{
    struct epoll_event event = {.events = events, .data.u64 = what};
    return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int epoll_open(struct engine *e, struct err *err)
{
    struct epoll_engine *s = self(e);
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (s->epoll_fd < 0)
        return err_set(err, "engine epoll can't run: epoll_create1: %s", strerror(errno));
    if (e->config.wake_fd < 0 || watch(s, e->config.wake_fd, EPOLLIN, THE_WAKER))
        return 0;
    int error = errno;
    close(s->epoll_fd);
    return err_set(err, "engine epoll can't run: epoll_ctl: %s", strerror(error));
}

static void epoll_stop(struct engine *e)
{
    close(self(e)->epoll_fd);
}

static void epoll_listen(struct engine *e, bool on)
{
    struct epoll_engine *s = self(e);
    if (on && !watch(s, e->config.listen_fd, EPOLLIN, THE_LISTENER))
        engine_accept_failed(e, ENOMEM); /* tried again in a while */
    else if (!on)
        epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, e->config.listen_fd, NULL);
}

static void epoll_lend(struct engine *e, struct link *l, struct out *out)
{
    (void)l;
    out_start(out, self(e)->out, OUT_SIZE);
}

/* There is more to do but others wait for their turn: a changed registration is reported again in
   the next pass, edge-triggered or not. */
static void come_back(struct link *l)
{
    struct epoll_event event = {.events = EVERYTHING, .data.ptr = l};
    int failed = epoll_ctl(self(l->engine)->epoll_fd, EPOLL_CTL_MOD, l->fd, &event);
    assert(!failed);
    (void)failed;
}

/* Most answers are memory only and leave with one send. */
static inline bool sent_whole(struct link *l, struct out *out)
{
    if (out->n == 0 || out->tail.n > 0 || out->tail.release)
        return false;
    ssize_t sent = send(l->fd, out->p, out->n, MSG_NOSIGNAL);
    if (sent <= 0)
        return false;
    *l->engine->config.bytes_out += (uint64_t)sent;
    if ((size_t)sent == out->n)
        return true;
    out->p += sent;
    out->n -= (size_t)sent;
    return false;
}

static void epoll_apply(struct link *l, struct out *out, unsigned want)
{
    l->want = (uint8_t)want;
    if (l->sending)
        return;
    if (!sent_whole(l, out) && (out->n > 0 || out->tail.n > 0 || out->tail.release) &&
        readiness_send(l, out) == IO_BROKEN)
        link_reset(l);
    else if (want & ~(unsigned)WANT_BYTES)
        readiness_settle(l);
}

static inline unsigned up_call(struct link *l, size_t n, struct out *out)
{
    struct engine *e = l->engine;
    epoll_lend(e, l, out);
    *e->config.bytes_in += n;
    return e->user->on_bytes(l, self(e)->in, n, out);
}

static void received(struct link *l, ssize_t n)
{
    struct out out;
    unsigned want;
    if (n > 0) {
        want = up_call(l, (size_t)n, &out);
    } else {
        l->flags |= LINK_EOF;
        l->flags &= (uint8_t)~LINK_READABLE;
        epoll_lend(l->engine, l, &out);
        want = l->engine->user->on_eof(l, &out);
    }
    epoll_apply(l, &out, want);
}

static bool may_receive(const struct link *l)
{
    return (l->flags & (LINK_READABLE | LINK_CLOSING | LINK_EOF)) == LINK_READABLE && !l->sending &&
           (l->want & WANT_BYTES);
}

static inline ssize_t receive_once(struct link *l)
{
    return recv(l->fd, self(l->engine)->in, RECEIVE_SIZE, 0);
}

/* What a recv has returned, errno with it. */
static void after_receive(struct link *l, ssize_t n)
{
    if (n < 0 && errno == EINTR)
        return;
    if (n < 0 && errno == EAGAIN) {
        l->flags &= (uint8_t)~LINK_READABLE;
    } else if (n < 0) {
        link_close(l);
    } else {
        if (n < RECEIVE_SIZE && !(l->flags & LINK_HUNG_UP))
            l->flags &= (uint8_t)~LINK_READABLE;
        received(l, n);
    }
}

static void receive(struct link *l)
{
    for (int i = 0; may_receive(l); i++) {
        if (i == RECEIVES) {
            come_back(l);
            return;
        }
        after_receive(l, receive_once(l));
    }
}

static void epoll_turn(struct link *l)
{
    readiness_send_more(l);
    receive(l);
}

static __attribute__((noinline)) void on_rare_event(struct link *l, uint32_t events)
{
    if (l->flags & LINK_CLOSING)
        return;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        l->flags |= LINK_READABLE;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        l->flags |= LINK_HUNG_UP;
    if (readiness_waits(l) && (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)))
        readiness_send_more(l);
    receive(l);
}

/* Mostly a connection has nothing on its way and gets a request, which one recv takes whole. */
static inline void on_event(struct link *l, uint32_t events)
{
    if ((events & ~(uint32_t)EPOLLOUT) != EPOLLIN || l->flags || l->want != WANT_BYTES ||
        l->sending) {
        on_rare_event(l, events);
        return;
    }
    ssize_t n = receive_once(l);
    if (n <= 0 || n == RECEIVE_SIZE) {
        l->flags |= LINK_READABLE;
        after_receive(l, n);
        receive(l);
        return;
    }
    struct out out;
    unsigned want = up_call(l, (size_t)n, &out);
    if (want != WANT_BYTES || !sent_whole(l, &out))
        epoll_apply(l, &out, want);
}

static void greet(struct engine *e, int fd)
{
    struct link *l = link_open(e, fd);
    if (watch(self(e), fd, EVERYTHING, (uint64_t)(uintptr_t)l))
        return;
    link_close(l);
    engine_accept_failed(e, ENOMEM);
}

static int accept_one(const struct engine_config *c)
{
    return c->accept ? c->accept(c->listen_fd)
                     : accept4(c->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static void accept_some(struct engine *e)
{
    for (int i = 0; i < ACCEPTS && e->listening && !engine_full(e); i++) {
        int fd = accept_one(&e->config);
        if (fd >= 0)
            greet(e, fd);
        else if (!engine_accept_failed(e, errno))
            return;
    }
}

static void epoll_pass(struct engine *e, int timeout_ms)
{
    struct epoll_engine *s = self(e);
    int n = epoll_wait(s->epoll_fd, s->events, EVENTS, timeout_ms);
    engine_tick(e);
    for (int i = 0; i < n; i++) {
        if (s->events[i].data.u64 >= OTHERS)
            on_event(s->events[i].data.ptr, s->events[i].events);
        else if (s->events[i].data.u64 == THE_LISTENER)
            accept_some(e);
        else
            e->user->on_wake(e);
    }
}

/* The descriptor is closed when the link is reaped: events of this pass may still name it. */
static void epoll_drop(struct link *l)
{
    (void)l;
}

const struct engine_ops engine_epoll = {
    .name = "epoll",
    .size = sizeof(struct epoll_engine),
    .open = epoll_open,
    .close = epoll_stop,
    .pass = epoll_pass,
    .lend = epoll_lend,
    .apply = epoll_apply,
    .turn = epoll_turn,
    .listen = epoll_listen,
    .drop = epoll_drop,
    .unsend = readiness_unsend,
};
