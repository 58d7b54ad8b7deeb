/* engine_kqueue: readiness as the BSDs and macOS tell it (kqueue(2)). Like engine_epoll each socket
   is registered once, edge-triggered (EV_CLEAR), for both directions; but what is to be watched is
   no system call of its own: changes are queued and go in with the next wait.

   Never run on a BSD yet. On Linux, which has no kqueue, a reactor has only the refusal below;
   tests run the rest of this file over epoll (tests/kqueue_shim.h). What else of the server knows
   only Linux: signalfd (worker.c), openat2 (files.c), SIOCOUTQ (links.c), the form of sendfile
   (transmit.c), the sandbox. */
#include "http/engine_priv.h"

#include "http/err.h"

#include <errno.h>
#include <string.h>

#if defined(__linux__) && !defined(KQUEUE_SHIM)

static int kqueue_refuse(struct engine *e, struct err *err)
{
    (void)e;
    return err_set(err, "engine kqueue can't run: kqueue: ENOSYS (this kernel has none: kqueue is "
                        "of the BSDs and macOS; use --engine epoll or uring)");
}

const struct engine_ops engine_kqueue = {
    .name = "kqueue", .size = sizeof(struct engine), .open = kqueue_refuse};

#else

#ifndef KQUEUE_SHIM
#include <sys/event.h>
#endif

#include "http/readiness.h"

#include <assert.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ACCEPTS      256 /* a pass, so that a flood of clients doesn't starve the present ones */
#define RECEIVES     16  /* of one connection in a row, for the same reason */
#define EVENTS       1024
#define CHANGES      EVENTS /* there is room for the failure of each (kqueue(2), EV_ERROR) */
#define RECEIVE_SIZE 65536
#define OUT_SIZE     65536

struct kqueue_engine {
    struct engine base;
    int kq;
    int change_count;
    struct kevent changes[CHANGES]; /* go in with the next wait */
    struct kevent events[EVENTS];
    char in[RECEIVE_SIZE];
    char out[OUT_SIZE];
};

static struct kqueue_engine *self(struct engine *e)
{
    return (struct kqueue_engine *)e;
}

/* With so many queued nobody is accepted and nobody waits for a turn to be read until they have
   gone in. */
static bool full(const struct kqueue_engine *s)
{
    return s->change_count > CHANGES - 4;
}

static void change(struct engine *e, int fd, short filter, unsigned short flags, void *what)
{
    struct kqueue_engine *s = self(e);
    assert(s->change_count < CHANGES);
    EV_SET(&s->changes[s->change_count++], (uintptr_t)fd, filter, flags, 0, 0, what);
}

static int kqueue_open(struct engine *e, struct err *err)
{
    struct kqueue_engine *s = self(e);
    s->kq = kqueue();
    if (s->kq < 0)
        return err_set(err, "engine kqueue can't run: kqueue: %s", strerror(errno));
    fcntl(s->kq, F_SETFD, FD_CLOEXEC);
    if (e->config.wake_fd >= 0)
        change(e, e->config.wake_fd, EVFILT_READ, EV_ADD, &s->kq);
    return 0;
}

static void kqueue_stop(struct engine *e)
{
    close(self(e)->kq);
}

static void kqueue_listen(struct engine *e, bool on)
{
    change(e, e->config.listen_fd, EVFILT_READ, on ? EV_ADD : EV_DELETE, e);
}

static void kqueue_lend(struct engine *e, struct link *l, struct out *out)
{
    (void)l;
    out_start(out, self(e)->out, OUT_SIZE);
}

static void kqueue_apply(struct link *l, struct out *out, unsigned want)
{
    l->want = (uint8_t)want;
    if (l->sending)
        return;
    if ((out->n > 0 || out->tail.n > 0 || out->tail.release) && readiness_send(l, out) == IO_BROKEN)
        link_reset(l);
    else
        readiness_settle(l);
}

static void received(struct link *l, ssize_t n)
{
    struct engine *e = l->engine;
    struct out out;
    unsigned want;
    kqueue_lend(e, l, &out);
    if (n > 0) {
        *e->config.bytes_in += (uint64_t)n;
        want = e->user->on_bytes(l, self(e)->in, (size_t)n, &out);
    } else {
        l->flags |= LINK_EOF;
        l->flags &= (uint8_t)~LINK_READABLE;
        want = e->user->on_eof(l, &out);
    }
    kqueue_apply(l, &out, want);
}

