/* reply: makes heads, and puts a head and a body into what the engine lent. Small bodies are copied
   behind their head, so that an answer is one piece of memory and several fit into one send; big
   ones are handed over as they are. */
#include "http/reply.h"

#include "http/err.h"
#include "http/version.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    {200, "OK"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

const char *reply_reason(int status)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

static void add_text(struct head *h, const char *text)
{
    size_t n = strlen(text);
    assert(!h->sealed_n);
    assert(h->n + n <= HEAD_SIZE);
    memcpy(h->bytes + h->n, text, n);
    h->n = (uint16_t)(h->n + n);
}

void head_start(struct head *h, const struct head_style *style, int status)
{
    char line[80];
    snprintf(line, sizeof line, "HTTP/1.1 %d %s\r\n", status, reply_reason(status));
    h->n = h->sealed_n = h->date_at = 0;
    h->has_length = false;
    h->date_version = 0;
    add_text(h, line);
    if (style->server)
        head_add(h, "Server", SERVER_TOKEN);
    if (style->date) {
        h->date_at = (uint16_t)(h->n + 6);
        head_add(h, "Date", "Thu, 01 Jan 1970 00:00:00 GMT");
    }
}

void head_add(struct head *h, const char *name, const char *value)
{
    add_text(h, name);
    add_text(h, ": ");
    add_text(h, value);
    add_text(h, "\r\n");
}

void head_add_length(struct head *h, uint64_t length)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)length);
    head_add(h, "Content-Length", text);
    h->has_length = true;
}

void head_seal(struct head *h, struct str body)
{
    if (h->n + 2 + body.n > HEAD_SIZE)
        return;
    memcpy(h->bytes + h->n, "\r\n", 2);
    memcpy(h->bytes + h->n + 2, body.p, body.n);
    h->sealed_n = (uint16_t)(h->n + 2 + body.n);
}

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

void head_renew(struct head *h, const struct date *date)
{
    memcpy(h->bytes + h->date_at, date->text, DATE_LEN);
    h->date_version = date->version;
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
