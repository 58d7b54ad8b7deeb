/* zerocopy: io_uring sends that leave bytes where they are. For real network cards and large
   bodies: over loopback the kernel copies all the same, later (PERFORMANCE.md). */
#ifndef HTTP_ZEROCOPY_H
#define HTTP_ZEROCOPY_H

#include <stdbool.h>
#include <stddef.h>

struct io_uring_sqe;
struct link;

/* Makes sqe send n bytes at p, uncopied if they are a body of at least zerocopy_least bytes. That
   is told of twice: that they were sent (with IORING_CQE_F_MORE), and that p is free again
   (IORING_CQE_F_NOTIF; io_uring_prep_send_zc(3)). */
void zerocopy_prep(struct io_uring_sqe *sqe, struct link *l, const char *p, size_t n, int flags);

/* l's send failed with this errno. True: because it was uncopied; none is from now on, and it can
   be repeated. */
bool zerocopy_refused(const struct link *l, int error);

#endif
