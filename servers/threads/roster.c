/* roster: callers are kept when their connection ends and used again, so that a connection costs a
   thread but no memory to be got. All of them are in one list, which the keeper walks through: the
   deadlines are theirs alone to write, and it reads them without a lock on them. */
#include "threads/roster.h"

#include "http/err.h"
#include "http/options.h"
#include "http/published.h"
#include "http/site.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FINISH_IDLE_NS 250000000ULL

static struct roster *the_roster; /* for gather(), which gets nothing handed over */

uint64_t roster_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

static void on_wake(int signal)
{
    (void)signal; /* it has interrupted what was waiting: that was all */
}

void roster_init(struct roster *r, const struct options *o, struct counters_board *board,
                 unsigned most)
{
    struct sigaction wake = {.sa_handler = on_wake}; /* no SA_RESTART */
    *r = (struct roster){.options = o, .board = board, .most = most};
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->left, NULL);
    sigaction(CALLER_WAKE, &wake, NULL);
    the_roster = r;
}

void roster_fini(struct roster *r)
{
    while (r->all) {
        struct caller *c = r->all;
        r->all = c->all;
        published_close(c->site);
        free(c->link);
        free(c);
    }
    pthread_cond_destroy(&r->left);
    pthread_mutex_destroy(&r->lock);
}

static void add(struct counters *sum, const struct counters *c)
{
    sum->requests += c->requests;
    sum->accepted += c->accepted;
    sum->closed += c->closed;
    sum->bytes_in += c->bytes_in;
    sum->bytes_out += c->bytes_out;
    for (int i = 0; i < 6; i++)
        sum->status[i] += c->status[i];
    sum->malformed += c->malformed;
    sum->timeouts += c->timeouts;
    sum->write_timeouts += c->write_timeouts;
}

/* Each thread counts for itself; the board shows the sum. */
static void gather(void)
{
    struct roster *r = the_roster;
    struct counters sum = {.pid = (uint64_t)getpid(), .engine = "threads"};
    pthread_mutex_lock(&r->lock);
    for (const struct caller *c = r->all; c; c = c->all)
        add(&sum, &c->counters);
    r->board->of[0] = sum;
    pthread_mutex_unlock(&r->lock);
}

/* Starting has found out that a site can be made of these options. */
static struct caller *make_caller(struct roster *r)
{
    struct caller *c = mem_get(sizeof *c);
    *c = (struct caller){.roster = r, .fd = -1, .all = r->all};
    c->site = published_open(r->options, &c->counters, r->board, NULL);
    if (!c->site)
        abort();
    c->site->gather = gather;
    c->link = mem_get(conn_user.link_size);
    r->all = c;
    return c;
}

static void open_caller(struct caller *c, int fd)
{
    memset(c->link, 0, conn_user.link_size);
    c->link->engine = (struct engine *)c; /* whose view is all that is looked at */
    c->link->fd = fd;
    c->link->deadline_ns = ENGINE_NEVER;
    c->view = (struct engine_view){.context = c->site, .now_ns = roster_now_ns()};
    c->expired = c->sending = c->shut = false;
    c->counters.accepted++;
    c->fd = fd;
}

struct caller *roster_take(struct roster *r, int fd)
{
    struct caller *c = NULL;
    pthread_mutex_lock(&r->lock);
    while (r->open >= r->most && !r->finishing)
        pthread_cond_wait(&r->left, &r->lock);
    if (!r->finishing) {
        c = r->free ? r->free : make_caller(r);
        if (c == r->free)
            r->free = c->next;
        open_caller(c, fd);
        r->open++;
    }
    pthread_mutex_unlock(&r->lock);
    return c;
}

void roster_enter(struct caller *c)
{
    pthread_mutex_lock(&c->roster->lock);
    c->thread = pthread_self();
    c->running = true;
    pthread_mutex_unlock(&c->roster->lock);
}

void roster_give(struct caller *c)
{
    struct roster *r = c->roster;
    pthread_mutex_lock(&r->lock);
    close(c->fd);
    c->fd = -1;
    c->running = false;
    c->next = r->free;
    r->free = c;
    r->open--;
    pthread_cond_signal(&r->left);
    pthread_mutex_unlock(&r->lock);
}

/* A thread that was not yet waiting misses the signal and gets another one in the next sweep. */
static void wake_if_due(struct caller *c, uint64_t now_ns)
{
    if (!c->running || c->sending || c->link->deadline_ns > now_ns)
        return;
    __atomic_store_n(&c->expired, true, __ATOMIC_RELAXED);
    pthread_kill(c->thread, CALLER_WAKE);
}

void roster_sweep(struct roster *r)
{
    uint64_t now_ns = roster_now_ns();
    pthread_mutex_lock(&r->lock);
    for (struct caller *c = r->all; c; c = c->all)
        wake_if_due(c, now_ns);
    pthread_mutex_unlock(&r->lock);
}

void roster_finish(struct roster *r)
{
    uint64_t soon_ns = roster_now_ns() + FINISH_IDLE_NS;
    pthread_mutex_lock(&r->lock);
    r->finishing = true;
    for (struct caller *c = r->all; c; c = c->all) {
        c->site->idle_timeout_ns = FINISH_IDLE_NS;
        c->site->finishing = true;
        if (c->fd >= 0 && conn_is_idle(c->link) && c->link->deadline_ns > soon_ns)
            c->link->deadline_ns = soon_ns;
    }
    pthread_cond_broadcast(&r->left);
    pthread_mutex_unlock(&r->lock);
}

void roster_break(struct roster *r)
{
    pthread_mutex_lock(&r->lock);
    for (struct caller *c = r->all; c; c = c->all)
        if (c->fd >= 0)
            shutdown(c->fd, SHUT_RDWR);
    pthread_mutex_unlock(&r->lock);
}

unsigned roster_open(struct roster *r)
{
    pthread_mutex_lock(&r->lock);
    unsigned open = r->open;
    pthread_mutex_unlock(&r->lock);
    return open;
}

bool roster_finishing(struct roster *r)
{
    pthread_mutex_lock(&r->lock);
    bool finishing = r->finishing;
    pthread_mutex_unlock(&r->lock);
    return finishing;
}
