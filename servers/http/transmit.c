/* transmit: send(2) and sendfile(2), used by the epoll engine for everything and by io_uring for
   files (a file goes from the page cache to the socket without a copy; io_uring has no such
   operation but splice, which needs a pipe for each connection and two operations for each piece).
 */
#include "http/transmit.h"

#include "http/engine_priv.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

/* Of one file to one connection in a row. More would fill the socket's queue while its client, and
   those of all other connections, sit idle, and costs more CPU for the same bytes: see
   PERFORMANCE.md. */
#define TURN_BYTES (512 << 10)

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

/* A file that ends early can't be made good: the length has been promised. Broken. */
static enum io send_file(struct link *l, struct segment *s)
{
    for (size_t turn = 0; s->n > 0;) {
        if (turn >= TURN_BYTES)
            return IO_TURN;
        size_t piece = s->n < TURN_BYTES - turn ? s->n : TURN_BYTES - turn;
        ssize_t sent = sendfile(l->fd, s->fd, &s->at, piece);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return failed();
        if (sent == 0)
            return IO_BROKEN;
        *l->engine->config.bytes_out += (uint64_t)sent;
        s->n -= (size_t)sent;
        turn += (size_t)sent;
    }
    return IO_DONE;
}

enum io transmit(struct link *l, const char **p, size_t *n, struct segment *tail)
{
    enum io io = send_memory(l, p, n, tail->n > 0 ? MSG_MORE : 0);
    if (io != IO_DONE || tail->n == 0)
        return io;
    return tail->p ? send_memory(l, &tail->p, &tail->n, 0) : send_file(l, tail);
}

void segment_release(struct segment *s)
{
    if (s->release)
        s->release(s->owner);
    *s = (struct segment){0};
}
