/* zerocopy: see zerocopy.h. */
#include "http/zerocopy.h"

#include "http/engine_priv.h"
#include "http/err.h"

#include <errno.h>
#include <liburing.h>
#include <string.h>
#include <sys/socket.h>

void zerocopy_prep(struct io_uring_sqe *sqe, struct link *l, const char *p, size_t n, int flags)
{
    uint64_t least = l->engine->config.zerocopy_least;
    l->sending->uncopied = least && n >= least && p == l->sending->tail.p;
    if (l->sending->uncopied)
        io_uring_prep_send_zc(sqe, l->fd, p, n, MSG_NOSIGNAL | flags, 0);
    else
        io_uring_prep_send(sqe, l->fd, p, n, MSG_NOSIGNAL | flags);
}

/* Memory can't be pinned (ulimit -l), or not be sent from by this kind of socket or this kernel. */
bool zerocopy_refused(const struct link *l, int error)
{
    uint64_t *least = &l->engine->config.zerocopy_least;
    if (!l->sending->uncopied ||
        (error != ENOBUFS && error != ENOMEM && error != EOPNOTSUPP && error != EINVAL))
        return false;
    if (*least)
        log_line("--zerocopy is given up: %s", strerror(error));
    *least = 0;
    return true;
}
