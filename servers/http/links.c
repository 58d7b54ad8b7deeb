/* links: where the engine's connections live, how they end, and what they have not sent yet.
   Links lie in chunks that never move nor shrink, so that a sweep over all of them is a walk
   through memory and a pointer to one stays good until it is reaped. */
#include "http/engine_priv.h"

#include "http/err.h"
#include "http/transmit.h"
#include "http/turns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK_LINKS 64
#define CACHE_LINE  64

static size_t slot_size(const struct engine *e)
{
    return (e->user->link_size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static void add_chunk(struct engine *e)
{
    size_t size = slot_size(e);
    char *chunk = aligned_alloc(CACHE_LINE, CHUNK_LINKS * size);
    if (!chunk)
        abort();
    e->chunks = mem_grow(e->chunks, (e->chunk_count + 1) * sizeof *e->chunks);
    e->chunks[e->chunk_count++] = chunk;
    for (size_t i = CHUNK_LINKS; i-- > 0;) {
        struct link *l = (struct link *)(void *)(chunk + i * size);
        *l = (struct link){.fd = -1, .next = e->free, .engine = e};
        e->free = l;
    }
}

struct link *link_open(struct engine *e, int fd)
{
    if (!e->free)
        add_chunk(e);
    struct link *l = e->free;
    e->free = l->next;
    memset(l, 0, e->user->link_size);
    l->engine = e;
    l->fd = fd;
    l->deadline_ns = ENGINE_NEVER;
    e->links++;
    ++*e->config.accepted;
    l->want = (uint8_t)e->user->on_open(l);
    return l;
}

void link_close(struct link *l)
{
    struct engine *e = l->engine;
    if (l->flags & LINK_CLOSING)
        return;
    l->flags |= LINK_CLOSING;
    l->next = e->closing;
    e->closing = l;
    e->unsettled = true;
    e->ops->drop(l);
    e->user->on_gone(l);
}

void link_reset(struct link *l)
{
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    setsockopt(l->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    link_close(l);
}

/* The only place where a connection is freed. */
void links_reap(struct engine *e)
{
    struct link **at = &e->closing;
    while (*at) {
        struct link *l = *at;
        if (l->inflight > 0) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        if (l->sending)
            sending_end(l);
        if (l->fd >= 0)
            close(l->fd);
        l->fd = -1;
        l->next = e->free;
        e->free = l;
        e->links--;
        if (!e->listening)
            e->listen_at_ns = 0;
    }
}

void links_each(struct engine *e, void (*fn)(struct link *l))
{
    size_t size = slot_size(e);
    for (size_t c = 0; c < e->chunk_count; c++)
        for (size_t i = 0; i < CHUNK_LINKS; i++) {
            struct link *l = (struct link *)(void *)(e->chunks[c] + i * size);
            if (l->fd >= 0 && !(l->flags & LINK_CLOSING))
                fn(l);
        }
}

void links_free(struct engine *e)
{
    for (size_t c = 0; c < e->chunk_count; c++)
        free(e->chunks[c]);
    free(e->chunks);
    while (e->spare) {
        struct sending *s = e->spare;
        e->spare = s->next;
        free(s);
    }
}

struct sending *sending_start(struct link *l)
{
    struct engine *e = l->engine;
    struct sending *s = e->spare;
    if (s)
        e->spare = s->next;
    else
        s = mem_get(sizeof *s);
    s->since_ns = e->view.now_ns;
    s->p = NULL;
    s->n = 0;
    s->tail.n = 0;
    s->tail.release = NULL;
    s->memory = NULL;
    s->lent = 0;
    s->share = 0;
    s->back = NULL;
    assert(!l->sending);
    l->sending = s;
    sending_progress(l);
    return s;
}

/* The queue of the socket is looked at twice in a write timeout. */
static void look_later(struct link *l)
{
    struct engine *e = l->engine;
    l->sending->deadline_ns = e->view.now_ns + e->config.write_timeout_ns / 2;
    engine_set_due(e, l->sending->deadline_ns);
}

void sending_progress(struct link *l)
{
    l->sending->queued = 0;
    look_later(l);
}

/* A slow client may take for minutes from a full queue before there is room for more: progress is
   what leaves the queue (tcp(7), SIOCOUTQ), not what enters it. */
bool sending_stalled(struct link *l)
{
    int queued = 0, before = l->sending->queued;
    if (ioctl(l->fd, SIOCOUTQ, &queued) != 0 || (before > 0 && queued >= before))
        return true;
    l->sending->queued = queued;
    look_later(l);
    return false;
}

void sending_end(struct link *l)
{
    struct engine *e = l->engine;
    struct sending *s = l->sending;
    turns_remove(e, s);
    segment_release(&s->tail);
    if (l->deadline_ns != ENGINE_NEVER)
        link_deadline(l, l->deadline_ns + e->view.now_ns - s->since_ns);
    e->ops->unsend(e, s);
    l->sending = NULL;
    s->next = e->spare;
    e->spare = s;
}
