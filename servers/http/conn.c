/* conn: the machine of one connection. Its states:

     HEAD -> (BODY | DRAIN) -> HEAD ... -> LINGER or ENDED

   HEAD: a request's head is due. BODY: a body is collected for a route. DRAIN: the answer is out
   and the rest of a body nobody wants goes by. LINGER: our direction has ended after a refusal, and
   what the client still sends is thrown away so that it can read the refusal (RFC 9112 9.6). ENDED:
   close.

   Bytes are worked on where the engine put them; only what is left over is copied (struct pending).
   Answers go out in the order of their requests because a request is read when its predecessor's
   answer has been written. What the engine is asked for follows from the state, in want(). */
#include "http/conn.h"

#include "http/pending.h"

#include <assert.h>
#include <stdlib.h>

#define DRAIN_MAX      65536 /* a longer unwanted body ends the connection */
#define HELD_MAX       65536 /* with so much unanswered, receiving stops */
#define FINISH_IDLE_NS 250000000ULL

enum conn_state {
    CONN_HEAD,
    CONN_BODY,
    CONN_DRAIN,
    CONN_LINGER,
    CONN_ENDED
};

/* Which deadline is running. */
enum conn_clock {
    CLOCK_IDLE,
    CLOCK_HEADER,
    CLOCK_BODY,
    CLOCK_LINGER
};

struct conn {
    struct link link;
    struct pending *pending;
    uint8_t state;
    uint8_t clock;
    bool eof;     /* the client has ended its direction */
    bool blocked; /* an answer didn't fit: held bytes wait for on_sent */
};

_Static_assert(sizeof(struct conn) <= 64, "an idle connection is one cache line");

static struct site *site_of(const struct conn *c)
{
    return engine_context(c->link.engine);
}

static struct pending *pending_of(struct conn *c)
{
    if (!c->pending)
        c->pending = pending_new();
    return c->pending;
}

/* Writes an answer and decides how the connection goes on after it. */
static void answer(struct conn *c, struct out *out, struct reply *reply, const struct request *r)
{
    struct site *site = site_of(c);
    bool close = r->close || site->finishing;
    enum persistence persist = PERSIST_SILENT;
    if (close)
        persist = PERSIST_CLOSE;
    else if (r->minor == 0)
        persist = PERSIST_KEEP_ALIVE;
    date_refresh(&site->date, site->now_ns);
    site->counters->requests++;
    site->counters->status[(reply->head->bytes[9] - '0') % 6]++;
    reply_put(out, reply, &site->date, persist, r->method == METHOD_HEAD);
    if (close)
        c->state = CONN_ENDED;
}

/* An answer after which nothing on the connection can be understood. */
static void refuse(struct conn *c, struct out *out, int status, bool head)
{
    struct request r = {.close = true, .minor = 1, .method = head ? METHOD_HEAD : METHOD_GET};
    struct reply reply;
    site_refuse(site_of(c), status, &reply);
    answer(c, out, &reply, &r);
    c->state = CONN_LINGER;
}

static void refuse_malformed(struct conn *c, struct out *out, int status)
{
    site_of(c)->counters->malformed++;
    refuse(c, out, status, false);
}

/* The request is whole. */
static void answer_target(struct conn *c, struct out *out, const struct target *t,
                          const struct request *r, struct str body, bool borrowed)
{
    struct reply reply;
    site_answer(site_of(c), t, r, body, &reply);
    reply.borrowed = borrowed && reply.body.p == body.p;
    answer(c, out, &reply, r);
}

static bool wants_body(const struct target *t, const struct request *r)
{
    return t->route && !t->refusal && r->method == METHOD_POST;
}

/* A body that nobody wants: its request has been answered. Lets it go by if it is short, or ends.
 */
static size_t drain(struct conn *c, const struct request *r, size_t n)
{
    if (c->state == CONN_ENDED) {
        c->state = CONN_LINGER; /* the client may still be sending it */
        return 0;
    }
    if (!r->chunked && r->content_length <= n)
        return (size_t)r->content_length;
    struct pending *pending = pending_of(c);
    pending->left = r->chunked ? DRAIN_MAX : r->content_length;
    pending->chunked = (struct chunked){0};
    pending->request.chunked = r->chunked;
    c->state = CONN_DRAIN;
    return 0;
}

