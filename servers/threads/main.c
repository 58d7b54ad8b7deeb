/* threads: the design of the published server's third round: blocking sockets, a thread for each
   connection, accept workers with an SO_REUSEPORT listener each. Parser, answers and routes are
   those of the reactor. The main thread keeps the deadlines and waits for the signal to end. */
#include "http/err.h"
#include "http/options.h"
#include "http/published.h"
#include "http/server.h"
#include "threads/acceptor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define SWEEP_NS         100000000L /* between two looks at the deadlines */
#define STACK_SIZE       (256 << 10)
#define DESCRIPTORS_KEPT 16

static void *open_site(const struct options *o, struct counters_board *board, unsigned worker,
                       struct err *err)
{
    return published_open(o, &board->of[worker], board, err);
}

static void close_site(void *context)
{
    published_close(context);
}

/* Of the whole process, unlike that of the other servers, whose workers are processes. */
static unsigned max_open(const struct options *o)
{
    struct rlimit limit;
    if (o->max_connections)
        return (unsigned)(o->max_connections * o->workers);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 20)
        return 1 << 20;
    uint64_t kept = o->workers + DESCRIPTORS_KEPT;
    return limit.rlim_cur > kept ? (unsigned)(limit.rlim_cur - kept) : 1;
}

/* Accepted sockets inherit it: half a write timeout, see stalled() in caller.c. */
static void set_send_timeout(int fd, uint64_t write_timeout_ms)
{
    uint64_t us = write_timeout_ms * 500;
    const struct timeval half = {.tv_sec = (time_t)(us / 1000000),
                                 .tv_usec = (suseconds_t)(us % 1000000)};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &half, sizeof half);
}

/* True: a signal to end has come; false: the time of a sweep has passed. */
static bool await_signal(void)
{
    const struct timespec pause = {.tv_nsec = SWEEP_NS};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return sigtimedwait(&set, NULL, &pause) > 0;
}

/* Until all have left. A second signal, or the end of the grace time, breaks off what is open. */
static void let_finish(struct roster *r, uint64_t grace_ms)
{
    uint64_t until_ns = roster_now_ns() + grace_ms * 1000000ULL;
    while (roster_open(r) > 0) {
        if (await_signal() || roster_now_ns() >= until_ns)
            roster_break(r);
        roster_sweep(r);
    }
}

static int serve(const struct options *o, struct counters_board *board, const int *listeners,
                 struct err *err)
{
    struct roster roster;
    struct acceptor *acceptors = mem_get(o->workers * sizeof *acceptors);
    uint64_t started = 0;
    roster_init(&roster, o, board, max_open(o));
    for (uint64_t i = 0; i < o->workers; i++) {
        set_send_timeout(listeners[i], o->write_timeout_ms);
        acceptors[i] = (struct acceptor){
            .roster = &roster, .listen_fd = listeners[i], .stack_size = STACK_SIZE + o->max_line};
        if (acceptor_start(&acceptors[i], err) != 0)
            break;
        started++;
    }
    while (started == o->workers && !await_signal())
        roster_sweep(&roster);
    roster_finish(&roster);
    for (uint64_t i = 0; i < started; i++)
        acceptor_stop(&acceptors[i]);
    let_finish(&roster, o->grace_ms);
    roster_fini(&roster);
    free(acceptors);
    return started == o->workers ? 0 : -1;
}

int main(int argc, char **argv)
{
    /* Files and the handicap have no place for several threads; the rest is of the engines. */
    static const char *const without[] = {
        "--engine",   "--seccomp",          "--docroot", "--file-check-ms",
        "--handicap", "--handicap-base-ns", NULL};
    static const struct service service = {.open = open_site,
                                           .close = close_site,
                                           .without = without,
                                           .serve = serve,
                                           .engine = "threads"};
    return server_main(argc, argv, "threads", &service);
}
