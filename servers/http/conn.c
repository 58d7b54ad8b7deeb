/* conn: the machine of one connection. Its states:

     HEAD -> (BODY | DRAIN) -> HEAD ... -> LINGER or ENDED

   HEAD: a request's head is due. BODY: a body is collected for a route. DRAIN: the answer is out
   and the rest of a body nobody wants goes by. LINGER: our direction has ended after a refusal, and
   what the client still sends is thrown away so that it can read the refusal (RFC 9112 9.6). ENDED:
   close.

   Bytes are worked on where the engine put them; only what is left over is copied (struct pending).
   Answers go out in the order of their requests because a request is read when its predecessor's
   answer has been written. What the engine is asked for follows from the state, in want(). */
#include "http/conn_priv.h"

#include <assert.h>
#include <stdlib.h>

#define HELD_MAX       65536 /* with so much unanswered, receiving stops */
#define FINISH_IDLE_NS 250000000ULL

static enum conn_clock clock_of(const struct conn *c)
{
    switch ((enum conn_state)c->state) {
    case CONN_HEAD: return c->pending && !c->blocked ? CLOCK_HEADER : CLOCK_IDLE;
    case CONN_BODY:
    case CONN_DRAIN: return CLOCK_BODY;
    case CONN_LINGER:
    case CONN_ENDED: break;
    }
    return CLOCK_LINGER;
}

/* A clock runs from the start of what it measures: bytes that drip in don't wind it up again. */
static void set_deadline(struct conn *c, bool anew)
{
    enum conn_clock clock = clock_of(c);
    if (clock == c->clock && !anew)
        return;
    const struct site *site = conn_site(c);
    const uint64_t lengths_ns[] = {[CLOCK_IDLE] = site->idle_timeout_ns,
                                   [CLOCK_HEADER] = site->header_timeout_ns,
                                   [CLOCK_BODY] = site->body_timeout_ns,
                                   [CLOCK_LINGER] = site->linger_timeout_ns};
    c->clock = (uint8_t)clock;
    link_deadline(&c->link, engine_now_ns(c->link.engine) + lengths_ns[clock]);
}

/* What the engine is asked for: follows from the state alone. */
static unsigned want(const struct conn *c)
{
    switch ((enum conn_state)c->state) {
    case CONN_ENDED: return WANT_CLOSE;
    case CONN_LINGER: return c->eof ? WANT_CLOSE : WANT_SHUTDOWN | WANT_BYTES;
    case CONN_HEAD:
    case CONN_BODY:
    case CONN_DRAIN: break;
    }
    assert(!c->blocked || c->pending); /* what is blocked is held */
    if (c->blocked)
        return c->eof || c->pending->held.n - c->pending->held.at > HELD_MAX
                   ? WANT_SENT
                   : WANT_SENT | WANT_BYTES;
    return c->eof ? WANT_CLOSE : WANT_BYTES;
}

static void forget_pending(struct conn *c)
{
    pending_free(c->pending);
    c->pending = NULL;
}

/* After the machine has run: memory goes when nothing is incomplete. answered: a request was. */
static unsigned settle(struct conn *c, bool answered)
{
    if (c->pending &&
        (c->state >= CONN_LINGER || (c->state == CONN_HEAD && c->pending->held.n == 0)))
        forget_pending(c);
    set_deadline(c, answered);
    return want(c);
}

static unsigned work_held(struct conn *c, struct out *out)
{
    const uint64_t *requests = &conn_site(c)->counters->requests, before = *requests;
    struct buffer *held = &c->pending->held;
    buffer_take(held, conn_work(c, out, held->p + held->at, held->n - held->at));
    return settle(c, *requests != before);
}

/* A head that isn't whole is looked at again when a line has been completed or a limit may be
   passed, and while it is so short that its very first character may be new (a bare CR waits for
   the next). */
static bool worth_a_look(const struct conn *c, const char *p, size_t n)
{
    size_t held = c->pending->held.n - c->pending->held.at;
    return c->state != CONN_HEAD || memchr(p, '\n', n) || held < n + 16 ||
           held > conn_site(c)->limits.line;
}

/* Bytes with nothing held before them. answered: a request was, in this up-call. */
static unsigned work_on(struct conn *c, struct out *out, char *p, size_t n, bool answered)
{
    const uint64_t *requests = &conn_site(c)->counters->requests, before = *requests;
    size_t taken = conn_work(c, out, p, n);
    if (taken < n && c->state < CONN_LINGER)
        buffer_add(&conn_pending(c)->held, p + taken, n - taken);
    return settle(c, answered || *requests != before);
}

