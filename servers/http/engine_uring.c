/* engine_uring: completion. One accept and one receive a connection stay in the kernel and report
   again and again (multishot); bytes land in buffers that are lent to the kernel by a ring and go
   back after the up-call; what is to be sent is queued, and one system call a pass submits all and
   waits.

   Answers are written into shared blocks (blocks.h). Files go by sendfile (see transmit.c), with a
   poll in the ring when the socket is full. */
#include "http/engine_priv.h"

#include "http/blocks.h"
#include "http/transmit.h"
#include "http/turns.h"
#include "http/uring.h"
#include "http/zerocopy.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

/* In the low bits of an operation's user data; the rest is the link or the engine. */
enum op {
    OP_IGNORE,
    OP_RECEIVE,
    OP_SEND,
    OP_WRITABLE,
    OP_ACCEPT,
    OP_WAKE,
    OP_MASK = 7
};

struct uring_engine {
    struct engine base;
    struct uring u;
    struct blocks blocks; /* of answers on their way */
    unsigned accepts;     /* in the kernel */
};

static struct uring_engine *self(struct engine *e)
{
    return (struct uring_engine *)e;
}

static struct io_uring_sqe *op(struct engine *e)
{
    return uring_sqe(&self(e)->u);
}

static void watch_wake(struct engine *e)
{
    struct io_uring_sqe *sqe = op(e);
    io_uring_prep_poll_multishot(sqe, e->config.wake_fd, POLLIN);
    uring_name(sqe, e, OP_WAKE);
}

static int uring_open_engine(struct engine *e, struct err *err)
{
    struct uring_engine *s = self(e);
    if (uring_open(&s->u, err) != 0)
        return -1;
    blocks_init(&s->blocks);
    if (e->config.wake_fd >= 0)
        watch_wake(e);
    return 0;
}

static void uring_stop(struct engine *e)
{
    struct uring_engine *s = self(e);
    uring_close(&s->u);
    blocks_fini(&s->blocks);
}

static void accept_more(struct engine *e)
{
    struct io_uring_sqe *sqe = op(e);
    io_uring_prep_multishot_accept(sqe, e->config.listen_fd, NULL, NULL,
                                   SOCK_NONBLOCK | SOCK_CLOEXEC);
    uring_name(sqe, e, OP_ACCEPT);
    self(e)->accepts++;
}

static void uring_listen(struct engine *e, bool on)
{
    if (!on && self(e)->accepts > 0)
        uring_cancel(&self(e)->u, e, OP_ACCEPT);
    else if (on && self(e)->accepts == 0)
        accept_more(e);
}

static void uring_lend(struct engine *e, struct link *l, struct out *out)
{
    (void)l;
    *out = blocks_lend(&self(e)->blocks);
}

static void uring_unsend(struct engine *e, struct sending *s)
{
    blocks_release(&self(e)->blocks, s->memory);
}

