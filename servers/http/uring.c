/* uring: the ring's set-up. Needs Linux 6.0 (multishot receive into a ring of buffers); takes
   deferred task work (6.1), which runs completions only while we wait, where it is to be had. */
#include "http/uring.h"

#include "http/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define ENTRIES     4096
#define COMPLETIONS (4 * ENTRIES)
#define BUFFERS     256 /* a power of two */
#define BUFFER_BYTES                                                                               \
    4160 /* an odd number of cache lines: starts spread over all sets of a cache                   \
          */

static const char *meaning(int error)
{
    switch (error) {
    case EPERM: return "not permitted: kernel.io_uring_disabled, or a seccomp filter (containers)";
    case ENOSYS: return "this kernel has none";
    case ENOMEM: return "too little locked memory: raise ulimit -l";
    case EOPNOTSUPP: return "switched off on this machine";
    case EINVAL: return "this kernel is too old: 6.0 is needed";
    case EMFILE: return "no descriptor left: raise ulimit -n";
    default: return strerror(error);
    }
}

static int refuse(struct err *err, const char *step, int error)
{
    return err_set(err, "engine uring can't run: %s: %s (%s)", step, strerrorname_np(error),
                   meaning(error));
}

static int open_ring(struct io_uring *ring)
{
    static const unsigned wishes[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
                                      IORING_SETUP_COOP_TASKRUN, 0};
    int error = 0;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        struct io_uring_params p = {.flags = wishes[i] | IORING_SETUP_CQSIZE,
                                    .cq_entries = COMPLETIONS};
        error = -io_uring_queue_init_params(ENTRIES, ring, &p);
        if (error != EINVAL)
            break;
    }
    return error;
}

static size_t buffers_size(void)
{
    return BUFFERS * sizeof(struct io_uring_buf);
}

static int open_buffers(struct uring *u)
{
    u->buffers =
        mmap(NULL, buffers_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (u->buffers == MAP_FAILED)
        return ENOMEM;
    struct io_uring_buf_reg reg = {.ring_addr = (uint64_t)(uintptr_t)u->buffers,
                                   .ring_entries = BUFFERS,
                                   .bgid = URING_BUFFER_GROUP};
    int error = -io_uring_register_buf_ring(&u->ring, &reg, 0);
    if (error)
        return error;
    u->memory = mem_get((size_t)BUFFERS * BUFFER_BYTES);
    io_uring_buf_ring_init(u->buffers);
    for (int i = 0; i < BUFFERS; i++)
        io_uring_buf_ring_add(u->buffers, u->memory + (size_t)i * BUFFER_BYTES, BUFFER_BYTES,
                              (unsigned short)i, io_uring_buf_ring_mask(BUFFERS), i);
    io_uring_buf_ring_advance(u->buffers, BUFFERS);
    return 0;
}

/* A multishot receive on a socket of our own: 0, or the errno with which it fails. */
static int try_receive(struct uring *u)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    struct io_uring_sqe *sqe = uring_sqe(u);
    io_uring_prep_recv_multishot(sqe, pair[0], NULL, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_BUFFER_GROUP;
    if (shutdown(pair[1], SHUT_WR) != 0)
        return errno;
    struct io_uring_cqe *cqe;
    int error = -io_uring_submit_and_wait(&u->ring, 1);
    if (error <= 0)
        error = -io_uring_wait_cqe(&u->ring, &cqe);
    if (error == 0) {
        error = cqe->res < 0 ? -cqe->res : 0;
        io_uring_cqe_seen(&u->ring, cqe);
    }
    close(pair[0]);
    close(pair[1]);
    return error;
}

int uring_open(struct uring *u, struct err *err)
{
    int error = open_ring(&u->ring);
    if (error)
        return refuse(err, "io_uring_setup", error);
    const char *step = "register receive buffers";
    error = open_buffers(u);
    if (!error) {
        step = "multishot receive";
        error = try_receive(u);
    }
    if (!error) {
        io_uring_register_ring_fd(&u->ring); /* saves a look-up a call; fine without */
        return 0;
    }
    uring_close(u);
    return refuse(err, step, error);
}

void uring_close(struct uring *u)
{
    io_uring_queue_exit(&u->ring);
    if (u->buffers && u->buffers != MAP_FAILED)
        munmap(u->buffers, buffers_size());
    free(u->memory);
}

struct io_uring_sqe *uring_sqe(struct uring *u)
{
    struct io_uring_sqe *sqe;
    while (!(sqe = io_uring_get_sqe(&u->ring)))
        io_uring_submit(&u->ring);
    return sqe;
}

void uring_name(struct io_uring_sqe *sqe, const void *whose, unsigned what)
{
    io_uring_sqe_set_data64(sqe, (uint64_t)(uintptr_t)whose | what);
}

void uring_name_quiet(struct io_uring_sqe *sqe)
{
    io_uring_sqe_set_data64(sqe, 0);
    sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
}

void uring_cancel(struct uring *u, const void *whose, unsigned what)
{
    struct io_uring_sqe *sqe = uring_sqe(u);
    io_uring_prep_cancel64(sqe, (uint64_t)(uintptr_t)whose | what, IORING_ASYNC_CANCEL_ALL);
    uring_name_quiet(sqe);
}

void uring_wait(struct uring *u, int timeout_ms)
{
    struct io_uring_cqe *cqe;
    struct __kernel_timespec limit = {.tv_sec = timeout_ms / 1000,
                                      .tv_nsec = (timeout_ms % 1000) * 1000000LL};
    if (timeout_ms < 0)
        io_uring_submit_and_wait(&u->ring, 1);
    else if (timeout_ms == 0)
        io_uring_submit_and_get_events(&u->ring); /* arms no timer */
    else
        io_uring_submit_and_wait_timeout(&u->ring, &cqe, 1, &limit, NULL);
}

static unsigned short buffer_id(const struct io_uring_cqe *cqe)
{
    return (unsigned short)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
}

char *uring_buffer(const struct uring *u, const struct io_uring_cqe *cqe)
{
    return u->memory + (size_t)buffer_id(cqe) * BUFFER_BYTES;
}

void uring_give_back(struct uring *u, const struct io_uring_cqe *cqe)
{
    io_uring_buf_ring_add(u->buffers, uring_buffer(u, cqe), BUFFER_BYTES, buffer_id(cqe),
                          io_uring_buf_ring_mask(BUFFERS), 0);
    io_uring_buf_ring_advance(u->buffers, 1);
}