static __attribute__((noinline)) unsigned on_rare_bytes(struct conn *c, char *p, size_t n,
                                                        struct out *out)
{
    if (!c->pending || c->pending->held.n == 0)
        return work_on(c, out, p, n, false);
    buffer_add(&c->pending->held, p, n);
    return c->blocked || !worth_a_look(c, p, n) ? want(c) : work_held(c, out);
}

/* Between two requests, as most connections are when bytes come. */
static inline bool is_fresh(const struct conn *c)
{
    return c->state == CONN_HEAD && c->clock == CLOCK_IDLE && !c->eof && !c->blocked && !c->pending;
}

static inline void answer_sealed(struct site *site, struct out *out, struct route *route)
{
    if (site->before_answer)
        site->before_answer();
    date_refresh(&site->date, site->now_ns);
    site->counters->requests++;
    site->counters->status[route->head.status_class]++;
    reply_put_sealed(out, &route->head, &site->date);
}

/* The short way of what is asked most: plain requests for sealed answers, one after the other. The
   first one that is neither, and what follows, is the machine's. */
static unsigned on_bytes(struct link *l, char *p, size_t n, struct out *out)
{
    struct conn *c = (struct conn *)l;
    struct site *site = conn_site(c);
    if (!is_fresh(c) || site->finishing)
        return on_rare_bytes(c, p, n, out);
    site->now_ns = engine_now_ns(l->engine);
    size_t at = 0;
    while (out->cap - out->n >= REPLY_ROOM) { /* these leave no tail */
        struct request r;
        struct route *route;
        ssize_t head = http1_parse(p + at, n - at, &site->limits, &r);
        if (head <= 0 || !r.plain || !(route = site_find_sealed(site, r.path))) {
            at += conn_take_head(c, out, &r, head, (struct str){p + at, n - at});
            break;
        }
        answer_sealed(site, out, route);
        at += (size_t)head;
        if (at == n) {
            link_deadline(l, site->now_ns + site->idle_timeout_ns);
            return WANT_BYTES;
        }
    }
    return work_on(c, out, p + at, n - at, at > 0);
}

static unsigned on_open(struct link *l)
{
    struct conn *c = (struct conn *)l;
    set_deadline(c, true);
    return WANT_BYTES;
}

static unsigned on_eof(struct link *l, struct out *out)
{
    struct conn *c = (struct conn *)l;
    (void)out;
    c->eof = true;
    return want(c);
}

static unsigned on_sent(struct link *l, struct out *out)
{
    struct conn *c = (struct conn *)l;
    return c->blocked ? work_held(c, out) : want(c);
}

static unsigned on_deadline(struct link *l, struct out *out)
{
    struct conn *c = (struct conn *)l;
    if (c->clock == CLOCK_IDLE || c->clock == CLOCK_LINGER) {
        c->state = CONN_ENDED;
        return want(c);
    }
    uint64_t before = conn_site(c)->counters->requests;
    conn_site(c)->counters->timeouts++;
    conn_site(c)->now_ns = engine_now_ns(l->engine);
    if (c->state == CONN_DRAIN)
        c->state = CONN_ENDED;
    else
        conn_refuse(c, out, 408, false);
    return settle(c, conn_site(c)->counters->requests != before);
}

static void on_gone(struct link *l)
{
    struct conn *c = (struct conn *)l;
    conn_site(c)->counters->closed++;
    forget_pending(c);
}

bool conn_is_idle(const struct link *l)
{
    return ((const struct conn *)l)->clock == CLOCK_IDLE;
}

static unsigned finish(struct link *l, struct out *out)
{
    struct conn *c = (struct conn *)l;
    (void)out;
    if (conn_is_idle(l))
        link_deadline(l, engine_now_ns(l->engine) + FINISH_IDLE_NS);
    return want(c);
}

void conn_finish_all(struct engine *e, struct site *site)
{
    site->finishing = true;
    site->idle_timeout_ns = FINISH_IDLE_NS;
    engine_each(e, finish);
}

/* The worker sets on_wake in its copy. */
const struct engine_user conn_user = {
    .link_size = sizeof(struct conn),
    .on_open = on_open,
    .on_bytes = on_bytes,
    .on_eof = on_eof,
    .on_sent = on_sent,
    .on_deadline = on_deadline,
    .on_gone = on_gone,
};