static bool may_receive(const struct link *l)
{
    return (l->flags & (LINK_READABLE | LINK_CLOSING | LINK_EOF)) == LINK_READABLE && !l->sending &&
           (l->want & WANT_BYTES);
}

/* More may be waiting, but others first: a filter that is added again is looked at again. */
static void come_back(struct link *l)
{
    change(l->engine, l->fd, EVFILT_READ, EV_ADD | EV_CLEAR, l);
}

static void receive(struct link *l)
{
    for (int i = 0; may_receive(l); i++) {
        if (i >= RECEIVES && !full(self(l->engine))) {
            come_back(l);
            return;
        }
        ssize_t n = recv(l->fd, self(l->engine)->in, RECEIVE_SIZE, 0);
        if (n < 0 && errno == EINTR)
            continue;
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
}

static void kqueue_turn(struct link *l)
{
    readiness_send_more(l);
    receive(l);
}

/* EV_EOF on the filter for writing: the peer takes no more. The next send says so. */
static void on_event(struct link *l, const struct kevent *event)
{
    if (l->flags & LINK_CLOSING)
        return;
    if (event->filter == EVFILT_READ)
        l->flags |= event->flags & EV_EOF ? LINK_READABLE | LINK_HUNG_UP : LINK_READABLE;
    else if (readiness_waits(l))
        readiness_send_more(l);
    receive(l);
}

/* accept4 isn't everywhere, and whether what is accepted inherits O_NONBLOCK differs. */
static int accept_one(int listen_fd)
{
    int fd = accept(listen_fd, NULL, NULL);
    if (fd >= 0) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    return fd;
}

static void greet(struct engine *e, int fd)
{
    struct link *l = link_open(e, fd);
    change(e, fd, EVFILT_READ, EV_ADD | EV_CLEAR, l);
    change(e, fd, EVFILT_WRITE, EV_ADD | EV_CLEAR, l);
}

static void accept_some(struct engine *e)
{
    for (int i = 0; i < ACCEPTS && e->listening && !full(self(e)) && !engine_full(e); i++) {
        int fd = accept_one(e->config.listen_fd);
        if (fd >= 0)
            greet(e, fd);
        else if (!engine_accept_failed(e, errno))
            return;
    }
}

/* A change that failed. What has been closed in the meantime needs none; else the kernel has no
   memory for it. No link has been reaped since it was queued, unless its socket was closed. */
static void on_failed_change(struct engine *e, const struct kevent *event)
{
    struct link *l = event->udata;
    int error = (int)event->data;
    if (error == EBADF || error == ENOENT || error == 0)
        return;
    if (event->udata != e && event->udata != &self(e)->kq && !(l->flags & LINK_CLOSING))
        link_close(l);
    engine_accept_failed(e, ENOMEM);
}

static int wait_for_events(struct kqueue_engine *s, int timeout_ms)
{
    struct timespec limit = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
    int n = kevent(s->kq, s->changes, s->change_count, s->events, EVENTS,
                   timeout_ms < 0 ? NULL : &limit);
    s->change_count = 0; /* also after EINTR: they have been applied (kqueue(2), ERRORS) */
    return n;
}

static void kqueue_pass(struct engine *e, int timeout_ms)
{
    struct kqueue_engine *s = self(e);
    int n = wait_for_events(s, timeout_ms);
    engine_tick(e);
    for (int i = 0; i < n; i++) {
        const struct kevent *event = &s->events[i];
        if (event->flags & EV_ERROR)
            on_failed_change(e, event);
        else if (event->udata == e)
            accept_some(e);
        else if (event->udata == &s->kq)
            e->user->on_wake(e);
        else
            on_event(event->udata, event);
    }
}

/* The descriptor is closed when the link is reaped, which ends its filters. */
static void kqueue_drop(struct link *l)
{
    (void)l;
}

const struct engine_ops engine_kqueue = {
    .name = "kqueue",
    .size = sizeof(struct kqueue_engine),
    .open = kqueue_open,
    .close = kqueue_stop,
    .pass = kqueue_pass,
    .lend = kqueue_lend,
    .apply = kqueue_apply,
    .turn = kqueue_turn,
    .listen = kqueue_listen,
    .drop = kqueue_drop,
    .unsend = readiness_unsend,
};

#endif
