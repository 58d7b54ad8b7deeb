/* Any bytes through the connection machine, on an engine that is only memory: once whole, once cut
   in pieces and with answers that are slow to leave, as the first bytes of the input say. What is
   answered must be the same, and a sequence of well-formed answers. */
#include "http/conn.h"

#include "http/engine_priv.h"
#include "http/err.h"
#include "http/site.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct wire {
    char *p; /* all that was answered */
    size_t n, cap;
    bool closed; /* by the server, or its direction is */
};

static struct site site;
static struct counters counters;
static struct wire wire;
static char lent[ENGINE_OUT_MIN];

static void wire_add(const char *p, size_t n)
{
    if (wire.n + n > wire.cap) {
        wire.cap = (wire.n + n) * 2;
        wire.p = mem_grow(wire.p, wire.cap);
    }
    if (n > 0)
        memcpy(wire.p + wire.n, p, n);
    wire.n += n;
}

static void take_out(struct out *out)
{
    wire_add(out->p, out->n);
    if (out->tail.n > 0)
        wire_add(out->tail.p, out->tail.n);
    if (out->tail.release)
        out->tail.release(out->tail.owner);
}

static void nothing(struct link *l)
{
    (void)l;
}

static const struct engine_ops memory_ops = {.name = "memory", .drop = nothing};

static struct engine *memory_engine(void)
{
    static struct engine e;
    e = (struct engine){.ops = &memory_ops,
                        .user = &conn_user,
                        .view = {.context = &site, .now_ns = 1, .due_ns = ENGINE_NEVER}};
    e.config.accepted = e.config.bytes_in = e.config.bytes_out = &e.nowhere;
    return &e;
}

static struct out room(bool some)
{
    return some ? (struct out){.p = lent, .cap = sizeof lent} : (struct out){0};
}

/* Until the connection wants no more calls, as an engine whose sends have all left would. */
static unsigned drain(struct link *l, unsigned want)
{
    while ((want & WANT_SENT) && !(want & WANT_CLOSE)) {
        struct out out = room(true);
        want = conn_user.on_sent(l, &out);
        take_out(&out);
    }
    if (want & (WANT_CLOSE | WANT_SHUTDOWN))
        wire.closed = true;
    return want;
}

/* One connection fed with data in pieces of step bytes; slow: the answer to every other piece
   leaves only before the next but one. */
static void feed(const uint8_t *data, size_t size, size_t step, bool slow)
{
    struct engine *e = memory_engine();
    struct link *l = link_open(e, 1000000);
    unsigned want = l->want;
    wire = (struct wire){.p = wire.p ? wire.p : mem_get(1), .cap = wire.cap};
    for (size_t at = 0, turn = 0; at < size && !(want & WANT_CLOSE); turn++) {
        size_t n = size - at < step ? size - at : step;
        char *piece = mem_get(n);
        memcpy(piece, data + at, n);
        bool busy = slow && turn % 2;
        struct out out = room(!busy);
        want = conn_user.on_bytes(l, piece, n, &out);
        free(piece);
        take_out(&out);
        if (!busy)
            want = drain(l, want);
        at += n;
    }
    want = drain(l, want);
    if (!(want & WANT_CLOSE)) {
        struct out out = room(true);
        want = conn_user.on_eof(l, &out);
        take_out(&out);
        drain(l, want);
    }
    assert(wire.closed);
    link_close(l);
    l->fd = -1; /* it never was one */
    links_reap(e);
    links_free(e);
}

/* Cuts "100 Continue" out: whether it is sent depends on the cut. */
static size_t without_interim(char *p, size_t n)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    const size_t length = sizeof interim - 1;
    char *at;
    while ((at = memmem(p, n, interim, length))) {
        memmove(at, at + length, n - (size_t)(at - p) - length);
        n -= length;
    }
    return n;
}

/* The bytes of the answer at p: its head, and its body unless another answer or nothing comes at
   once (it answered HEAD). */
static size_t answer_length(const char *p, size_t n)
{
    const char *end = memmem(p, n, "\r\n\r\n", 4);
    assert(end && memcmp(p, "HTTP/1.1 ", 9) == 0);
    size_t head = (size_t)(end - p) + 4;
    const char *field = memmem(p, head, "Content-Length: ", 16);
    size_t body = field ? strtoul(field + 16, NULL, 10) : 0;
    bool next = n - head >= 9 && memcmp(p + head, "HTTP/1.1 ", 9) == 0;
    return body == 0 || n == head || next ? head : head + body;
}

/* What was answered is a sequence of answers, none cut short. */
static void check_answers(const char *p, size_t n)
{
    while (n > 0) {
        size_t length = answer_length(p, n);
        assert(length <= n);
        p += length;
        n -= length;
    }
}

static void set_up(void)
{
    static struct route routes[2];
    if (site.routes)
        return;
    site = (struct site){.limits = {.line = 200, .head = 600, .fields = 8},
                         .max_body = 100,
                         .header_timeout_ns = 1,
                         .body_timeout_ns = 1,
                         .idle_timeout_ns = 1,
                         .linger_timeout_ns = 1,
                         .routes = routes,
                         .route_count = 1,
                         .counters = &counters};
    routes[0] = (struct route){.path = STR("/"),
                               .methods = 1U << METHOD_GET | 1U << METHOD_POST,
                               .answer = route_canned,
                               .body = STR("OK")};
    head_start(&routes[0].head, &site.style, 200);
    head_add_length(&routes[0].head, 2);
    head_seal(&routes[0].head, routes[0].body);
    site_init(&site);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    set_up();
    feed(data + 1, size - 1, size, false);
    size_t n = wire.n;
    char *whole = mem_get(n);
    memcpy(whole, wire.p, n);
    feed(data + 1, size - 1, 1 + data[0] % 32, data[0] & 0x80);
    n = without_interim(whole, n);
    wire.n = without_interim(wire.p, wire.n);
    check_answers(whole, n);
    assert(wire.n == n && memcmp(wire.p, whole, n) == 0);
    free(whole);
    return 0;
}
