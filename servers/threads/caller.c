/* caller: one loop a thread: receive, let the connection layer answer, send all of it. The receive
   blocks without a timeout, which would be one more system call a request; when the deadline has
   passed, the roster's keeper says so and interrupts it. */
#include "threads/caller.h"

#include "http/transmit.h"
#include "threads/roster.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static void reset(struct caller *c)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

/* A send has waited for half a write timeout (SO_SNDTIMEO). Progress is what leaves the queue, not
   what enters it: the first time it is only looked at (tcp(7), SIOCOUTQ). */
static bool stalled(struct caller *c)
{
    int queued = 0, before = c->queued;
    if (ioctl(c->fd, SIOCOUTQ, &queued) != 0 || (before > 0 && queued >= before)) {
        c->counters.write_timeouts++;
        return true;
    }
    c->queued = queued;
    return false;
}

static bool send_bytes(struct caller *c, const char *p, size_t n, int flags)
{
    c->queued = 0;
    while (n > 0) {
        ssize_t sent = send(c->fd, p, n, MSG_NOSIGNAL | flags);
        if (sent < 0 && (errno == EINTR || (errno == EAGAIN && !stalled(c))))
            continue;
        if (sent < 0)
            return false;
        c->counters.bytes_out += (uint64_t)sent;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Time spent sending is added to the deadline. False: the client has gone or takes nothing. */
static bool send_out(struct caller *c, struct out *out)
{
    assert(out->tail.n == 0 || out->tail.p); /* there are no files */
    uint64_t since_ns = c->view.now_ns;
    c->sending = true;
    bool sent = send_bytes(c, out->p, out->n, out->tail.n > 0 ? MSG_MORE : 0) &&
                send_bytes(c, out->tail.p, out->tail.n, 0);
    c->view.now_ns = roster_now_ns();
    if (c->link->deadline_ns != ENGINE_NEVER)
        link_deadline(c->link, c->link->deadline_ns + c->view.now_ns - since_ns);
    c->sending = false;
    if (!sent)
        reset(c);
    segment_release(&out->tail);
    return sent;
}

/* Sends what an up-call left and goes on until bytes are wanted. False: the connection is over. */
static bool settle(struct caller *c, struct out *out, unsigned want)
{
    for (;;) {
        if (!send_out(c, out) || (want & WANT_CLOSE))
            return false;
        if ((want & WANT_SHUTDOWN) && !c->shut) {
            shutdown(c->fd, SHUT_WR);
            c->shut = true;
        }
        if (!(want & WANT_SENT))
            return true;
        out_start(out, c->out, sizeof c->out);
        want = conn_user.on_sent(c->link, out);
    }
}

/* Whether the deadline has passed. A request may have moved it since somebody saw it pass. */
static bool take_expired(struct caller *c)
{
    if (!__atomic_exchange_n(&c->expired, false, __ATOMIC_RELAXED) ||
        c->link->deadline_ns > roster_now_ns())
        return false;
    c->link->deadline_ns = ENGINE_NEVER;
    return true;
}

/* One up-call. False: the connection is over. */
static bool turn(struct caller *c)
{
    struct out out;
    bool expired = take_expired(c);
    ssize_t n = expired ? 0 : recv(c->fd, c->in, sizeof c->in, 0);
    if (n < 0)
        return errno == EINTR;
    c->view.now_ns = roster_now_ns();
    out_start(&out, c->out, sizeof c->out);
    c->counters.bytes_in += (uint64_t)n;
    if (expired)
        return settle(c, &out, conn_user.on_deadline(c->link, &out));
    if (n == 0)
        return settle(c, &out, conn_user.on_eof(c->link, &out));
    return settle(c, &out, conn_user.on_bytes(c->link, c->in, (size_t)n, &out));
}

static void *serve(void *arg)
{
    struct caller *c = arg;
    roster_enter(c);
    conn_user.on_open(c->link);
    while (turn(c)) {
    }
    conn_user.on_gone(c->link);
    roster_give(c);
    return NULL;
}

int caller_start(struct caller *c, size_t stack_size)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int error = pthread_attr_setstacksize(&attr, stack_size);
    if (!error)
        error = pthread_create(&thread, &attr, serve, c);
    pthread_attr_destroy(&attr);
    return error;
}
