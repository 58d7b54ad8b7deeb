/* worker: puts an engine, a listener and a service together. Signals arrive as bytes of a signalfd,
   as one more thing that the engine watches, so nothing is ever interrupted. */
#include "http/worker.h"

#include "http/err.h"
#include "http/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#define DESCRIPTORS_KEPT 64 /* for files, rings, logs: not for connections */

/* A process has one worker; on_wake gets no more than the engine. */
static struct {
    const struct service *service;
    const struct options *options;
    int signal_fd;
    bool asked; /* to end */
} worker;

static void on_wake(struct engine *e)
{
    struct signalfd_siginfo info;
    if (read(worker.signal_fd, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo == SIGALRM) {
        worker.service->tick(e, engine_context(e));
        return;
    }
    uint64_t grace_ms = worker.asked ? 0 : worker.options->grace_ms; /* asked twice: at once */
    worker.asked = true;
    worker.service->finish(e, engine_context(e));
    engine_finish(e, grace_ms * 1000000ULL);
}

static int open_signals(struct err *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGALRM);
    worker.signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (worker.signal_fd < 0)
        return err_set(err, "signalfd: %s", strerror(errno));
    return 0;
}

/* A timer's signal is one more that the engine watches. */
static int start_ticking(const struct service *service, struct err *err)
{
    if (!service->tick)
        return 0;
    const struct timeval every = {.tv_sec = service->tick_ms / 1000,
                                  .tv_usec = (suseconds_t)(service->tick_ms % 1000) * 1000};
    const struct itimerval timer = {.it_interval = every, .it_value = every};
    if (setitimer(ITIMER_REAL, &timer, NULL) != 0)
        return err_set(err, "setitimer: %s", strerror(errno));
    return 0;
}

static unsigned max_links(const struct options *o)
{
    struct rlimit limit;
    if (o->max_connections)
        return (unsigned)o->max_connections;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 20)
        return 1 << 20;
    return limit.rlim_cur > 2 * DESCRIPTORS_KEPT ? (unsigned)limit.rlim_cur - DESCRIPTORS_KEPT
                                                 : (unsigned)limit.rlim_cur;
}

enum engine_kind engine_kind_of(const char *name)
{
    if (strcmp(name, "epoll") == 0)
        return ENGINE_EPOLL;
    if (strcmp(name, "kqueue") == 0)
        return ENGINE_KQUEUE;
    return strcmp(name, "uring") == 0 || strcmp(name, "io_uring") == 0 ? ENGINE_URING : ENGINE_AUTO;
}

static struct engine *start_engine(const struct options *o, void *context,
                                   struct counters *counters, int listen_fd, struct err *err)
{
    static struct engine_user user;
    user = *worker.service->user;
    user.on_wake = on_wake;
    struct engine_config config = {.kind = engine_kind_of(o->engine),
                                   .listen_fd = listen_fd,
                                   .accept = worker.service->accept,
                                   .wake_fd = worker.signal_fd,
                                   .max_links = max_links(o),
                                   .zerocopy_least = o->zerocopy,
                                   .write_timeout_ns = o->write_timeout_ms * 1000000ULL,
                                   .accepted = &counters->accepted,
                                   .bytes_in = &counters->bytes_in,
                                   .bytes_out = &counters->bytes_out,
                                   .write_timeouts = &counters->write_timeouts};
    return engine_open(&config, &user, context, err);
}

int worker_run(const struct options *o, const struct service *service, const struct seat *seat,
               struct err *err)
{
    struct counters *counters = &seat->board->of[seat->index];
    worker.service = service;
    worker.options = o;
    if (open_signals(err) != 0 || start_ticking(service, err) != 0)
        return -1;
    void *context = service->open(o, seat->board, seat->index, err);
    if (!context)
        return -1;
    int listen_fd = service->front ? service->front(seat->listen_fd, err) : seat->listen_fd;
    if (listen_fd < 0)
        return -1;
    struct engine *e = start_engine(o, context, counters, listen_fd, err);
    if (!e)
        return -1;
    counters->pid = (uint64_t)getpid();
    strncpy(counters->engine, engine_name(e), sizeof counters->engine - 1);
    if (o->seccomp && sandbox_enter(err) != 0)
        return -1;
    engine_run(e);
    engine_close(e);
    service->close(context);
    close(worker.signal_fd);
    return 0;
}
