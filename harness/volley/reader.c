/* reader: what comes back. Splits the stream into answers and holds each against what was expected;
   a wrong one is an error of its kind, never a success. One that looks like the learnt one takes
   the fast path. */
#include "volley/worker_priv.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "volley/flags.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static bool comparing(const struct target *t)
{
    return t->verify || t->expect_body;
}

static void fault(struct conn *c, enum error_kind kind)
{
    if (c->wrong == ERROR_NONE)
        c->wrong = (unsigned char)kind;
}

static void fail_framing(struct worker *w, struct lane *lane, unsigned slot, const char *why)
{
    lane->tally.wrong = lane->tally.wrong ? lane->tally.wrong : why;
    conn_fail(w, slot, ERROR_FRAMING);
}

static void start_answer(struct conn *c, const struct target *t)
{
    reply_start(&c->reply, t->head);
    digest_start(&c->digest);
    c->wrong = ERROR_NONE;
}

/* Is this a body length that a right answer can have? */
static bool right_length(const struct lane *lane, uint64_t len)
{
    const struct target *t = lane->target;
    if (t->expect_body)
        return len == t->expect_body_len;
    return t->any_length || !lane->has_reference || len == lane->reference_len;
}

static void check_head(struct lane *lane, struct conn *c)
{
    const struct reply_head *h = &c->reply.head;
    unsigned want = lane->target->expect_status;
    if (want ? h->status != (int)want : h->status < 200 || h->status > 299)
        fault(c, ERROR_STATUS);
    else if (h->has_length && h->framing == REPLY_LENGTH && !right_length(lane, h->length))
        fault(c, ERROR_LENGTH);
}

static void check_body(const struct target *t, struct conn *c, const char *p, size_t n)
{
    if (!t->expect_body) {
        digest_add(&c->digest, p, n);
        return;
    }
    size_t at = (size_t)c->digest.len; /* only its counter is used */
    if (at + n > t->expect_body_len || memcmp(t->expect_body + at, p, n) != 0)
        fault(c, ERROR_BODY);
    c->digest.len += n;
}

/* The answer is whole: the checks that need its end. A bodiless answer (HEAD) has no body to check.
 */
static void check_end(struct lane *lane, struct conn *c)
{
    const struct target *t = lane->target;
    const struct reply *r = &c->reply;
    uint64_t hash = comparing(t) && !t->expect_body ? digest_value(&c->digest) : 0;
    uint64_t len = t->head && r->head.has_length ? r->head.length : r->body_len;
    if (!(t->head && !r->head.has_length) && !right_length(lane, len)) {
        if (c->wrong == ERROR_NONE || c->wrong == ERROR_BODY)
            c->wrong = ERROR_LENGTH;
    } else if (lane->has_reference && hash != lane->reference_hash) {
        fault(c, ERROR_BODY);
    }
    if (c->wrong == ERROR_NONE && !lane->has_reference) {
        lane->has_reference = true;
        lane->reference_len = len;
        lane->reference_hash = hash;
    }
}

/* Books the oldest outstanding request as answered. */
static void complete(struct worker *w, struct lane *lane, struct conn *c, unsigned slot)
{
    uint64_t now = w->transport->now_ns;
    uint64_t sent = w->stamps[(size_t)slot * w->depth + c->oldest];
    struct tally *t = &lane->tally;
    c->oldest = c->oldest + 1 == w->depth ? 0 : c->oldest + 1;
    c->outstanding--;
    lane->outstanding--;
    c->mid_answer = false;
    c->failures = 0;
    c->since_ns = now;
    if (!t->first_ns)
        t->first_ns = now;
    t->last_ns = now;
    t->late += now > w->end_ns;
    if (c->wrong != ERROR_NONE) {
        t->errors[c->wrong]++;
        t->failed++;
        return;
    }
    t->ok++;
    /* An answer's time is that of the wake-up which told of it, at most one batch later than its
       arrival. It is before the send only if both were in one batch: then the clock is asked. */
    histogram_record(t->latency, now >= sent ? now - sent : clock_ns() - sent);
}

static void learn(struct lane *lane, const struct conn *c, const char *head, size_t len)
{
    if (!lane->pattern.head_len && c->wrong == ERROR_NONE)
        pattern_learn(&lane->pattern, &c->reply.head, head, len);
}

static void finish(struct worker *w, struct lane *lane, unsigned slot)
{
    check_end(lane, &w->conn[slot]);
    complete(w, lane, &w->conn[slot], slot);
}

/* The long way: one answer, or as much of it as is there. Returns the bytes used (0: come again
   with more), or -1 when the connection failed. */
static long take_answer(struct worker *w, struct lane *lane, unsigned slot, const char *p, size_t n)
{
    struct conn *c = &w->conn[slot];
    const char *head = NULL;
    size_t at = 0, head_len = 0;
    if (!c->mid_answer)
        start_answer(c, lane->target);
    for (;;) {
        struct reply_step s = reply_next(&c->reply, p + at, n - at);
        switch (s.event) {
        case REPLY_HEAD:
            head = p + at;
            head_len = s.used;
            c->mid_answer = true;
            c->last = w->plan->options->close || !c->reply.head.keep_alive;
            check_head(lane, c);
            break;
        case REPLY_BODY:
            if (comparing(lane->target))
                check_body(lane->target, c, s.body, s.body_len);
            break;
        case REPLY_END:
            finish(w, lane, slot);
            if (head)
                learn(lane, c, head, head_len);
            return (long)(at + s.used);
        case REPLY_MORE: return (long)(at + s.used);
        case REPLY_BAD: fail_framing(w, lane, slot, c->reply.head.wrong); return -1;
        }
        at += s.used;
    }
}

