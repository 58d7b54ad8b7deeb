/* uv: the design of the published server's first two rounds: one loop of libuv that accepts, reads
   and writes, with keep-alive or without (--no-keepalive). Parser, answers and routes are those of
   the reactor. */
#include "http/err.h"
#include "http/options.h"
#include "http/published.h"
#include "http/server.h"
#include "uv/caller.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MS_NS            1000000ULL
#define SWEEP_MS         50 /* between two looks at the deadlines */
#define DESCRIPTORS_KEPT 64

/* The loop's own. */
struct house {
    struct callers callers; /* first: on_left() gets it */
    uv_tcp_t listener;
    uv_timer_t timer;
    uv_signal_t signals[2];
    unsigned most;      /* connections at once */
    bool waiting;       /* a client has been announced and not let in */
    uint64_t finish_ms; /* when the grace time is over; 0: not ending */
    uint64_t grace_ms;
};

/* What the start is rehearsed with. */
static void *open_site(const struct options *o, struct counters_board *board, unsigned worker,
                       struct err *err)
{
    return published_open(o, &board->of[worker], board, err);
}

static void close_site(void *context)
{
    published_close(context);
}

static unsigned max_open(const struct options *o)
{
    struct rlimit limit;
    if (o->max_connections)
        return (unsigned)o->max_connections;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 20)
        return 1 << 20;
    return limit.rlim_cur > DESCRIPTORS_KEPT ? (unsigned)(limit.rlim_cur - DESCRIPTORS_KEPT) : 1;
}

/* A client that is announced and not accepted makes libuv stop listening until it is. */
static void let_in(struct house *h)
{
    h->waiting = h->callers.open >= h->most;
    if (!h->waiting)
        caller_accept(&h->callers, (uv_stream_t *)&h->listener);
}

static void on_client(uv_stream_t *listener, int status)
{
    struct house *h = listener->data;
    if (status == 0)
        let_in(h);
    else if (status != UV_ECONNABORTED)
        log_line("can't accept: %s (raise ulimit -n)", uv_strerror(status));
}

/* With the last connection the end has come. */
static void end_if_empty(struct house *h)
{
    if (h->finish_ms && h->callers.open == 0)
        uv_stop(h->callers.loop);
}

static void on_left(struct callers *callers)
{
    struct house *h = (struct house *)callers;
    if (h->waiting && !h->finish_ms)
        let_in(h);
    end_if_empty(h);
}

static void on_timer(uv_timer_t *timer)
{
    struct house *h = timer->data;
    if (h->callers.view.due_ns <= uv_now(timer->loop) * MS_NS)
        callers_sweep(&h->callers);
    if (h->finish_ms && uv_now(timer->loop) >= h->finish_ms)
        callers_break(&h->callers);
}

/* Asked twice: at once. */
static void on_signal(uv_signal_t *s, int number)
{
    struct house *h = s->data;
    (void)number;
    if (h->finish_ms) {
        callers_break(&h->callers);
        return;
    }
    h->finish_ms = uv_now(s->loop) + h->grace_ms + 1;
    uv_close((uv_handle_t *)&h->listener, NULL);
    callers_finish(&h->callers);
    end_if_empty(h);
}

static int failed(struct err *err, const char *what, int error)
{
    return err_set(err, "%s: %s", what, uv_strerror(error));
}

static int open_house(struct house *h, const struct options *o, int listen_fd, struct err *err)
{
    static const int ends[] = {SIGTERM, SIGINT};
    uv_loop_t *loop = h->callers.loop;
    uv_tcp_init(loop, &h->listener);
    uv_timer_init(loop, &h->timer);
    h->listener.data = h->timer.data = h;
    int error = uv_tcp_open(&h->listener, listen_fd);
    if (!error)
        error = uv_listen((uv_stream_t *)&h->listener, (int)o->backlog, on_client);
    if (error)
        return failed(err, "uv_listen", error);
    for (int i = 0; i < 2 && !error; i++) {
        uv_signal_init(loop, &h->signals[i]);
        h->signals[i].data = h;
        error = uv_signal_start(&h->signals[i], on_signal, ends[i]);
    }
    if (error)
        return failed(err, "uv_signal_start", error);
    uv_timer_start(&h->timer, on_timer, SWEEP_MS, SWEEP_MS);
    return 0;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void unblock_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static int serve(const struct options *o, struct counters_board *board, const int *listeners,
                 struct err *err)
{
    struct counters *counters = &board->of[0];
    struct house *h = mem_get(sizeof *h);
    uv_loop_t loop;
    memset(h, 0, sizeof *h);
    int error = uv_loop_init(&loop);
    if (error) {
        free(h);
        return failed(err, "uv_loop_init", error);
    }
    h->callers.loop = &loop;
    h->callers.counters = counters;
    h->callers.write_timeout_ns = o->write_timeout_ms * MS_NS;
    h->callers.on_left = on_left;
    h->most = max_open(o);
    h->grace_ms = o->grace_ms;
    counters->pid = (uint64_t)getpid();
    strcpy(counters->engine, "libuv");
    h->callers.site = published_open(o, counters, board, err);
    int rc = h->callers.site ? open_house(h, o, listeners[0], err) : -1;
    if (rc == 0) {
        h->callers.view = (struct engine_view){.context = h->callers.site, .due_ns = ENGINE_NEVER};
        unblock_signals();
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    uv_walk(&loop, close_handle, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    if (h->callers.site)
        published_close(h->callers.site);
    free(h);
    return rc;
}

int main(int argc, char **argv)
{
    /* One loop is the design; libuv sends no files without threads, and makes calls of its own. */
    static const char *const without[] = {"--workers", "--engine",        "--seccomp",
                                          "--docroot", "--file-check-ms", NULL};
    char engine[40];
    snprintf(engine, sizeof engine, "libuv %s", uv_version_string());
    const struct service service = {.open = open_site,
                                    .close = close_site,
                                    .without = without,
                                    .serve = serve,
                                    .engine = engine};
    return server_main(argc, argv, "uv", &service);
}
