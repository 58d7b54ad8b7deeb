/* turns: a queue that the engine's loop serves between two waits. A share is what sendfile moves at
   once, and whole segments: a rest would leave as a small segment of its own. See PERFORMANCE.md:
   where the kernel paces a connection's segments (BBR), those of the others fill the gaps, and no
   timer has to. Alone, a connection has nobody to wait for. */
#include "http/turns.h"

#include "http/engine_priv.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define TURNS       16        /* between two waits */
#define ALONE_BYTES (2 << 20) /* bounds how long a newcomer waits */

/* As many whole segments as fit into a share. */
static size_t whole_segments(int fd)
{
    int segment = 0;
    socklen_t size = sizeof segment;
    if (getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, &size) != 0 || segment <= 0 ||
        segment > TURNS_SHARE_MAX)
        return TURNS_SHARE_MAX;
    return TURNS_SHARE_MAX / (size_t)segment * (size_t)segment;
}

size_t turns_share(const struct link *l)
{
    if (l->engine->turns.alone)
        return ALONE_BYTES;
    return l->sending && l->sending->share ? l->sending->share : whole_segments(l->fd);
}

void turns_add(struct link *l)
{
    struct turns *t = &l->engine->turns;
    struct sending *s = l->sending;
    if (!s->share)
        s->share = whole_segments(l->fd);
    s->link = l;
    s->next = NULL;
    s->back = t->end ? t->end : &t->first;
    *s->back = s;
    t->end = &s->next;
    t->count++;
    l->engine->unsettled = true;
}

void turns_remove(struct engine *e, struct sending *s)
{
    struct turns *t = &e->turns;
    if (!s->back)
        return;
    *s->back = s->next;
    if (s->next)
        s->next->back = s->back;
    else
        t->end = s->back;
    s->back = NULL;
    t->count--;
}

void turns_run(struct engine *e)
{
    struct turns *t = &e->turns;
    size_t n = t->count < TURNS ? t->count : TURNS;
    t->alone = t->count == 1;
    for (; n > 0 && t->first; n--) {
        struct sending *s = t->first;
        turns_remove(e, s);
        if (!(s->link->flags & LINK_CLOSING))
            e->ops->turn(s->link);
    }
    t->alone = false;
}
