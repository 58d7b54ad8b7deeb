/* transport_epoll: readiness. Every socket is registered once, edge-triggered, for both directions:
   a request costs one send and one recv, never an epoll_ctl, and its share of one epoll_wait. A
   short read means that the socket was empty, and later bytes make a new edge (epoll(7)), so
   nothing is read twice. */
#include "volley/transport.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    EVENTS = 256,
    READ_SIZE = 256 * 1024,
    READS_IN_A_ROW = 16 /* then the others get their turn */
};

struct slot {
    int fd; /* -1: closed */
    uint32_t generation;
    bool connecting;
    bool again;       /* in the list of those */
    const char *rest; /* of a send that the kernel did not take whole */
    size_t rest_len;
};

struct epoll {
    struct transport base;
    int fd;
    unsigned slots;
    struct slot *slot;
    unsigned *again; /* slots that had more to read than their turn allowed */
    size_t again_count;
    char *buf;
};

static struct epoll *epoll_of(struct transport *t)
{
    return (struct epoll *)t;
}

static struct transport *epoll_new(const struct transport_setup *setup, struct err *e)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) {
        err_set(e, EXIT_MACHINE, "cannot make an epoll instance: %s", strerror(errno));
        return NULL;
    }
    struct epoll *ep = xcalloc(1, sizeof *ep);
    ep->base =
        (struct transport){.ops = &transport_epoll, .events = setup->events, .owner = setup->owner};
    ep->fd = fd;
    ep->slots = setup->slots;
    ep->slot = xcalloc(setup->slots, sizeof *ep->slot);
    ep->again = xcalloc(setup->slots, sizeof *ep->again);
    for (unsigned i = 0; i < setup->slots; i++)
        ep->slot[i].fd = -1;
    ep->buf = xcalloc(READ_SIZE, 1);
    return &ep->base;
}

static void epoll_close(struct transport *t, unsigned slot)
{
    struct slot *s = &epoll_of(t)->slot[slot];
    if (s->fd < 0)
        return;
    close(s->fd); /* leaves the epoll set by itself: no duplicate of the descriptor exists */
    s->fd = -1;
    s->generation++;
    s->rest_len = 0;
}

static void epoll_free(struct transport *t)
{
    struct epoll *ep = epoll_of(t);
    for (unsigned i = 0; i < ep->slots; i++)
        epoll_close(t, i);
    close(ep->fd);
    free(ep->slot);
    free(ep->again);
    free(ep->buf);
    free(ep);
}

static int epoll_open(struct transport *t, unsigned slot, int fd, const struct sockaddr *to,
                      socklen_t len)
{
    struct epoll *ep = epoll_of(t);
    struct slot *s = &ep->slot[slot];
    struct epoll_event ev = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                             .data.u64 = (uint64_t)s->generation << 32 | slot};
    assert(s->fd < 0);
    if ((connect(fd, to, len) < 0 && errno != EINPROGRESS) ||
        epoll_ctl(ep->fd, EPOLL_CTL_ADD, fd, &ev) < 0) {
        int error = errno;
        close(fd);
        return error;
    }
    s->fd = fd;
    s->connecting = true;
    s->rest_len = 0;
    return 0;
}

static enum transport_send push(struct epoll *ep, struct slot *s, const char *p, size_t n)
{
    ssize_t done = send(s->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done == (ssize_t)n)
        return TRANSPORT_SENT;
    if (done < 0 && errno != EAGAIN && errno != EINTR) {
        ep->base.error = errno;
        return TRANSPORT_FAILED;
    }
    s->rest = p + (done < 0 ? 0 : done);
    s->rest_len = n - (done < 0 ? 0 : (size_t)done);
    return TRANSPORT_PENDING;
}

static enum transport_send epoll_send(struct transport *t, unsigned slot, const char *p, size_t n)
{
    struct epoll *ep = epoll_of(t);
    assert(ep->slot[slot].rest_len == 0);
    return push(ep, &ep->slot[slot], p, n);
}

/* Is the slot still the connection that an event was about? */
static bool same(const struct slot *s, uint32_t generation)
{
    return s->fd >= 0 && s->generation == generation;
}

