/* front: accepts clients, and gives the engine, for each that has finished its handshake, one end
   of a socket pair; a tunnel relays between the two. A tunnel is in one of four lists. Those of the
   greeting and of the leaving ones have a time limit that is the same for all in it, so that the
   first in the list is the next to be due. The open ones have the engine's limits: it closes, and
   they leave.

   Level-triggered: what a tunnel wants is told to epoll when it changes. */
#include "lear/front.h"

#include <errno.h>
#include <time.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS         256
#define ACCEPTS        64 /* a pass */
#define MS_NS          1000000ULL
#define ACCEPT_REST_NS (200 * MS_NS) /* after an accept that failed for lack of descriptors */

/* In place of a tunnel in an event. A tunnel's own end of the pair has bit 0 set. */
enum other {
    THE_LISTENER = 2,
    THE_WAKER = 4
};

static void read_clock(struct front *f)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    f->now_ns = (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

/* To the end of a list, with its time limit. */
static void move(struct front *f, struct tunnel *tunnel, struct tunnels *list)
{
    if (tunnel->list)
        TAILQ_REMOVE(tunnel->list, tunnel, place);
    tunnel->list = list;
    TAILQ_INSERT_TAIL(list, tunnel, place);
    tunnel->deadline_ns = FRONT_NEVER;
    if (list == &f->greeting)
        tunnel->deadline_ns = f->now_ns + f->greet_ns;
    else if (list == &f->leaving)
        tunnel->deadline_ns = f->now_ns + f->leave_ns;
}

static void listen_on(struct front *f, bool on)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = THE_LISTENER};
    if (f->listen_fd < 0 || f->listening == on)
        return;
    f->listen_at_ns = FRONT_NEVER;
    if (epoll_ctl(f->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, f->listen_fd, &event) == 0)
        f->listening = on;
    else
        f->listen_at_ns = f->now_ns + ACCEPT_REST_NS;
}

/* Memory is freed at the end of the pass: events of this one may still name it. */
static void drop(struct front *f, struct tunnel *tunnel)
{
    if (tunnel->list != &f->closing)
        move(f, tunnel, &f->closing);
}

static void reap(struct front *f, struct tunnels *list, bool reset)
{
    struct tunnel *tunnel;
    while ((tunnel = TAILQ_FIRST(list))) {
        TAILQ_REMOVE(list, tunnel, place);
        tunnel_free(tunnel, reset);
        f->count--;
    }
}

/* Tells epoll what has changed; has: what it was told. */
static int watch(const struct front *f, int fd, uint64_t what, uint32_t wants, uint32_t *has)
{
    struct epoll_event event = {.events = wants, .data.u64 = what};
    if (wants == *has)
        return 0;
    *has = wants;
    return epoll_ctl(f->epoll_fd, EPOLL_CTL_MOD, fd, &event);
}