/* A body for a route. Whole bodies are used where they are; what isn't whole is collected. */
static size_t start_body(struct conn *c, struct out *out, const struct target *t,
                         const struct request *r, char *p, size_t n)
{
    if (!r->chunked && r->content_length <= n) {
        size_t length = (size_t)r->content_length;
        answer_target(c, out, t, r, (struct str){p, length}, true);
        return length;
    }
    if (r->expect_continue && n == 0) {
        static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
        memcpy(out->p + out->n, line, sizeof line - 1);
        out->n += sizeof line - 1;
    }
    struct pending *pending = pending_of(c);
    pending->target = *t;
    pending->request = *r;
    pending->left = r->content_length;
    pending->chunked = (struct chunked){0};
    c->state = CONN_BODY;
    return 0;
}

/* A head is whole: answers, or goes on to the body. Returns the body bytes taken. */
static size_t start_request(struct conn *c, struct out *out, const struct request *r, char *p,
                            size_t n)
{
    struct site *site = site_of(c);
    struct target t = site_find(site, r);
    if (r->content_length > site->max_body) {
        refuse(c, out, 413, r->method == METHOD_HEAD);
        return 0;
    }
    if (wants_body(&t, r))
        return start_body(c, out, &t, r, p, n);
    if (!r->chunked && r->content_length == 0) {
        answer_target(c, out, &t, r, STR(""), false);
        return 0;
    }
    struct request with_body = *r; /* after Expect it may come or not: only closing is safe */
    if (r->expect_continue || r->expect_unknown || r->content_length > DRAIN_MAX)
        with_body.close = true;
    answer_target(c, out, &t, &with_body, STR(""), false);
    return drain(c, r, n);
}

static size_t eat_head(struct conn *c, struct out *out, char *p, size_t n)
{
    struct request r;
    ssize_t head = http1_parse(p, n, &site_of(c)->limits, &r);
    if (head < 0)
        refuse_malformed(c, out, (int)-head);
    if (head <= 0)
        return 0;
    return (size_t)head + start_request(c, out, &r, p + head, n - (size_t)head);
}

static void body_done(struct conn *c, struct out *out)
{
    struct pending *pending = c->pending;
    struct buffer body = pending->body;
    struct request r = pending->request;
    pending->body = (struct buffer){0};
    struct reply reply;
    c->state = CONN_HEAD;
    site_answer(site_of(c), &pending->target, &r, (struct str){body.p, body.n}, &reply);
    if (body.n > 0 && reply.body.p == body.p) { /* it travels on as the answer */
        reply.body.release = free;
        reply.body.owner = body.p;
    } else {
        free(body.p);
    }
    answer(c, out, &reply, &r);
}

/* Decodes up to n bytes of the present body at p in place; *got of them are content. Returns the
   bytes taken, or -1. */
static ssize_t take_body(struct pending *pending, char *p, size_t n, size_t *got)
{
    if (pending->request.chunked)
        return chunked_decode(&pending->chunked, p, n, got);
    *got = pending->left < n ? (size_t)pending->left : n;
    pending->left -= *got;
    return (ssize_t)*got;
}

static bool body_over(const struct pending *pending)
{
    return pending->request.chunked ? pending->chunked.done : pending->left == 0;
}

static size_t eat_body(struct conn *c, struct out *out, char *p, size_t n)
{
    struct pending *pending = c->pending;
    size_t got;
    ssize_t taken = take_body(pending, p, n, &got);
    if (taken < 0) {
        refuse_malformed(c, out, 400);
        return 0;
    }
    if (pending->body.n + got > site_of(c)->max_body) {
        refuse(c, out, 413, false);
        return 0;
    }
    buffer_add(&pending->body, p, got);
    if (body_over(pending))
        body_done(c, out);
    return (size_t)taken;
}

