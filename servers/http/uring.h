/* uring: a ring set up for the engine, and its receive buffers. Nothing in here knows a link. */
#ifndef HTTP_URING_H
#define HTTP_URING_H

#include <liburing.h>

struct err;

#define URING_BUFFER_GROUP 0

struct uring {
    struct io_uring ring;
    struct io_uring_buf_ring *buffers;
    char *memory; /* of all buffers */
};

/* Opens a ring and proves that it can do what the engine needs. -1 with err set, naming the errno
   and what it means here. */
int uring_open(struct uring *u, struct err *err);
void uring_close(struct uring *u);

/* A free submission entry; submits what is queued when there is none. */
struct io_uring_sqe *uring_sqe(struct uring *u) __attribute__((returns_nonnull));

/* What completions of an operation carry: whose it is and, in the pointer's low bits, what. Quiet
   ones carry nothing, and success of theirs isn't told. */
void uring_name(struct io_uring_sqe *sqe, const void *whose, unsigned what);
void uring_name_quiet(struct io_uring_sqe *sqe);

/* Ends the operations that were named so. */
void uring_cancel(struct uring *u, const void *whose, unsigned what);

/* Submits, and waits for a completion or timeout_ms (-1: no limit). */
void uring_wait(struct uring *u, int timeout_ms);

/* The buffer that a receive has filled, and its way back to the kernel. */
char *uring_buffer(const struct uring *u, const struct io_uring_cqe *cqe);
void uring_give_back(struct uring *u, const struct io_uring_cqe *cqe);

#endif
