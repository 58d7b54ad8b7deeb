/* kqueue_shim: the part of BSD's <sys/event.h> that engine_kqueue.c uses, made of epoll, so that
   its source runs in tests on Linux. For tests only. Names, types and values as FreeBSD 13's; what
   they mean stands in its kqueue(2).

   Debian's libkqueue isn't used: it watches a duplicate of a descriptor that has two filters and
   keeps filters beyond close(2), while the engine relies on close(2) ending both. */
#ifndef TESTS_KQUEUE_SHIM_H
#define TESTS_KQUEUE_SHIM_H

#include <stdint.h>
#include <time.h>

struct kevent {
    uintptr_t ident;
    short filter;
    unsigned short flags;
    unsigned int fflags;
    int64_t data;
    void *udata;
    uint64_t ext[4];
};

#define EVFILT_READ  (-1)
#define EVFILT_WRITE (-2)

#define EV_ADD    0x0001
#define EV_DELETE 0x0002
#define EV_CLEAR  0x0020
#define EV_EOF    0x8000
#define EV_ERROR  0x4000

#define EV_SET(kev, a, b, c, d, e, f)                                                              \
    (*(kev) = (struct kevent){                                                                     \
         .ident = (a), .filter = (b), .flags = (c), .fflags = (d), .data = (e), .udata = (f)})

/* A descriptor, or -1 with errno. At most one in a process at a time. */
int kqueue(void);

/* Only for the descriptor of the last kqueue(). Filters and flags that aren't above: EINVAL. */
int kevent(int kq, const struct kevent *changes, int change_count, struct kevent *events,
           int event_count, const struct timespec *timeout);

#endif
