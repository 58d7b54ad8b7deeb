/* conn_machine: the steps of one connection's machine (see conn.c): what each state does with
 * bytes. */
#include "http/conn_priv.h"

#include <assert.h>
#include <stdlib.h>

/* What most requests don't need stays out of the functions that all run through. */
#define RARE __attribute__((noinline, cold))

#define DRAIN_MAX 65536 /* a longer unwanted body ends the connection */

/* Writes an answer and decides how the connection goes on after it. */
static void answer(struct conn *c, struct out *out, struct reply *reply, const struct request *r)
{
    struct site *site = conn_site(c);
    bool close = r->close || site->finishing;
    enum persistence persist = PERSIST_SILENT;
    if (close)
        persist = PERSIST_CLOSE;
    else if (r->minor == 0)
        persist = PERSIST_KEEP_ALIVE;
    date_refresh(&site->date, site->now_ns);
    site->counters->requests++;
    site->counters->status[reply->head->status_class]++;
    reply_put(out, reply, &site->date, persist, r->method == METHOD_HEAD);
    if (close)
        c->state = CONN_ENDED;
}

/* An answer after which nothing on the connection can be understood. */
void conn_refuse(struct conn *c, struct out *out, int status, bool head)
{
    struct request r = {.close = true, .minor = 1, .method = head ? METHOD_HEAD : METHOD_GET};
    struct reply reply;
    site_refuse(conn_site(c), status, &reply);
    answer(c, out, &reply, &r);
    c->state = CONN_LINGER;
}

static RARE void refuse_malformed(struct conn *c, struct out *out, int status)
{
    conn_site(c)->counters->malformed++;
    conn_refuse(c, out, status, false);
}

/* The request is whole. A body given here lies in the engine's buffer. */
static void answer_target(struct conn *c, struct out *out, const struct target *t,
                          const struct request *r, struct str body)
{
    struct reply reply;
    site_answer(conn_site(c), t, r, body, &reply);
    reply.borrowed = body.n > 0 && reply.body.p == body.p;
    answer(c, out, &reply, r);
}

static bool wants_body(const struct target *t, const struct request *r)
{
    return t->route && !t->refusal && r->method == METHOD_POST;
}

/* A body that nobody wants: its request has been answered. Lets it go by if it is short, or ends.
 */
static RARE size_t drain(struct conn *c, const struct request *r, size_t n)
{
    if (c->state == CONN_ENDED) {
        c->state = CONN_LINGER; /* the client may still be sending it */
        return 0;
    }
    if (!r->chunked && r->content_length <= n)
        return (size_t)r->content_length;
    struct pending *pending = conn_pending(c);
    pending->left = r->chunked ? DRAIN_MAX : r->content_length;
    pending->chunked = (struct chunked){0};
    pending->request.chunked = r->chunked;
    c->state = CONN_DRAIN;
    return 0;
}

/* A body for a route. Whole bodies are used where they are; what isn't whole is collected. */
static __attribute__((noinline)) size_t start_body(struct conn *c, struct out *out,
                                                   const struct target *t, const struct request *r,
                                                   struct str rest)
{
    if (!r->chunked && r->content_length <= rest.n) {
        size_t length = (size_t)r->content_length;
        answer_target(c, out, t, r, (struct str){rest.p, length});
        return length;
    }
    if (r->expect_continue && rest.n == 0) {
        static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
        memcpy(out->p + out->n, line, sizeof line - 1);
        out->n += sizeof line - 1;
    }
    struct pending *pending = conn_pending(c);
    pending->target = *t;
    pending->request = *r;
    pending->left = r->content_length;
    pending->chunked = (struct chunked){0};
    c->state = CONN_BODY;
    return 0;
}

/* A request with a body that nobody wants. */
static RARE size_t answer_and_drain(struct conn *c, struct out *out, const struct target *t,
                                    const struct request *r, size_t n)
{
    struct request with_body = *r; /* after Expect it may come or not: only closing is safe */
    if (r->expect_continue || r->expect_unknown || r->content_length > DRAIN_MAX)
        with_body.close = true;
    answer_target(c, out, t, &with_body, STR(""));
    return drain(c, r, n);
}

/* A head is whole: answers, or goes on to the body. Returns the body bytes taken. */
static inline size_t start_request(struct conn *c, struct out *out, const struct request *r,
                                   struct str rest)
{
    struct site *site = conn_site(c);
    struct target t = site_find(site, r);
    if (r->content_length > site->max_body) {
        conn_refuse(c, out, 413, r->method == METHOD_HEAD);
        return 0;
    }
    if (wants_body(&t, r))
        return start_body(c, out, &t, r, rest);
    if (r->chunked || r->content_length > 0)
        return answer_and_drain(c, out, &t, r, rest.n);
    answer_target(c, out, &t, r, STR(""));
    return 0;
}

size_t conn_take_head(struct conn *c, struct out *out, const struct request *r, ssize_t head,
                      struct str in)
{
    if (head < 0)
        refuse_malformed(c, out, (int)-head);
    if (head <= 0)
        return 0;
    return (size_t)head + start_request(c, out, r, str_after(in, (size_t)head));
}

static size_t eat_head(struct conn *c, struct out *out, char *p, size_t n)
{
    struct request r;
    ssize_t head = http1_parse(p, n, &conn_site(c)->limits, &r);
    return conn_take_head(c, out, &r, head, (struct str){p, n});
}

static void body_done(struct conn *c, struct out *out)
{
    struct pending *pending = c->pending;
    struct buffer body = pending->body;
    struct request r = pending->request;
    pending->body = (struct buffer){0};
    struct reply reply;
    c->state = CONN_HEAD;
    site_answer(conn_site(c), &pending->target, &r, (struct str){body.p, body.n}, &reply);
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
    assert(pending); /* BODY and DRAIN have one */
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

static __attribute__((noinline)) size_t eat_body(struct conn *c, struct out *out, char *p, size_t n)
{
    struct pending *pending = c->pending;
    size_t got;
    ssize_t taken = take_body(pending, p, n, &got);
    if (pending->body.n + got >
        conn_site(c)->max_body) { /* first: it came before what is malformed */
        conn_refuse(c, out, 413, false);
        return 0;
    }
    if (taken < 0) {
        refuse_malformed(c, out, 400);
        return 0;
    }
    buffer_add(&pending->body, p, got);
    if (body_over(pending))
        body_done(c, out);
    return (size_t)taken;
}

static RARE size_t eat_drain(struct conn *c, char *p, size_t n)
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

size_t conn_work(struct conn *c, struct out *out, char *p, size_t n)
{
    size_t at = 0;
    c->blocked = false;
    conn_site(c)->now_ns = engine_now_ns(c->link.engine);
    while (at < n) {
        if (c->state == CONN_ENDED)
            c->state = CONN_LINGER; /* closing with bytes unread would reset the connection */
        if (c->state <= CONN_BODY && !conn_has_room(out)) {
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
