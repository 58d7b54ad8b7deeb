/* engine: what epoll and io_uring have in common: the loop, deadlines, when to accept, how it ends.
   Deadlines are found by a sweep over all links that runs when the earliest known one has passed; a
   connection that is busy only moves its own deadline, which costs a store. */
#include "http/engine_priv.h"

#include "http/err.h"
#include "http/turns.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS_NS            1000000ULL
#define SWEEP_REST_NS    (50 * MS_NS)  /* between two sweeps, at least */
#define ACCEPT_REST_NS   (200 * MS_NS) /* after an accept that failed for lack of descriptors */
#define COMPLAIN_REST_NS (10000 * MS_NS)

void engine_set_due(struct engine *e, uint64_t ns)
{
    if (ns < e->view.due_ns)
        e->view.due_ns = ns;
}

static void set_listening(struct engine *e, bool on)
{
    if (e->listening == on || e->config.listen_fd < 0)
        return;
    e->listening = on;
    e->unsettled = true;
    e->ops->listen(e, on);
}

static struct engine *open_kind(const struct engine_ops *ops, struct engine start, struct err *err)
{
    struct engine *e = mem_get(ops->size);
    memset(e, 0, ops->size);
    *e = start;
    e->ops = ops;
    uint64_t **counters[] = {&e->config.accepted, &e->config.bytes_in, &e->config.bytes_out,
                             &e->config.write_timeouts};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (!*counters[i])
            *counters[i] = &e->nowhere;
    engine_tick(e);
    if (ops->open(e, err) == 0) {
        set_listening(e, true);
        return e;
    }
    free(e);
    return NULL;
}

struct engine *engine_open(const struct engine_config *config, const struct engine_user *user,
                           void *context, struct err *err)
{
    struct engine start = {.user = user,
                           .config = *config,
                           .view = {.context = context, .due_ns = ENGINE_NEVER},
                           .finish_ns = ENGINE_NEVER,
                           .listen_at_ns = ENGINE_NEVER};
    if (config->kind == ENGINE_EPOLL)
        return open_kind(&engine_epoll, start, err);
    if (config->kind == ENGINE_URING)
        return open_kind(&engine_uring, start, err);
    if (config->kind == ENGINE_KQUEUE)
        return open_kind(&engine_kqueue, start, err);
    struct err why = {0};
    struct engine *e = open_kind(&engine_uring, start, &why);
    if (e)
        return e;
    log_line("%s; using epoll", why.text);
    return open_kind(&engine_epoll, start, err);
}

void engine_close(struct engine *e)
{
    assert(e->links == 0);
    e->ops->close(e);
    if (e->config.listen_fd >= 0)
        close(e->config.listen_fd);
    links_free(e);
    free(e);
}

/* Sends what an up-call of our own making answered. */
static void apply_call(struct link *l, unsigned (*fn)(struct link *l, struct out *out))
{
    struct engine *e = l->engine;
    struct out out = {0};
    if (!l->sending)
        e->ops->lend(e, l, &out);
    unsigned want = fn(l, &out);
    e->ops->apply(l, &out, want);
}

static void check_deadline(struct link *l)
{
    struct engine *e = l->engine;
    uint64_t deadline_ns = l->sending ? l->sending->deadline_ns : l->deadline_ns;
    if (deadline_ns > e->view.now_ns) {
        engine_set_due(e, deadline_ns);
    } else if (l->sending) {
        if (!sending_stalled(l))
            return;
        ++*e->config.write_timeouts;
        link_reset(l);
    } else {
        l->deadline_ns = ENGINE_NEVER;
        apply_call(l, e->user->on_deadline);
    }
}

static void sweep(struct engine *e)
{
    e->view.due_ns = ENGINE_NEVER;
    links_each(e, check_deadline);
    if (e->view.due_ns < e->view.now_ns + SWEEP_REST_NS)
        e->view.due_ns = e->view.now_ns + SWEEP_REST_NS;
}

static void accept_again(struct engine *e)
{
    e->listen_at_ns = ENGINE_NEVER;
    if (e->finish_ns == ENGINE_NEVER && e->links < e->config.max_links)
        set_listening(e, true);
}

bool engine_full(struct engine *e)
{
    if (e->links < e->config.max_links)
        return false;
    set_listening(e, false);
    return true;
}

bool engine_accept_failed(struct engine *e, int error)
{
    switch (error) {
    case EAGAIN: return false;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: break;
    default:
        return true; /* the client has gone, or a filter said no: accept(2), "Error handling" */
    }
    set_listening(e, false);
    e->listen_at_ns = e->view.now_ns + ACCEPT_REST_NS;
    if (e->view.now_ns >= e->complained_ns) {
        e->complained_ns = e->view.now_ns + COMPLAIN_REST_NS;
        log_line(
            "can't accept with %u connections open: %s; clients wait in the listen queue (raise "
            "ulimit -n)",
            e->links, strerror(error));
    }
    return false;
}

static inline int wait_ms(const struct engine *e)
{
    uint64_t next_ns = e->view.due_ns;
    if (e->unsettled) {
        if (e->turns.first)
            return 0;
        if (e->closing)
            return 10; /* io_uring still holds operations of these: their ends arrive as events */
        next_ns = e->listen_at_ns < next_ns ? e->listen_at_ns : next_ns;
        next_ns = e->finish_ns < next_ns ? e->finish_ns : next_ns;
    }
    if (next_ns == ENGINE_NEVER)
        return -1;
    if (next_ns <= e->view.now_ns)
        return 0;
    uint64_t ms = (next_ns - e->view.now_ns + MS_NS - 1) / MS_NS;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

static void stop_listening(struct engine *e)
{
    set_listening(e, false);
    if (e->config.listen_fd >= 0)
        close(e->config.listen_fd);
    e->config.listen_fd = -1;
}

/* What is to be done between two passes, which most of the time is nothing. false: it has ended. */
static __attribute__((noinline)) bool settle(struct engine *e)
{
    if (e->finish_ns != ENGINE_NEVER)
        stop_listening(e);
    if (e->turns.first)
        turns_run(e);
    if (e->closing)
        links_reap(e);
    if (e->finish_ns != ENGINE_NEVER && (e->links == 0 || e->view.now_ns >= e->finish_ns))
        return false;
    if (e->listen_at_ns <= e->view.now_ns)
        accept_again(e);
    e->unsettled = e->closing || e->turns.first || !e->listening;
    return true;
}

void engine_run(struct engine *e)
{
    while (!e->unsettled || settle(e)) {
        e->ops->pass(e, wait_ms(e));
        if (e->view.due_ns <= e->view.now_ns)
            sweep(e);
    }
    links_each(e, link_reset);
    while (links_reap(e), e->links > 0)
        e->ops->pass(e, wait_ms(e));
}

/* The listening stops at the end of the pass: clients already in the queue are let in before. */
void engine_finish(struct engine *e, uint64_t grace_ns)
{
    e->finish_ns = e->view.now_ns + grace_ns;
    e->unsettled = true;
}

static void apply_each(struct link *l)
{
    apply_call(l, l->engine->each);
}

void engine_each(struct engine *e, unsigned (*fn)(struct link *l, struct out *out))
{
    e->each = fn;
    links_each(e, apply_each);
}

unsigned engine_links(const struct engine *e)
{
    return e->links;
}

const char *engine_name(const struct engine *e)
{
    return e->ops->name;
}
