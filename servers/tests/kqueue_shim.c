/* kqueue_shim: see kqueue_shim.h. Each of the two filters has an epoll instance of its own, because
   one shared registration would report both directions whenever one of them changes; a third
   instance watches the two. Closing a socket ends its registrations, as with kqueue.

   The engine is included here: this object, linked before the library of our servers, replaces the
   refusal that the library has. */
#include "tests/kqueue_shim.h"

#define KQUEUE_SHIM
#include "http/engine_kqueue.c" // NOLINT(bugprone-suspicious-include): its statics

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#define BATCH 512

enum side {
    READS,
    WRITES,
    SIDES
};

struct registration {
    void *udata;
    unsigned short flags;
};

static struct {
    int outer;
    int inner[SIDES];
    struct registration *of[SIDES]; /* by descriptor */
    size_t count;
} shim = {.outer = -1};

static void forget_last(void)
{
    for (int side = 0; side < SIDES && shim.outer >= 0; side++)
        close(shim.inner[side]); /* the outer one was closed by its owner */
    shim.outer = -1;
}

int kqueue(void)
{
    forget_last();
    int fds[1 + SIDES];
    for (int i = 0; i <= SIDES; i++)
        fds[i] = epoll_create1(0);
    for (int side = 0; side < SIDES; side++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)side};
        if (fds[0] < 0 || fds[1 + side] < 0 ||
            epoll_ctl(fds[0], EPOLL_CTL_ADD, fds[1 + side], &event) != 0)
            return -1;
        shim.inner[side] = fds[1 + side];
    }
    return shim.outer = fds[0];
}

static void make_room(size_t fd)
{
    while (fd >= shim.count) {
        size_t count = shim.count ? shim.count * 2 : 64;
        for (int side = 0; side < SIDES; side++) {
            shim.of[side] = realloc(shim.of[side], count * sizeof *shim.of[side]);
            assert(shim.of[side]);
        }
        shim.count = count;
    }
}

/* 0 or an errno. */
static int apply_change(const struct kevent *change)
{
    enum side side = change->filter == EVFILT_READ ? READS : WRITES;
    int fd = (int)change->ident;
    const unsigned known = EV_ADD | EV_DELETE | EV_CLEAR;
    if ((change->filter != EVFILT_READ && change->filter != EVFILT_WRITE) ||
        change->flags & ~known || !(change->flags & (EV_ADD | EV_DELETE)) || fd < 0)
        return EINVAL;
    if (change->flags & EV_DELETE)
        return epoll_ctl(shim.inner[side], EPOLL_CTL_DEL, fd, NULL) ? errno : 0;
    struct epoll_event event = {.events = side == READS ? EPOLLIN | EPOLLRDHUP : EPOLLOUT,
                                .data.fd = fd};
    if (change->flags & EV_CLEAR)
        event.events |= EPOLLET;
    if (epoll_ctl(shim.inner[side], EPOLL_CTL_ADD, fd, &event) != 0 &&
        (errno != EEXIST || epoll_ctl(shim.inner[side], EPOLL_CTL_MOD, fd, &event) != 0))
        return errno;
    make_room((size_t)fd);
    shim.of[side][fd] = (struct registration){change->udata, change->flags};
    return 0;
}

/* The failures among the changes, or -1 when there is no room for one. */
static int apply_changes(const struct kevent *changes, int count, struct kevent *events, int room)
{
    int failed = 0;
    for (int i = 0; i < count; i++) {
        int error = apply_change(&changes[i]);
        if (error && failed == room) {
            errno = error;
            return -1;
        }
        if (error) {
            events[failed] = changes[i];
            events[failed].flags = EV_ERROR;
            events[failed++].data = error;
        }
    }
    return failed;
}

static struct kevent tell(enum side side, const struct epoll_event *from)
{
    int fd = from->data.fd, waiting = 1;
    const struct registration *r = &shim.of[side][fd];
    struct kevent event;
    if (side == READS)
        ioctl(fd, FIONREAD, &waiting); /* fails on what listens, which has a client */
    unsigned ends = side == READS ? EPOLLRDHUP | EPOLLHUP | EPOLLERR : EPOLLHUP | EPOLLERR;
    unsigned short flags = r->flags & EV_CLEAR;
    if (from->events & ends)
        flags |= EV_EOF;
    EV_SET(&event, (uintptr_t)fd, side == READS ? EVFILT_READ : EVFILT_WRITE, flags, 0, waiting,
           r->udata);
    return event;
}

static int harvest(enum side side, struct kevent *events, int room)
{
    struct epoll_event ready[BATCH];
    int n = epoll_wait(shim.inner[side], ready, room < BATCH ? room : BATCH, 0);
    for (int i = 0; i < n; i++)
        events[i] = tell(side, &ready[i]);
    return n > 0 ? n : 0;
}

int kevent(int kq, const struct kevent *changes, int change_count, struct kevent *events,
           int event_count, const struct timespec *timeout)
{
    struct epoll_event sides[SIDES];
    assert(kq == shim.outer);
    int failed = apply_changes(changes, change_count, events, event_count);
    if (failed != 0 || event_count == 0)
        return failed;
    int n = epoll_pwait2(shim.outer, sides, SIDES, timeout, NULL), count = 0;
    for (int i = 0; i < n; i++)
        count +=
            harvest((enum side)sides[i].data.u32, events + count, (event_count - count) / (n - i));
    return n < 0 ? -1 : count;
}
