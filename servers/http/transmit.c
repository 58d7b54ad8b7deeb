/* transmit: send(2) and sendfile(2), used by the epoll engine for everything and by io_uring for
   files (a file goes from the page cache to the socket without a copy; io_uring has no such
   operation but splice, which needs a pipe for each connection and two operations for each piece).
 */
#include "http/transmit.h"

#include "http/engine_priv.h"
#include "http/turns.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

static enum io failed(void)
{
    return errno == EAGAIN ? IO_AGAIN : IO_BROKEN;
}

static enum io send_memory(struct link *l, const char **p, size_t *n, int flags)
{
    while (*n > 0) {
        ssize_t sent = send(l->fd, *p, *n, MSG_NOSIGNAL | flags);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return failed();
        *l->engine->config.bytes_out += (uint64_t)sent;
        *p += sent;
        *n -= (size_t)sent;
    }
    return IO_DONE;
}

/* At most so much of a file. One that ends early can't be made good: its length has been promised.
   Broken. */
static enum io send_file(struct link *l, struct segment *s, size_t most)
{
    while (s->n > 0) {
        if (most == 0)
            return IO_TURN;
        ssize_t sent = sendfile(l->fd, s->fd, &s->at, s->n < most ? s->n : most);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return failed();
        if (sent == 0)
            return IO_BROKEN;
        *l->engine->config.bytes_out += (uint64_t)sent;
        s->n -= (size_t)sent;
        most -= (size_t)sent;
    }
    return IO_DONE;
}

enum io transmit(struct link *l, const char **p, size_t *n, struct segment *tail)
{
    size_t head = *n;
    enum io io = send_memory(l, p, n, tail->n > 0 ? MSG_MORE : 0);
    if (io != IO_DONE || tail->n == 0)
        return io;
    if (tail->p)
        return send_memory(l, &tail->p, &tail->n, 0);
    size_t most = tail->n > TURNS_SHARE_MAX ? turns_share(l) : tail->n;
    return send_file(l, tail, head < most ? most - head : most); /* a head shares its segment */
}

void segment_release(struct segment *s)
{
    if (s->release)
        s->release(s->owner);
    *s = (struct segment){0};
}