static void receive_more(struct link *l)
{
    struct io_uring_sqe *sqe = op(l->engine);
    io_uring_prep_recv_multishot(sqe, l->fd, NULL, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_BUFFER_GROUP;
    uring_name(sqe, l, OP_RECEIVE);
    l->flags |= LINK_ARMED;
    l->inflight++;
}

/* Keeps a receive in the kernel exactly while bytes are wanted. */
static void adjust_receive(struct link *l)
{
    if (l->flags & (LINK_CLOSING | LINK_EOF | LINK_STOPPING))
        return;
    bool wanted = l->want & WANT_BYTES, armed = l->flags & LINK_ARMED;
    if (wanted && !armed) {
        receive_more(l);
    } else if (!wanted && armed) {
        l->flags |= LINK_STOPPING;
        uring_cancel(&self(l->engine)->u, l, OP_RECEIVE);
    }
}

static void send_memory(struct link *l, const char *p, size_t n, int flags)
{
    struct io_uring_sqe *sqe = op(l->engine);
    zerocopy_prep(sqe, l, p, n, flags);
    uring_name(sqe, l, OP_SEND);
    l->inflight++;
}

static void await_writable(struct link *l)
{
    struct io_uring_sqe *sqe = op(l->engine);
    io_uring_prep_poll_add(sqe, l->fd, POLLOUT);
    uring_name(sqe, l, OP_WRITABLE);
    l->inflight++;
}

static void all_sent(struct link *l);

/* Sends the next piece of l->sending, or finds that there is none. */
static void send_on(struct link *l)
{
    struct sending *s = l->sending;
    bool file = s->tail.n > 0 && !s->tail.p;
    if (!file && s->n > 0) {
        send_memory(l, s->p, s->n, s->tail.n > 0 ? MSG_MORE : 0);
    } else if (!file && s->tail.n > 0) {
        send_memory(l, s->tail.p, s->tail.n, 0);
    } else {
        enum io io = transmit(l, &s->p, &s->n, &s->tail);
        if (io == IO_AGAIN)
            await_writable(l);
        else if (io == IO_TURN)
            turns_add(l);
        else if (io == IO_BROKEN)
            link_reset(l);
        else
            all_sent(l);
    }
}

static void start_sending(struct link *l, struct out *out)
{
    struct sending *s = sending_start(l);
    s->p = out->p;
    s->n = out->n;
    s->tail = out->tail;
    s->memory = blocks_hold(&self(l->engine)->blocks, out->n);
    send_on(l);
}

static void uring_apply(struct link *l, struct out *out, unsigned want);

/* All has left: do what the connection wanted after that. */
static void settle(struct link *l)
{
    if (l->want & WANT_CLOSE) {
        link_close(l);
    } else if ((l->want & WANT_SHUTDOWN) && !(l->flags & LINK_SHUT)) {
        /* Not in the ring: there it runs in a kernel thread that looks the descriptor's number up
           later, when it may already be another connection's (io_uring/net.c: io_shutdown_prep). */
        shutdown(l->fd, SHUT_WR);
        l->flags |= LINK_SHUT;
    } else if (l->want & WANT_SENT) {
        struct out out;
        uring_lend(l->engine, l, &out);
        uring_apply(l, &out, l->engine->user->on_sent(l, &out));
    }
}

static void all_sent(struct link *l)
{
    sending_end(l);
    settle(l);
}

static void uring_apply(struct link *l, struct out *out, unsigned want)
{
    l->want = (uint8_t)want;
    if (l->sending)
        ; /* what is wanted now comes after that */
    else if (out->n > 0 || out->tail.n > 0 || out->tail.release)
        start_sending(l, out);
    else
        settle(l);
    adjust_receive(l);
}

/* The descriptor is closed at once, in the ring; the slot is free when the last operation has
 * ended. */
static void uring_drop(struct link *l)
{
    if (l->flags & LINK_ARMED)
        uring_cancel(&self(l->engine)->u, l, OP_RECEIVE);
    if (l->sending && l->inflight > 0) {
        uring_cancel(&self(l->engine)->u, l, OP_SEND);
        uring_cancel(&self(l->engine)->u, l, OP_WRITABLE);
    }
    struct io_uring_sqe *sqe = op(l->engine);
    io_uring_prep_close(sqe, l->fd);
    uring_name_quiet(sqe);
    l->fd = -1;
}

/* An up-call for bytes or their end. No room is lent while an answer is under way. */
static void deliver(struct link *l, char *p, int n)
{
    struct engine *e = l->engine;
    struct out out = {0};
    unsigned want;
    if (!l->sending)
        uring_lend(e, l, &out);
    if (n > 0) {
        *e->config.bytes_in += (uint64_t)n;
        want = e->user->on_bytes(l, p, (size_t)n, &out);
    } else {
        l->flags |= LINK_EOF;
        want = e->user->on_eof(l, &out);
    }
    uring_apply(l, &out, want);
}

static void on_received(struct link *l, const struct io_uring_cqe *cqe)
{
    struct uring *u = &self(l->engine)->u;
    if (!(cqe->flags & IORING_CQE_F_MORE)) {
        l->inflight--;
        l->flags &= (uint8_t) ~(LINK_ARMED | LINK_STOPPING);
    }
    if (!(l->flags & LINK_CLOSING)) {
        if (cqe->res > 0)
            deliver(l, uring_buffer(u, cqe), cqe->res);
        else if (cqe->res == 0)
            deliver(l, NULL, 0);
        else if (cqe->res == -ENOBUFS || cqe->res == -ECANCELED || cqe->res == -EINTR)
            adjust_receive(l);
        else
            link_close(l);
    }
    if (cqe->flags & IORING_CQE_F_BUFFER)
        uring_give_back(u, cqe);
}

static void on_memory_free(struct link *l)
{
    l->inflight--;
    if (l->flags & LINK_CLOSING)
        return;
    l->sending->lent--;
    if (l->sending->n == 0 && l->sending->tail.n == 0 && l->sending->lent == 0)
        all_sent(l);
    adjust_receive(l);
}

static void on_send(struct link *l, const struct io_uring_cqe *cqe)
{
    struct sending *s = l->sending;
    int result = cqe->res;
    bool lent = cqe->flags & IORING_CQE_F_MORE;
    if (!lent)
        l->inflight--;
    if (l->flags & LINK_CLOSING)
        return;
    s->lent += lent;
    if (result < 0 && zerocopy_refused(l, -result))
        result = 0;
    if (result < 0) {
        link_close(l);
        return;
    }
    *l->engine->config.bytes_out += (uint64_t)result;
    if (s->n > 0) {
        s->p += result;
        s->n -= (size_t)result;
    } else {
        s->tail.p += result;
        s->tail.n -= (size_t)result;
    }
    if (s->n == 0 && s->tail.n == 0 && s->lent == 0) {
        all_sent(l);
    } else if (s->n > 0 || s->tail.n > 0) {
        sending_progress(l);
        send_on(l);
    }
    adjust_receive(l);
}

static void on_writable(struct link *l, int result)
{
    l->inflight--;
    if (l->flags & LINK_CLOSING)
        return;
    if (result < 0) {
        link_close(l);
        return;
    }
    sending_progress(l);
    send_on(l);
    adjust_receive(l);
}

/* There is a turn only after a share has been taken whole. */
static void uring_turn(struct link *l)
{
    sending_progress(l);
    send_on(l);
    adjust_receive(l);
}

static void on_accept(struct engine *e, const struct io_uring_cqe *cqe)
{
    struct uring_engine *s = self(e);
    if (!(cqe->flags & IORING_CQE_F_MORE))
        s->accepts--;
    if (cqe->res >= 0) {
        adjust_receive(link_open(e, cqe->res));
        engine_full(e); /* those that were accepted in the meantime are let in */
    } else if (cqe->res != -ECANCELED) {
        engine_accept_failed(e, -cqe->res);
    }
    if (s->accepts == 0 && e->listening)
        accept_more(e);
}

static void on_completion(struct engine *e, const struct io_uring_cqe *cqe)
{
    void *whose = (void *)(uintptr_t)(cqe->user_data & ~(uint64_t)OP_MASK); // NOLINT: ours, tagged
    switch ((enum op)(cqe->user_data & OP_MASK)) {
    case OP_RECEIVE: on_received(whose, cqe); break;
    case OP_SEND:
        if (cqe->flags & IORING_CQE_F_NOTIF)
            on_memory_free(whose);
        else
            on_send(whose, cqe);
        break;
    case OP_WRITABLE: on_writable(whose, cqe->res); break;
    case OP_ACCEPT: on_accept(e, cqe); break;
    case OP_WAKE:
        e->user->on_wake(e);
        if (!(cqe->flags & IORING_CQE_F_MORE))
            watch_wake(e);
        break;
    case OP_IGNORE:
    case OP_MASK: break;
    }
}

static void uring_pass(struct engine *e, int timeout_ms)
{
    struct uring_engine *s = self(e);
    uring_wait(&s->u, timeout_ms);
    engine_tick(e);
    unsigned head, count = 0;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&s->u.ring, head, cqe)
    {
        on_completion(e, cqe);
        count++;
    }
    io_uring_cq_advance(&s->u.ring, count);
}

const struct engine_ops engine_uring = {
    .name = "uring",
    .size = sizeof(struct uring_engine),
    .open = uring_open_engine,
    .close = uring_stop,
    .pass = uring_pass,
    .lend = uring_lend,
    .apply = uring_apply,
    .turn = uring_turn,
    .listen = uring_listen,
    .drop = uring_drop,
    .unsend = uring_unsend,
};