static size_t eat_drain(struct conn *c, char *p, size_t n)
{
    struct pending *pending = c->pending;
    size_t got;
    ssize_t taken = take_body(pending, p, n, &got);
    if (taken < 0) {
        c->state = CONN_LINGER;
        return n;
    }
    if (body_over(pending)) {
        c->state = CONN_HEAD;
    } else if (pending->request.chunked) {
        if (pending->left < (uint64_t)taken)
            c->state = CONN_LINGER;
        else
            pending->left -= (uint64_t)taken;
    }
    return (size_t)taken;
}

/* One step of the machine. Returns the bytes it took. */
static size_t step(struct conn *c, struct out *out, char *p, size_t n)
{
    switch ((enum conn_state)c->state) {
    case CONN_HEAD: return eat_head(c, out, p, n);
    case CONN_BODY: return eat_body(c, out, p, n);
    case CONN_DRAIN: return eat_drain(c, p, n);
    case CONN_LINGER:
    case CONN_ENDED: break;
    }
    return n;
}

static bool has_room(const struct out *out)
{
    return out->cap - out->n >= REPLY_ROOM && out->tail.n == 0;
}

/* Runs the machine over p[0..n) until it needs more bytes or more room. Returns the bytes taken. */
static size_t work(struct conn *c, struct out *out, char *p, size_t n)
{
    size_t at = 0;
    c->blocked = false;
    site_of(c)->now_ns = engine_now_ns(c->link.engine);
    while (at < n) {
        if (c->state == CONN_ENDED)
            c->state = CONN_LINGER; /* closing with bytes unread would reset the connection */
        if (c->state <= CONN_BODY && !has_room(out)) {
            c->blocked = true;
            break;
        }
        uint8_t before = c->state;
        size_t taken = step(c, out, p + at, n - at);
        at += taken;
        if (taken == 0 && c->state == before)
            break;
    }
    return at;
}

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
    const struct site *site = site_of(c);
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

/* After the machine has run: memory goes when nothing is incomplete. */
static unsigned settle(struct conn *c, uint64_t answered_before)
{
    if (c->pending &&
        (c->state >= CONN_LINGER || (c->state == CONN_HEAD && c->pending->held.n == 0)))
        forget_pending(c);
    set_deadline(c, site_of(c)->counters->requests != answered_before);
    return want(c);
}

static unsigned work_held(struct conn *c, struct out *out)
{
    uint64_t answered = site_of(c)->counters->requests;
    struct buffer *held = &c->pending->held;
    buffer_take(held, work(c, out, held->p + held->at, held->n - held->at));
    return settle(c, answered);
}

/* A head that isn't whole is looked at again when a line has been completed or a limit may be
   passed, and while it is so short that its very first character may be new (a bare CR waits for
   the next). */
static bool worth_a_look(const struct conn *c, const char *p, size_t n)
{
    size_t held = c->pending->held.n - c->pending->held.at;
    return c->state != CONN_HEAD || memchr(p, '\n', n) || held < n + 16 ||
           held > site_of(c)->limits.line;
}

static unsigned on_bytes(struct link *l, char *p, size_t n, struct out *out)
{
    struct conn *c = (struct conn *)l;
    if (c->pending && c->pending->held.n > 0) {
        buffer_add(&c->pending->held, p, n);
        return c->blocked || !worth_a_look(c, p, n) ? want(c) : work_held(c, out);
    }
    uint64_t answered = site_of(c)->counters->requests;
    size_t taken = work(c, out, p, n);
    if (taken < n && c->state < CONN_LINGER)
        buffer_add(&pending_of(c)->held, p + taken, n - taken);
    return settle(c, answered);
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
    uint64_t answered = site_of(c)->counters->requests;
    site_of(c)->counters->timeouts++;
    site_of(c)->now_ns = engine_now_ns(l->engine);
    if (c->state == CONN_DRAIN)
        c->state = CONN_ENDED;
    else
        refuse(c, out, 408, false);
    return settle(c, answered);
}

static void on_gone(struct link *l)
{
    struct conn *c = (struct conn *)l;
    site_of(c)->counters->closed++;
    forget_pending(c);
}

static unsigned finish(struct link *l, struct out *out)
{
    struct conn *c = (struct conn *)l;
    (void)out;
    if (c->clock == CLOCK_IDLE)
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