static int watch_new(const struct front *f, int fd, uint64_t what)
{
    struct epoll_event event = {.data.u64 = what};
    return epoll_ctl(f->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static uint64_t name_of(const struct tunnel *tunnel, bool plain)
{
    return (uint64_t)(uintptr_t)tunnel | plain;
}

static struct tunnel *tunnel_of(uint64_t name)
{
    return (struct tunnel *)(uintptr_t)(name & ~1ULL); // NOLINT: ours, tagged
}

/* The handshake is over: the engine gets its connection. */
static int connect_engine(struct front *f, struct tunnel *tunnel)
{
    int end = tunnel_connect(tunnel);
    if (end < 0)
        return -1;
    if (watch_new(f, tunnel->plain, name_of(tunnel, true)) != 0 ||
        write(f->queue[1], &end, sizeof end) != sizeof end) {
        close(end);
        return -1;
    }
    move(f, tunnel, &f->open);
    return 0;
}

static void work(struct front *f, struct tunnel *tunnel)
{
    enum tunnel_state state = tunnel_work(tunnel);
    if (state == TUNNEL_GREETED)
        state = connect_engine(f, tunnel) == 0 ? tunnel_work(tunnel) : TUNNEL_OVER;
    if (state == TUNNEL_OVER ||
        watch(f, tunnel->client, name_of(tunnel, false), tunnel->client_wants,
              &tunnel->client_has) != 0 ||
        (tunnel->plain >= 0 && !tunnel->served &&
         watch(f, tunnel->plain, name_of(tunnel, true), tunnel->plain_wants, &tunnel->plain_has) !=
             0))
        drop(f, tunnel);
    else if (tunnel->served) /* from now on nobody else has an eye on the time */
        move(f, tunnel, &f->leaving);
}

/* Once the engine has closed, all that it had to say is in the queue of our end: no event is needed
   to read it, and EPOLLHUP would be reported again and again. */
static void on_event(struct front *f, struct tunnel *tunnel, uint32_t events, bool plain)
{
    if (tunnel->list == &f->closing)
        return;
    if (plain && (events & (EPOLLHUP | EPOLLERR))) {
        epoll_ctl(f->epoll_fd, EPOLL_CTL_DEL, tunnel->plain, NULL);
        tunnel->served = true;
    }
    if (!plain && (events & (EPOLLHUP | EPOLLERR)))
        drop(f, tunnel);
    else
        work(f, tunnel);
}

static void greet(struct front *f, int client)
{
    struct tunnel *tunnel = tunnel_new(f->ctx, client);
    if (!tunnel)
        return;
    f->count++;
    move(f, tunnel, &f->greeting);
    if (watch_new(f, client, name_of(tunnel, false)) != 0)
        drop(f, tunnel);
    else
        work(f, tunnel);
}

static void accept_some(struct front *f)
{
    for (int i = 0; i < ACCEPTS && f->count < f->max; i++) {
        int client = accept4(f->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client >= 0) {
            greet(f, client);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            listen_on(f, false); /* clients wait in the listen queue */
            f->listen_at_ns = f->now_ns + ACCEPT_REST_NS;
            return;
        } else if (errno == EAGAIN) {
            return;
        }
    }
    if (f->count >= f->max)
        listen_on(f, false);
}

static void stop_listening(struct front *f)
{
    listen_on(f, false); /* closing isn't enough: the master has it too */
    if (f->listen_fd >= 0)
        close(f->listen_fd);
    f->listen_fd = -1;
    f->listen_at_ns = FRONT_NEVER;
}

/* The engine takes no newcomers either: who isn't through with its handshake is let go. */
static void on_wake(struct front *f)
{
    uint64_t times;
    if (read(f->wake_fd, &times, sizeof times) < 0)
        return;
    unsigned asked = atomic_load(&f->asked);
    if (asked > 0 && f->finish_ns == FRONT_NEVER) {
        stop_listening(f);
        while (!TAILQ_EMPTY(&f->greeting))
            drop(f, TAILQ_FIRST(&f->greeting));
        f->finish_ns = f->now_ns + f->grace_ns;
    }
    if (asked > 1)
        f->finish_ns = f->now_ns;
    int end;
    if (atomic_load(&f->engine_end)) /* what it hasn't taken out of the queue */
        while (read(f->queue[0], &end, sizeof end) == sizeof end)
            close(end);
}

static void drop_late(struct front *f, struct tunnels *list)
{
    struct tunnel *first;
    while ((first = TAILQ_FIRST(list)) && first->deadline_ns <= f->now_ns) {
        TAILQ_REMOVE(list, first, place);
        tunnel_free(first, true);
        f->count--;
    }
}

static uint64_t deadline_of(const struct tunnels *list)
{
    return TAILQ_EMPTY(list) ? FRONT_NEVER : TAILQ_FIRST(list)->deadline_ns;
}

static int wait_ms(const struct front *f)
{
    const uint64_t all_ns[] = {deadline_of(&f->greeting), deadline_of(&f->leaving), f->finish_ns,
                               f->listen_at_ns};
    uint64_t next_ns = FRONT_NEVER;
    for (size_t i = 0; i < sizeof all_ns / sizeof *all_ns; i++)
        next_ns = all_ns[i] < next_ns ? all_ns[i] : next_ns;
    if (next_ns == FRONT_NEVER)
        return -1;
    return next_ns <= f->now_ns ? 0 : (int)((next_ns - f->now_ns) / MS_NS) + 1;
}

static void pass(struct front *f)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(f->epoll_fd, events, EVENTS, wait_ms(f));
    read_clock(f);
    for (int i = 0; i < n; i++) {
        uint64_t what = events[i].data.u64;
        if (what == THE_LISTENER)
            accept_some(f);
        else if (what == THE_WAKER)
            on_wake(f);
        else
            on_event(f, tunnel_of(what), events[i].events, what & 1);
    }
    uint64_t before = f->count;
    reap(f, &f->closing, false);
    drop_late(f, &f->greeting);
    drop_late(f, &f->leaving);
    if (f->count < f->max && (f->count < before || f->listen_at_ns <= f->now_ns))
        listen_on(f, true);
}

void *front_run(void *front)
{
    struct front *f = front;
    read_clock(f);
    listen_on(f, true);
    while (f->finish_ns == FRONT_NEVER || (f->count > 0 && f->now_ns < f->finish_ns))
        pass(f);
    reap(f, &f->open, true);
    reap(f, &f->leaving, true);
    return NULL;
}

int front_prepare(struct front *f)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = THE_WAKER};
    TAILQ_INIT(&f->greeting);
    TAILQ_INIT(&f->open);
    TAILQ_INIT(&f->leaving);
    TAILQ_INIT(&f->closing);
    f->listen_at_ns = f->finish_ns = FRONT_NEVER;
    return epoll_ctl(f->epoll_fd, EPOLL_CTL_ADD, f->wake_fd, &event);
}
