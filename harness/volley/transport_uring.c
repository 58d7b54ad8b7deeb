/* transport_uring: completions. Each connection has one multishot receive that fills buffers from a
   ring shared by all; sends are queued and go out together. The kernel does its part within our own
   system calls (IORING_SETUP_DEFER_TASKRUN, io_uring_setup(2)), so the thread's CPU clock has all
   of it. */
#include "volley/transport.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RING_SIZE = 256, /* submissions; completions: see ring_new */
    BUFFERS_MAX = 4096,
    BUFFER_SIZE = 4096,
    SKIP_MIN = 65536, /* fewer bytes are not worth a change of how to receive */
    SKIP_MAX = 1 << 30,
    INLINE_MAX = 4096 /* a send buffer has room for so many bytes: no need to be told */
};

enum kind {
    CONNECT = 1,
    RECEIVE,
    SKIP,
    SEND,
    CANCEL
};

struct slot {
    int fd; /* -1: closed */
    uint32_t generation;
    bool receiving;  /* an operation holds the socket open */
    bool bulk;       /* had an answer that is cheaper to skip than to receive: no multishot */
    bool cancelling; /* its multishot receive is being ended */
    size_t skip;     /* bytes that the owner need not see */
};

struct uring {
    struct transport base;
    struct io_uring ring;
    unsigned slots;
    struct slot *slot;
    struct sockaddr_storage *to; /* of each slot: io_uring reads it when it starts to connect */
    unsigned unsubmitted;        /* operations that the kernel has not seen yet */
    bool told_of_sends;
    bool fixed; /* slots are registered files too: saves a reference count an operation */
    struct io_uring_buf_ring *buffers;
    unsigned buffer_count;
    char *memory;
};

static struct uring *uring_of(struct transport *t)
{
    return (struct uring *)t;
}

static uint64_t tag(enum kind kind, const struct slot *s, unsigned slot)
{
    return (uint64_t)kind << 56 | (uint64_t)(s->generation & 0xffffff) << 32 | slot;
}

static void submit(struct uring *u)
{
    uint64_t begin_ns = clock_ns();
    unsigned sends = u->base.queued;
    io_uring_submit(&u->ring);
    u->unsubmitted = u->base.queued = 0;
    if (sends)
        u->base.events->on_batch(u->base.owner, begin_ns, clock_ns());
}

static struct io_uring_sqe *next_sqe(struct uring *u)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);
    if (!sqe) {
        submit(u);
        sqe = io_uring_get_sqe(&u->ring);
    }
    assert(sqe);
    u->unsubmitted++;
    return sqe;
}

static unsigned power_of_two(unsigned at_least, unsigned low, unsigned high)
{
    unsigned n = low;
    while (n < at_least && n < high)
        n *= 2;
    return n;
}

static int ring_new(struct io_uring *ring, unsigned slots)
{
    struct io_uring_params p = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE |
                 IORING_SETUP_SUBMIT_ALL,
        .cq_entries = power_of_two(slots * 4, 1024, 32768),
    };
    return io_uring_queue_init_params(RING_SIZE, ring, &p);
}

static size_t buffer_ring_size(const struct uring *u)
{
    return u->buffer_count * sizeof(struct io_uring_buf);
}

static char *buffer(const struct uring *u, unsigned id)
{
    return u->memory + (size_t)id * BUFFER_SIZE;
}

static int buffers_new(struct uring *u)
{
    u->buffer_count = power_of_two(u->slots, 64, BUFFERS_MAX);
    u->memory = xcalloc(u->buffer_count, BUFFER_SIZE);
    u->buffers = aligned_alloc(4096, (buffer_ring_size(u) + 4095) & ~(size_t)4095);
    if (!u->buffers)
        return -ENOMEM;
    struct io_uring_buf_reg reg = {
        .ring_addr = (uintptr_t)u->buffers, .ring_entries = u->buffer_count, .bgid = 0};
    int rc = io_uring_register_buf_ring(&u->ring, &reg, 0);
    if (rc < 0)
        return rc;
    io_uring_buf_ring_init(u->buffers);
    int mask = io_uring_buf_ring_mask(u->buffer_count);
    for (unsigned i = 0; i < u->buffer_count; i++)
        io_uring_buf_ring_add(u->buffers, buffer(u, i), BUFFER_SIZE, (unsigned short)i, mask,
                              (int)i);
    io_uring_buf_ring_advance(u->buffers, (int)u->buffer_count);
    return 0;
}

/* Points an operation at the slot's socket. */
static void aim(const struct uring *u, struct io_uring_sqe *sqe, unsigned slot)
{
    sqe->fd = u->fixed ? (int)slot : u->slot[slot].fd;
    if (u->fixed)
        sqe->flags |= IOSQE_FIXED_FILE;
}

static void set_file(struct uring *u, unsigned slot, int fd)
{
    if (u->fixed) {
        int rc = io_uring_register_files_update(&u->ring, slot, &fd, 1);
        assert(rc == 1);
    }
}

