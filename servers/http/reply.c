/* reply: puts a head and a body into what the engine lent. Small bodies are copied
   behind their head, so that an answer is one piece of memory and several fit into one send; big
   ones are handed over as they are. */
#include "http/reply.h"

#include "http/err.h"

#include <assert.h>
#include <stdlib.h>

static inline void put(struct out *out, const char *p, size_t n)
{
    assert(out->cap - out->n >= n);
    memcpy(out->p + out->n, p, n);
    out->n += n;
}

static void put_length(struct out *out, uint64_t length)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + length % 10);
    while (length /= 10);
    put(out, "Content-Length: ", 16);
    put(out, digits + at, sizeof digits - at);
    put(out, "\r\n", 2);
}

static void put_end_of_head(struct out *out, enum persistence persist)
{
    static const struct str ends[] = {
        [PERSIST_SILENT] = STR("\r\n"),
        [PERSIST_KEEP_ALIVE] = STR("Connection: keep-alive\r\n\r\n"),
        [PERSIST_CLOSE] = STR("Connection: close\r\n\r\n"),
    };
    put(out, ends[persist].p, ends[persist].n);
}

static void put_body(struct out *out, const struct reply *reply)
{
    const struct segment *body = &reply->body;
    if (body->p && body->n <= REPLY_COPY_MAX && body->n <= out->cap - out->n) {
        put(out, body->p, body->n);
        if (body->release)
            body->release(body->owner);
        return;
    }
    out->tail = *body;
    if (reply->borrowed && body->p) {
        char *copy = mem_get(body->n);
        memcpy(copy, body->p, body->n);
        out->tail = (struct segment){.p = copy, .n = body->n, .release = free, .owner = copy};
    }
}

static __attribute__((noinline)) void put_parts(struct out *out, const struct reply *reply,
                                                enum persistence persist, bool without_body)
{
    const struct head *h = reply->head;
    put(out, h->bytes, h->n);
    if (reply->has_length && !h->has_length)
        put_length(out, reply->length);
    if (reply->extra.n > 0)
        put(out, reply->extra.p, reply->extra.n);
    put_end_of_head(out, persist);
    if (reply->body.n > 0 && !without_body)
        put_body(out, reply);
    else if (reply->body.release)
        reply->body.release(reply->body.owner);
}

void reply_put(struct out *out, struct reply *reply, const struct date *date,
               enum persistence persist, bool without_body)
{
    struct head *h = reply->head;
    head_refresh(h, date);
    if (reply->sealed && persist == PERSIST_SILENT)
        put(out, h->bytes, without_body ? h->n + 2U : h->sealed_n);
    else
        put_parts(out, reply, persist, without_body);
}
