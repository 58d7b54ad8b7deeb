/* readiness: sending on sockets that don't block. Each socket's readiness is reported once
   (edge-triggered), so whoever may send on and doesn't must be in the queue of turns. */
#include "http/readiness.h"

#include "http/engine_priv.h"
#include "http/err.h"
#include "http/turns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum io readiness_send(struct link *l, struct out *out)
{
    const char *p = out->p;
    size_t n = out->n;
    enum io io = transmit(l, &p, &n, &out->tail);
    if (io == IO_DONE || io == IO_BROKEN) {
        segment_release(&out->tail);
        return io;
    }
    struct sending *s = sending_start(l);
    if (n > 0) {
        s->memory = mem_get(n);
        memcpy(s->memory, p, n);
    }
    s->p = s->memory;
    s->n = n;
    s->tail = out->tail;
    if (io == IO_TURN)
        turns_add(l);
    return io;
}

void readiness_unsend(struct engine *e, struct sending *s)
{
    (void)e;
    free(s->memory);
}

void readiness_settle(struct link *l)
{
    while (!(l->flags & LINK_CLOSING) && !l->sending) {
        if (l->want & WANT_CLOSE) {
            link_close(l);
        } else if (l->want & WANT_SHUTDOWN) {
            if (!(l->flags & LINK_SHUT))
                shutdown(l->fd, SHUT_WR);
            l->flags |= LINK_SHUT;
            l->want &= (uint8_t)~WANT_SHUTDOWN;
        } else if (l->want & WANT_SENT) {
            struct out out;
            l->engine->ops->lend(l->engine, l, &out);
            l->want = (uint8_t)l->engine->user->on_sent(l, &out);
            if (readiness_send(l, &out) == IO_BROKEN)
                link_reset(l);
        } else {
            return;
        }
    }
}

bool readiness_waits(const struct link *l)
{
    return l->sending && !l->sending->back;
}

void readiness_send_more(struct link *l)
{
    struct sending *s = l->sending;
    uint64_t before = *l->engine->config.bytes_out;
    enum io io = transmit(l, &s->p, &s->n, &s->tail);
    if (*l->engine->config.bytes_out != before)
        sending_progress(l);
    if (io == IO_TURN)
        turns_add(l);
    if (io == IO_AGAIN || io == IO_TURN)
        return;
    sending_end(l);
    if (io == IO_BROKEN)
        link_reset(l);
    else
        readiness_settle(l);
}