static void uring_close(struct transport *t, unsigned slot)
{
    struct uring *u = uring_of(t);
    struct slot *s = &u->slot[slot];
    if (s->fd < 0)
        return;
    /* Queued operations name the descriptor or the slot by number: the kernel must look them up
       before they mean something else. */
    if (u->unsubmitted)
        submit(u);
    set_file(u, slot, -1);
    /* A pending receive holds the socket open beyond close(2): ending the stream ends the receive.
     */
    if (s->receiving)
        shutdown(s->fd, SHUT_RDWR);
    close(s->fd);
    s->fd = -1;
    s->generation++;
    s->receiving = false;
}

static void uring_free(struct transport *t)
{
    struct uring *u = uring_of(t);
    for (unsigned i = 0; i < u->slots; i++)
        uring_close(t, i);
    io_uring_queue_exit(&u->ring);
    free(u->buffers);
    free(u->memory);
    free(u->slot);
    free(u->to);
    free(u);
}

static struct transport *uring_new(const struct transport_setup *setup, struct err *e)
{
    struct uring *u = xcalloc(1, sizeof *u);
    u->base =
        (struct transport){.ops = &transport_uring, .events = setup->events, .owner = setup->owner};
    int rc = ring_new(&u->ring, setup->slots);
    if (rc < 0) {
        err_set(e, EXIT_MACHINE, "cannot make an io_uring: %s; use --engine epoll", strerror(-rc));
        free(u);
        return NULL;
    }
    u->slots = setup->slots;
    u->told_of_sends = setup->in_flight_max > INLINE_MAX;
    u->slot = xcalloc(setup->slots, sizeof *u->slot);
    u->to = xcalloc(setup->slots, sizeof *u->to);
    for (unsigned i = 0; i < setup->slots; i++)
        u->slot[i].fd = -1;
    u->fixed = !setup->short_lived && io_uring_register_files_sparse(&u->ring, setup->slots) == 0;
    io_uring_register_ring_fd(&u->ring); /* saves a look-up a call; failing costs nothing else */
    rc = buffers_new(u);
    if (rc < 0) {
        err_set(e, EXIT_MACHINE, "cannot register receive buffers: %s; use --engine epoll",
                strerror(-rc));
        uring_free(&u->base);
        return NULL;
    }
    return &u->base;
}

static int uring_open(struct transport *t, unsigned slot, int fd, const struct sockaddr *to,
                      socklen_t len)
{
    struct uring *u = uring_of(t);
    struct slot *s = &u->slot[slot];
    assert(s->fd < 0 && len <= sizeof *u->to);
    s->fd = fd;
    memcpy(&u->to[slot], to, len);
    set_file(u, slot, fd);
    struct io_uring_sqe *sqe = next_sqe(u);
    io_uring_prep_connect(sqe, fd, (struct sockaddr *)&u->to[slot], len);
    aim(u, sqe, slot);
    sqe->user_data = tag(CONNECT, s, slot);
    s->receiving = true; /* the connect holds the socket as a receive does */
    s->bulk = s->cancelling = false;
    s->skip = 0;
    return 0;
}

/* Receives: into buffers, again and again; for bulk once; or drops what need not be seen, without
   copying (MSG_TRUNC, tcp(7)). */
static void receive(struct uring *u, unsigned slot)
{
    struct slot *s = &u->slot[slot];
    struct io_uring_sqe *sqe = next_sqe(u);
    if (s->skip) {
        size_t n = s->skip < SKIP_MAX ? s->skip : SKIP_MAX;
        io_uring_prep_recv(sqe, s->fd, NULL, n, MSG_TRUNC);
    } else {
        if (s->bulk)
            io_uring_prep_recv(sqe, s->fd, NULL, BUFFER_SIZE, 0);
        else
            io_uring_prep_recv_multishot(sqe, s->fd, NULL, 0, 0);
        sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
        sqe->flags |= IOSQE_BUFFER_SELECT;
        sqe->buf_group = 0;
    }
    aim(u, sqe, slot);
    sqe->user_data = tag(s->skip ? SKIP : RECEIVE, s, slot);
    s->receiving = true;
    s->cancelling = false;
}

/* After bytes came: goes on receiving, in the way that fits what follows. */
static void go_on(struct uring *u, unsigned slot, size_t skip)
{
    struct slot *s = &u->slot[slot];
    s->skip = skip >= SKIP_MIN || (skip && s->bulk) ? skip : 0;
    s->bulk |= s->skip > 0;
    if (!s->receiving) {
        receive(u, slot);
    } else if (s->bulk && !s->cancelling) {
        struct io_uring_sqe *sqe = next_sqe(u);
        io_uring_prep_cancel64(sqe, tag(RECEIVE, s, slot), 0);
        sqe->user_data = tag(CANCEL, s, slot);
        s->cancelling = true;
    }
}

