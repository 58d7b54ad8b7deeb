/* caller: libuv calls when bytes have come; the answer is tried at once (uv_try_write), and only
   what the socket doesn't take becomes a write request, during which nothing is read. */
#include "uv/caller.h"

#include "http/err.h"
#include "http/site.h"
#include "http/transmit.h"

#include <assert.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define MS_NS          1000000ULL
#define FINISH_IDLE_NS (250 * MS_NS)

struct caller {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct callers *all;
    struct caller *next, **back; /* of all */
    char *copy;                  /* of what is on its way, and what goes behind it */
    struct segment tail;
    uint64_t since_ns, look_ns; /* of the write: its start, the next look at its progress */
    size_t left;                /* bytes at the last look */
    unsigned want;
    bool reading, writing, shut;
    struct link link[]; /* the connection, conn_user.link_size bytes */
};

static struct caller *of(void *handle)
{
    return ((uv_handle_t *)handle)->data;
}

static void on_closed(uv_handle_t *handle)
{
    struct caller *c = of(handle);
    struct callers *all = c->all;
    *c->back = c->next;
    if (c->next)
        c->next->back = c->back;
    all->open--;
    free(c);
    all->on_left(all);
}

/* A write that is under way ends with an error first, and frees what it holds. */
static void end(struct caller *c, bool reset)
{
    uv_handle_t *handle = (uv_handle_t *)&c->tcp;
    if (uv_is_closing(handle))
        return;
    conn_user.on_gone(c->link);
    if (!reset || uv_tcp_close_reset(&c->tcp, on_closed) != 0)
        uv_close(handle, on_closed);
}

static void tick(struct callers *all)
{
    all->view.now_ns = uv_now(all->loop) * MS_NS;
}

static void settle(struct caller *c);

static void set_due(struct callers *all, uint64_t ns)
{
    all->view.due_ns = ns < all->view.due_ns ? ns : all->view.due_ns;
}

/* Bytes that the client has not taken: what libuv holds and what the socket's queue holds (tcp(7),
   SIOCOUTQ). A slow client may take for minutes from a full queue before libuv can add to it. */
static size_t untaken(const struct caller *c)
{
    uv_os_fd_t fd;
    int queued = 0;
    if (uv_fileno((const uv_handle_t *)&c->tcp, &fd) == 0)
        ioctl(fd, SIOCOUTQ, &queued);
    return uv_stream_get_write_queue_size((const uv_stream_t *)&c->tcp) + (size_t)queued;
}

static void look_later(struct caller *c)
{
    struct callers *all = c->all;
    c->look_ns = all->view.now_ns + all->write_timeout_ns / 2;
    set_due(all, c->look_ns);
    c->left = untaken(c);
}

/* Time spent sending is added to the deadline. */
static void on_written(uv_write_t *write, int status)
{
    struct caller *c = of(write->handle);
    free(c->copy);
    c->copy = NULL;
    segment_release(&c->tail);
    c->writing = false;
    tick(c->all);
    if (status < 0) {
        end(c, true);
        return;
    }
    if (c->link->deadline_ns != ENGINE_NEVER)
        link_deadline(c->link, c->link->deadline_ns + c->all->view.now_ns - c->since_ns);
    settle(c);
}

/* What the socket doesn't take now: a copy of the memory that was lent, and the tail as it is. */
static void send_later(struct caller *c, const uv_buf_t *bufs, size_t tried)
{
    uv_buf_t left[2] = {bufs[0], bufs[1]};
    for (int i = 0; i < 2; i++) {
        size_t gone = tried < left[i].len ? tried : left[i].len;
        left[i].base += gone;
        left[i].len -= gone;
        tried -= gone;
    }
    if (left[0].len > 0) {
        c->copy = mem_get(left[0].len);
        memcpy(c->copy, left[0].base, left[0].len);
        left[0].base = c->copy;
    }
    c->writing = true;
    c->since_ns = c->all->view.now_ns;
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, left, 2, on_written) == 0) {
        look_later(c);
        return;
    }
    c->writing = false;
    end(c, true);
}

static void send_out(struct caller *c, struct out *out)
{
    assert(out->tail.n == 0 || out->tail.p); /* there are no files */
    uv_buf_t bufs[2] = {uv_buf_init(out->p, (unsigned)out->n),
                        uv_buf_init((char *)out->tail.p, (unsigned)out->tail.n)};
    size_t n = out->n + out->tail.n;
    int sent = n ? uv_try_write((uv_stream_t *)&c->tcp, bufs, out->tail.n ? 2 : 1) : 0;
    c->all->counters->bytes_out += n; /* all will leave, or the connection breaks */
    c->tail = out->tail;
    if (sent < 0 && sent != UV_EAGAIN)
        end(c, true);
    else if ((size_t)(sent < 0 ? 0 : sent) < n)
        send_later(c, bufs, sent < 0 ? 0 : (size_t)sent);
    if (!c->writing)
        segment_release(&c->tail);
}