/* A whole body behind the learnt head, whose length is right: is it right, byte by byte? */
static bool right_body(const struct target *t, const struct reply_head *h, const char *p)
{
    return !t->expect_body || h->framing != REPLY_LENGTH ||
           memcmp(p, t->expect_body, t->expect_body_len) == 0;
}

/* An answer that starts with the learnt head: all of it, or its head and what is there of its body.
   Returns the bytes used, 0 when it is something else. */
static size_t take_known(struct worker *w, struct lane *lane, unsigned slot, const char *p,
                         size_t n)
{
    struct pattern *known = &lane->pattern;
    struct conn *c = &w->conn[slot];
    if (!pattern_match(known, p, n))
        return 0;
    size_t head = known->head_len;
    uint64_t body = known->head.framing == REPLY_LENGTH ? known->head.length : 0;
    c->last = w->plan->options->close || !known->head.keep_alive;
    if (n - head >= body && !lane->target->verify) {
        c->wrong = right_body(lane->target, &known->head, p + head) ? ERROR_NONE : ERROR_BODY;
        complete(w, lane, c, slot);
        return head + (size_t)body;
    }
    start_answer(c, lane->target);
    reply_adopt(&c->reply, &known->head);
    c->mid_answer = true;
    long taken = take_answer(w, lane, slot, p + head, n - head);
    assert(taken >= 0); /* a body of known length can't be malformed */
    return head + (size_t)taken;
}

/* Keeps what is left of the bytes at p, a head that is not whole yet, for the next time. */
static void keep_rest(struct conn *c, const char *p, size_t n)
{
    if (n && c->held_len) { /* p points into held */
        memmove(c->held, p, n);
    } else if (n) {
        c->held = xrealloc(c->held, n, 1);
        memcpy(c->held, p, n);
    }
    c->held_len = n;
}

/* After an answer that was its connection's last. */
static void close_after(struct worker *w, unsigned slot)
{
    if (w->conn[slot].outstanding)
        conn_fail(w, slot, ERROR_EARLY_CLOSE);
    else
        conn_expect_end(w, slot);
}

static bool ended(const struct conn *c)
{
    return c->last && !c->mid_answer;
}

/* All answers in n bytes. Returns false when the connection takes no more. */
static bool take_all(struct worker *w, struct lane *lane, unsigned slot, const char *p, size_t n)
{
    struct conn *c = &w->conn[slot];
    size_t at = 0;
    while (at < n) {
        if (!c->outstanding) {
            fail_framing(w, lane, slot, "bytes that no request asked for");
            return false;
        }
        size_t used = c->mid_answer ? 0 : take_known(w, lane, slot, p + at, n - at);
        if (!used) {
            long taken = take_answer(w, lane, slot, p + at, n - at);
            if (taken < 0)
                return false;
            if (taken == 0)
                break;
            used = (size_t)taken;
        }
        at += used;
        if (ended(c) && (c->outstanding || at == n)) {
            close_after(w, slot);
            return false;
        }
    }
    keep_rest(c, p + at, n - at);
    return true;
}

size_t reader_on_data(void *owner, unsigned slot, const char *p, size_t n)
{
    struct worker *w = owner;
    struct conn *c = &w->conn[slot];
    struct lane *lane = &w->lanes[c->lane];
    lane->tally.bytes_read += n;
    if (c->held_len) {
        c->held = xrealloc(c->held, c->held_len + n, 1);
        memcpy(c->held + c->held_len, p, n);
        p = c->held;
        n = c->held_len += n;
    }
    if (!take_all(w, lane, slot, p, n))
        return 0;
    conn_ready(w, slot);
    return c->mid_answer && !comparing(lane->target) ? reply_body_left(&c->reply) : 0;
}

size_t reader_on_skipped(void *owner, unsigned slot, size_t n)
{
    struct worker *w = owner;
    struct conn *c = &w->conn[slot];
    struct lane *lane = &w->lanes[c->lane];
    lane->tally.bytes_read += n;
    reply_skip(&c->reply, n);
    uint64_t left = reply_body_left(&c->reply);
    if (left)
        return left;
    finish(w, lane, slot);
    if (ended(c))
        close_after(w, slot);
    else
        conn_ready(w, slot);
    return 0;
}

static enum error_kind kind_of(int error, char op)
{
    if (error == 0)
        return ERROR_EARLY_CLOSE;
    if (error == ECONNRESET || error == EPIPE)
        return ERROR_RESET;
    return op == 'w' ? ERROR_WRITE : ERROR_READ;
}

void reader_on_end(void *owner, unsigned slot, int error, char op)
{
    struct worker *w = owner;
    struct conn *c = &w->conn[slot];
    struct lane *lane = &w->lanes[c->lane];
    if (c->state == CONN_CONNECTING) {
        lane->tally.connect_error = error;
        conn_fail(w, slot, ERROR_CONNECT);
        return;
    }
    /* The end of the stream may be the end of an answer (RFC 9112 section 6.3, rule 8). */
    if (error == 0 && c->mid_answer && reply_eof(&c->reply) == REPLY_END)
        finish(w, lane, slot);
    if (c->outstanding)
        conn_fail(w, slot, kind_of(error, op));
    else
        conn_end(w, slot);
}