static enum transport_send uring_send(struct transport *t, unsigned slot, const char *p, size_t n)
{
    struct uring *u = uring_of(t);
    struct slot *s = &u->slot[slot];
    struct io_uring_sqe *sqe = next_sqe(u);
    /* MSG_WAITALL: the kernel itself goes on after a short send (io_uring_prep_send(3)). */
    io_uring_prep_send(sqe, s->fd, p, n, MSG_NOSIGNAL | MSG_WAITALL);
    aim(u, sqe, slot);
    sqe->user_data = tag(SEND, s, slot);
    if (!u->told_of_sends)
        sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    if (++u->base.queued >= TRANSPORT_BATCH)
        submit(u);
    return u->told_of_sends ? TRANSPORT_PENDING : TRANSPORT_SENT;
}

static void give_back(struct uring *u, unsigned id)
{
    io_uring_buf_ring_add(u->buffers, buffer(u, id), BUFFER_SIZE, (unsigned short)id,
                          io_uring_buf_ring_mask(u->buffer_count), 0);
    io_uring_buf_ring_advance(u->buffers, 1);
}

static void received(struct uring *u, unsigned slot, const struct io_uring_cqe *cqe, bool skipped)
{
    struct slot *s = &u->slot[slot];
    const struct transport_events *events = u->base.events;
    uint32_t generation = s->generation;
    size_t n = cqe->res > 0 ? (size_t)cqe->res : 0, skip = s->skip;
    if (!(cqe->flags & IORING_CQE_F_MORE))
        s->receiving = false;
    if (n && skipped) {
        skip = events->on_skipped(u->base.owner, slot, n);
    } else if (n) {
        const char *p = buffer(u, cqe->flags >> IORING_CQE_BUFFER_SHIFT);
        skip = events->on_data(u->base.owner, slot, p, n);
    } else if (cqe->res != -ENOBUFS && !(cqe->res == -ECANCELED && s->cancelling)) {
        events->on_end(u->base.owner, slot, -cqe->res, 'r');
    }
    if (s->fd >= 0 && s->generation == generation)
        go_on(u, slot, skip);
}

static void handle(struct uring *u, const struct io_uring_cqe *cqe)
{
    unsigned slot = (unsigned)(cqe->user_data & UINT32_MAX);
    enum kind kind = (enum kind)(cqe->user_data >> 56);
    struct slot *s = &u->slot[slot];
    bool current = s->fd >= 0 && tag(kind, s, slot) == cqe->user_data;
    if (current && kind == CONNECT) {
        s->receiving = false;
        if (cqe->res < 0)
            u->base.events->on_end(u->base.owner, slot, -cqe->res, 'c');
        else {
            receive(u, slot);
            u->base.events->on_open(u->base.owner, slot);
        }
    } else if (current && (kind == RECEIVE || kind == SKIP)) {
        received(u, slot, cqe, kind == SKIP);
    } else if (current && kind == SEND) {
        if (cqe->res < 0)
            u->base.events->on_end(u->base.owner, slot, -cqe->res, 'w');
        else
            u->base.events->on_sent(u->base.owner, slot);
    }
    if (kind == RECEIVE && cqe->flags & IORING_CQE_F_BUFFER)
        give_back(u, cqe->flags >> IORING_CQE_BUFFER_SHIFT);
}

static void uring_wait(struct transport *t, uint64_t timeout_ns)
{
    struct uring *u = uring_of(t);
    struct io_uring_cqe *cqe;
    struct __kernel_timespec limit = {.tv_sec = (long long)(timeout_ns / 1000000000u),
                                      .tv_nsec = (long long)(timeout_ns % 1000000000u)};
    int rc = io_uring_submit_and_wait_timeout(&u->ring, &cqe, 1, &limit, NULL);
    assert(rc >= 0 || rc == -ETIME || rc == -EINTR || rc == -EAGAIN || rc == -EBUSY);
    u->unsubmitted = u->base.queued = 0;
    t->now_ns = clock_ns();
    unsigned head, n = 0;
    /* The queue's end as it is now: what the handlers' own submissions complete waits for the next
     * stamp. */
    unsigned ready = io_uring_cq_ready(&u->ring);
    io_uring_for_each_cqe(&u->ring, head, cqe)
    {
        if (n == ready)
            break;
        struct io_uring_cqe copy = *cqe;
        n++;
        handle(u, &copy);
    }
    io_uring_cq_advance(&u->ring, n);
}

int transport_uring_works(void)
{
    struct io_uring ring;
    if (ring_new(&ring, 1) < 0)
        return 0;
    io_uring_queue_exit(&ring);
    return 1;
}

const struct transport_ops transport_uring = {
    .name = "uring",
    .new = uring_new,
    .free = uring_free,
    .open = uring_open,
    .send = uring_send,
    .close = uring_close,
    .wait = uring_wait,
};