static void handle_write(struct epoll *ep, unsigned slot)
{
    struct slot *s = &ep->slot[slot];
    if (s->connecting) {
        int error = 0;
        socklen_t len = sizeof error;
        int rc = getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len);
        assert(rc == 0);
        s->connecting = false;
        if (error)
            ep->base.events->on_end(ep->base.owner, slot, error, 'c');
        else
            ep->base.events->on_open(ep->base.owner, slot);
    } else if (s->rest_len) {
        size_t n = s->rest_len;
        s->rest_len = 0;
        switch (push(ep, s, s->rest, n)) {
        case TRANSPORT_SENT: ep->base.events->on_sent(ep->base.owner, slot); break;
        case TRANSPORT_FAILED:
            ep->base.events->on_end(ep->base.owner, slot, ep->base.error, 'w');
            break;
        case TRANSPORT_PENDING: break;
        }
    }
}

/* Reads until the socket is empty, ended or has had its turn. ending: the peer has sent its FIN or
   RST, so a short read doesn't mean that nothing follows. */
static void handle_read(struct epoll *ep, unsigned slot, bool ending)
{
    struct slot *s = &ep->slot[slot];
    uint32_t generation = s->generation;
    size_t skip = 0;
    for (int turn = 0; turn < READS_IN_A_ROW; turn++) {
        /* MSG_TRUNC on TCP discards without copying (tcp(7)). */
        size_t want = skip ? skip : READ_SIZE;
        ssize_t n = recv(s->fd, skip ? NULL : ep->buf, want, MSG_DONTWAIT | (skip ? MSG_TRUNC : 0));
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            ep->base.events->on_end(ep->base.owner, slot, n < 0 ? errno : 0, 'r');
            return;
        }
        bool empty = (size_t)n < want && !ending;
        skip = skip ? ep->base.events->on_skipped(ep->base.owner, slot, (size_t)n)
                    : ep->base.events->on_data(ep->base.owner, slot, ep->buf, (size_t)n);
        if (empty || !same(s, generation))
            return;
    }
    if (!s->again)
        ep->again[ep->again_count++] = slot;
    s->again = true;
}

static void handle(struct epoll *ep, const struct epoll_event *ev)
{
    unsigned slot = (unsigned)(ev->data.u64 & UINT32_MAX);
    uint32_t generation = (uint32_t)(ev->data.u64 >> 32);
    struct slot *s = &ep->slot[slot];
    if (!same(s, generation))
        return;
    if ((ev->events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) && (s->connecting || s->rest_len))
        handle_write(ep, slot);
    if (same(s, generation) && !s->connecting && (ev->events & ~(uint32_t)EPOLLOUT))
        handle_read(ep, slot, ev->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
}

/* Slots whose turn ended early: their edge is spent, so only we know that they have more. */
static void read_again(struct epoll *ep)
{
    size_t n = ep->again_count;
    ep->again_count = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned slot = ep->again[i];
        ep->slot[slot].again = false;
        if (ep->slot[slot].fd >= 0 && !ep->slot[slot].connecting)
            handle_read(ep, slot, true);
    }
}

static void epoll_wait_and_tell(struct transport *t, uint64_t timeout_ns)
{
    struct epoll *ep = epoll_of(t);
    struct epoll_event ev[EVENTS];
    if (ep->again_count)
        timeout_ns = 0;
    struct timespec limit = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                             .tv_nsec = (long)(timeout_ns % 1000000000u)};
    int n = epoll_pwait2(ep->fd, ev, EVENTS, &limit, NULL);
    assert(n >= 0 || errno == EINTR);
    t->now_ns = clock_ns();
    read_again(ep);
    for (int i = 0; i < n; i++)
        handle(ep, &ev[i]);
}

const struct transport_ops transport_epoll = {
    .name = "epoll",
    .new = epoll_new,
    .free = epoll_free,
    .open = epoll_open,
    .send = epoll_send,
    .close = epoll_close,
    .wait = epoll_wait_and_tell,
};
