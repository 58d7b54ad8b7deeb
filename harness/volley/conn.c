/* conn: a connection's life: opened, given requests, ended, reopened after pauses that double,
   given up after a bound. Called by the loop (worker.c) and by what comes back (reader.c). Reads no
   answers. */
#include "volley/worker_priv.h"

#include "base/clock.h"
#include "volley/flags.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

static struct lane *lane_of(struct worker *w, const struct conn *c)
{
    return &w->lanes[c->lane];
}

static void set_state(struct worker *w, struct conn *c, enum conn_state state)
{
    struct lane *lane = lane_of(w, c);
    bool was = c->state == CONN_OPEN || c->state == CONN_ENDING;
    bool is = state == CONN_OPEN || state == CONN_ENDING;
    lane->open += (unsigned)is - (unsigned)was;
    if (lane->open > lane->open_max)
        lane->open_max = lane->open;
    w->retrying += (unsigned)(state == CONN_RETRY) - (unsigned)(c->state == CONN_RETRY);
    lane->dead += (unsigned)(state == CONN_DEAD) - (unsigned)(c->state == CONN_DEAD);
    c->state = (unsigned char)state;
}

/* A socket, bound to the next source address if there are some. Returns -1 with errno set. */
static int make_socket(struct worker *w, const struct lane *lane)
{
    int family = lane->target->address.ss_family, one = 1;
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    /* The default may be one that paces what is sent (BBR): that costs CPU and delays requests.
       Reno is always there (tcp(7)); where it isn't allowed, the default does. */
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
    if (!w->plan->source_count)
        return fd;
    const struct sockaddr_storage *from =
        &w->plan->sources[w->next_source++ % w->plan->source_count];
    socklen_t len =
        from->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    /* The port is chosen when the peer is known: a port serves many peers (ip(7)). */
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (bind(fd, (const struct sockaddr *)from, len) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

void conn_connect(struct worker *w, unsigned slot)
{
    struct conn *c = &w->conn[slot];
    struct lane *lane = lane_of(w, c);
    int fd = make_socket(w, lane);
    int error = fd < 0 ? errno : 0;
    c->failures++; /* until an answer proves otherwise */
    if (!error) {
        c->since_ns = w->transport->now_ns;
        set_state(w, c, CONN_CONNECTING);
        error = w->transport->ops->open(w->transport, slot, fd,
                                        (const struct sockaddr *)&lane->target->address,
                                        lane->target->address_len);
    }
    if (error) {
        lane->tally.connect_error = error;
        conn_fail(w, slot, ERROR_CONNECT);
    }
}

void conn_flush(struct worker *w, unsigned slot)
{
    struct conn *c = &w->conn[slot];
    size_t n = c->unsent;
    if (!n || c->sending)
        return;
    c->unsent = 0; /* whole requests, at most depth of them: the target's buffer has as many */
    switch (w->transport->ops->send(w->transport, slot, lane_of(w, c)->target->request, n)) {
    case TRANSPORT_SENT: break;
    case TRANSPORT_PENDING: c->sending = true; break;
    case TRANSPORT_FAILED:
        conn_fail(w, slot,
                  w->transport->error == EPIPE || w->transport->error == ECONNRESET ? ERROR_RESET
                                                                                    : ERROR_WRITE);
        break;
    }
}

void conn_begin(struct worker *w, unsigned slot, unsigned n, uint64_t stamp_ns)
{
    struct conn *c = &w->conn[slot];
    struct lane *lane = lane_of(w, c);
    uint64_t *stamps = w->stamps + (size_t)slot * w->depth;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = c->oldest + c->outstanding + i; /* < 2 * depth */
        stamps[at < w->depth ? at : at - w->depth] = stamp_ns;
    }
    if (!c->outstanding)
        c->since_ns = w->transport->now_ns;
    c->outstanding += n;
    lane->outstanding += n;
    lane->quota -= n;
    lane->tally.requests += n;
    c->unsent += n * lane->target->request_len;
    if (c->state == CONN_OPEN)
        conn_flush(w, slot);
    else
        conn_connect(w, slot);
}

bool conn_can_take(const struct worker *w, const struct conn *c)
{
    return c->state == CONN_OPEN ? c->outstanding < w->depth
                                 : c->state == CONN_CLOSED && w->plan->options->close;
}

bool conn_may_begin(const struct worker *w, const struct lane *lane, uint64_t now_ns)
{
    return lane == w->active && now_ns < w->end_ns && lane->quota;
}

/* When the slot's next send is made, for closed loops. Sends that are queued go out together, one
   after the other. A full batch is stamped by conn_on_batch. The rest, that goes out with the next
   wait, keeps the time when the first of it was queued: too early by what the sends before it take,
   at most 15 times some 2 us. */
static uint64_t send_stamp(struct worker *w, unsigned slot)
{
    if (!w->transport->queued) {
        w->stamp_ns = clock_ns();
        w->batch_count = 0;
    }
    if (w->conn[slot].state == CONN_OPEN && !w->conn[slot].sending &&
        w->batch_count < TRANSPORT_BATCH)
        w->batch[w->batch_count++] = slot;
    return w->stamp_ns;
}

/* Where requests are pipelined, stamps are many a slot and keep the time of their queueing. */
void conn_on_batch(void *owner, uint64_t begin_ns, uint64_t end_ns)
{
    struct worker *w = owner;
    for (unsigned i = 0; w->depth == 1 && i < w->batch_count; i++)
        w->stamps[w->batch[i]] = begin_ns + (end_ns - begin_ns) * i / w->batch_count;
    w->batch_count = 0;
}

void conn_ready(struct worker *w, unsigned slot)
{
    struct conn *c = &w->conn[slot];
    struct lane *lane = lane_of(w, c);
    if (!conn_may_begin(w, lane, w->transport->now_ns) || !conn_can_take(w, c))
        return;
    if (w->plan->options->rate > 0) {
        if (!c->waiting) {
            c->waiting = true;
            lane->idle[(lane->idle_head + lane->idle_count++) % lane->count] = slot;
        }
        return;
    }
    unsigned room = w->depth - c->outstanding;
    conn_begin(w, slot, lane->quota < room ? (unsigned)lane->quota : room, send_stamp(w, slot));
}

/* Forgets the socket and everything that was under way on it. */
static void drop(struct worker *w, struct conn *c, unsigned slot)
{
    w->transport->ops->close(w->transport, slot);
    lane_of(w, c)->outstanding -= c->outstanding;
    c->outstanding = 0;
    c->oldest = 0;
    c->unsent = 0;
    c->held_len = 0;
    c->sending = c->mid_answer = false;
}

/* Makes the next connection: at once, or after a pause if this one failed without a single answer.
 */
static void reopen(struct worker *w, struct conn *c, unsigned slot)
{
    c->since_ns = w->transport->now_ns;
    if (*w->plan->stop) {
        set_state(w, c, CONN_CLOSED); /* nobody needs it any more */
    } else if (c->failures > CONN_FAILURES_MAX) {
        set_state(w, c, CONN_DEAD);
    } else if (c->failures) {
        unsigned ms = c->failures > 10 ? CONN_RETRY_MAX_MS : 1u << (c->failures - 1);
        c->retry_at_ns = w->transport->now_ns + ms * UINT64_C(1000000);
        set_state(w, c, CONN_RETRY);
    } else {
        set_state(w, c, CONN_CLOSED);
        if (w->plan->options->close)
            conn_ready(w, slot);
        else
            conn_connect(w, slot);
    }
}

void conn_fail(struct worker *w, unsigned slot, enum error_kind kind)
{
    struct conn *c = &w->conn[slot];
    struct lane *lane = lane_of(w, c);
    lane->tally.failed += c->outstanding;
    lane->tally.errors[kind] += c->outstanding ? c->outstanding : 1;
    drop(w, c, slot);
    reopen(w, c, slot);
}

void conn_end(struct worker *w, unsigned slot)
{
    struct conn *c = &w->conn[slot];
    assert(!c->outstanding);
    drop(w, c, slot);
    reopen(w, c, slot);
}

void conn_on_open(void *owner, unsigned slot)
{
    struct worker *w = owner;
    struct conn *c = &w->conn[slot];
    struct lane *lane = lane_of(w, c);
    set_state(w, c, CONN_OPEN);
    c->since_ns = w->transport->now_ns;
    lane->tally.opened++;
    lane->tally.reconnects += c->was_open;
    c->was_open = true;
    if (c->unsent)
        conn_flush(w, slot);
    else
        conn_ready(w, slot);
}

void conn_on_sent(void *owner, unsigned slot)
{
    struct worker *w = owner;
    w->conn[slot].sending = false;
    conn_flush(w, slot);
}

void conn_expect_end(struct worker *w, unsigned slot)
{
    struct conn *c = &w->conn[slot];
    c->since_ns = w->transport->now_ns;
    set_state(w, c, CONN_ENDING);
}

void conn_sweep(struct worker *w, unsigned slot, uint64_t now_ns)
{
    struct conn *c = &w->conn[slot];
    uint64_t age = now_ns > c->since_ns ? now_ns - c->since_ns : 0;
    switch ((enum conn_state)c->state) {
    case CONN_CONNECTING:
    case CONN_OPEN:
        if ((c->outstanding || c->state == CONN_CONNECTING) && age > w->plan->options->timeout_ns) {
            if (c->state == CONN_CONNECTING)
                lane_of(w, c)->tally.connect_error = ETIMEDOUT;
            conn_fail(w, slot, c->state == CONN_CONNECTING ? ERROR_CONNECT : ERROR_TIMEOUT);
        }
        break;
    case CONN_ENDING:
        if (age > CONN_ENDING_MAX_MS * UINT64_C(1000000)) {
            lane_of(w, c)->tally.not_closed++;
            conn_end(w, slot);
        }
        break;
    case CONN_RETRY:
        if (now_ns < c->retry_at_ns)
            break;
        set_state(w, c, CONN_CLOSED);
        if (w->plan->options->close && w->active)
            conn_ready(w, slot);
        else
            conn_connect(w, slot);
        break;
    case CONN_CLOSED:
    case CONN_DEAD: break;
    }
}