static void on_shut(uv_shutdown_t *shutdown, int status)
{
    if (status < 0 && status != UV_ECANCELED)
        end(of(shutdown->handle), true);
}

static void shut(struct caller *c)
{
    if (c->shut)
        return;
    c->shut = true;
    if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shut) != 0)
        end(c, true);
}

static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct callers *all = of(handle)->all;
    (void)suggested;
    *buf = uv_buf_init(all->in, sizeof all->in);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct caller *c = of(stream);
    struct callers *all = c->all;
    struct out out;
    if (n == 0) /* EAGAIN */
        return;
    tick(all);
    out_start(&out, all->out, sizeof all->out);
    if (n > 0) {
        all->counters->bytes_in += (uint64_t)n;
        c->want = conn_user.on_bytes(c->link, buf->base, (size_t)n, &out);
    } else if (n == UV_EOF) {
        c->want = conn_user.on_eof(c->link, &out);
    } else {
        end(c, false);
        return;
    }
    send_out(c, &out);
    settle(c);
}

static void read_or_not(struct caller *c)
{
    bool wanted = !c->writing && (c->want & WANT_BYTES);
    if (wanted == c->reading)
        return;
    c->reading = wanted;
    if (!wanted)
        uv_read_stop((uv_stream_t *)&c->tcp);
    else if (uv_read_start((uv_stream_t *)&c->tcp, on_buffer, on_read) != 0)
        end(c, true);
}

/* Does what is wanted when all has left. More may be handed over then, and so on. */
static void settle(struct caller *c)
{
    while (!c->writing && !uv_is_closing((uv_handle_t *)&c->tcp)) {
        if (c->want & WANT_CLOSE)
            end(c, false);
        else if (c->want & WANT_SHUTDOWN)
            shut(c);
        if (!(c->want & WANT_SENT))
            break;
        struct out out;
        out_start(&out, c->all->out, sizeof c->all->out);
        c->want = conn_user.on_sent(c->link, &out);
        send_out(c, &out);
    }
    if (!uv_is_closing((uv_handle_t *)&c->tcp))
        read_or_not(c);
}

static struct caller *caller_new(struct callers *all)
{
    struct caller *c = mem_get(sizeof *c + conn_user.link_size);
    memset(c, 0, sizeof *c + conn_user.link_size);
    c->all = all;
    c->next = all->all;
    c->back = &all->all;
    if (c->next)
        c->next->back = &c->next;
    all->all = c;
    all->open++;
    c->link->engine = (struct engine *)all; /* whose view is all that is looked at */
    c->link->deadline_ns = ENGINE_NEVER;
    c->tcp.data = c;
    return c;
}

int caller_accept(struct callers *all, uv_stream_t *listener)
{
    struct caller *c = caller_new(all);
    int error = uv_tcp_init(all->loop, &c->tcp);
    assert(!error); /* it makes no socket yet */
    tick(all);
    c->want = conn_user.on_open(c->link);
    all->counters->accepted++;
    error = uv_accept(listener, (uv_stream_t *)&c->tcp);
    if (error) {
        end(c, false);
        return error;
    }
    settle(c);
    return 0;
}

/* A client that has taken nothing since the last look is gone. */
static void check_write(struct caller *c)
{
    if (c->look_ns > c->all->view.now_ns) {
        set_due(c->all, c->look_ns);
        return;
    }
    if (untaken(c) < c->left) {
        look_later(c);
        return;
    }
    c->all->counters->write_timeouts++;
    end(c, true);
}

static void check_deadline(struct caller *c)
{
    struct out out;
    if (c->link->deadline_ns > c->all->view.now_ns) {
        set_due(c->all, c->link->deadline_ns);
        return;
    }
    out_start(&out, c->all->out, sizeof c->all->out);
    c->link->deadline_ns = ENGINE_NEVER;
    c->want = conn_user.on_deadline(c->link, &out);
    send_out(c, &out);
    settle(c);
}

/* Closed ones leave the list in a later pass of the loop, so it can be walked through here. */
void callers_sweep(struct callers *all)
{
    tick(all);
    all->view.due_ns = ENGINE_NEVER;
    for (struct caller *c = all->all; c; c = c->next) {
        if (uv_is_closing((uv_handle_t *)&c->tcp))
            continue;
        if (c->writing)
            check_write(c);
        else
            check_deadline(c);
    }
}

void callers_finish(struct callers *all)
{
    tick(all);
    uint64_t soon_ns = all->view.now_ns + FINISH_IDLE_NS;
    all->site->finishing = true;
    all->site->idle_timeout_ns = FINISH_IDLE_NS;
    for (struct caller *c = all->all; c; c = c->next)
        if (conn_is_idle(c->link) && c->link->deadline_ns > soon_ns)
            link_deadline(c->link, soon_ns);
}

void callers_break(struct callers *all)
{
    for (struct caller *c = all->all; c; c = c->next)
        end(c, true);
}
