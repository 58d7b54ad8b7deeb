/* reply: where in an answer we are. The head is read whole by reply_head.c; body and chunks are
   taken as they come, a byte at a time if need be. See reply.h. */
#include "volley/reply.h"

#include <assert.h>
#include <string.h>

enum phase {
    IN_HEAD,
    IN_BODY,
    IN_CHUNKS,
    UNTIL_CLOSE,
    AT_END
};

/* chunked-body, RFC 9112 section 7.1. Names say what comes next. */
enum chunk {
    SIZE,
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER,
    TRAILER_REST,
    TRAILER_LF,
    LAST_LF
};

enum {
    LINE_MAX_LEN = 4096,
    SIZE_DIGITS_MAX = 15
};

static const unsigned char phase_after_head[] = {
    [REPLY_NO_BODY] = AT_END,
    [REPLY_LENGTH] = IN_BODY,
    [REPLY_CHUNKED] = IN_CHUNKS,
    [REPLY_UNTIL_CLOSE] = UNTIL_CLOSE,
};

void reply_start(struct reply *r, bool to_head_request)
{
    *r = (struct reply){.to_head_request = to_head_request};
}

void reply_adopt(struct reply *r, const struct reply_head *head)
{
    r->head = *head;
    r->phase = phase_after_head[head->framing];
    r->left = head->framing == REPLY_LENGTH ? head->length : 0;
    r->body_len = 0;
    r->chunk = SIZE;
    r->line_len = 0;
}

void reply_skip(struct reply *r, uint64_t n)
{
    assert(r->phase == IN_BODY && n <= r->left);
    r->left -= n;
    r->body_len += n;
}

uint64_t reply_body_left(const struct reply *r)
{
    return r->phase == IN_BODY ? r->left : 0;
}

static struct reply_step bad(struct reply *r, const char *why)
{
    r->head.wrong = why;
    return (struct reply_step){.event = REPLY_BAD};
}

static struct reply_step body(struct reply *r, const char *p, size_t before, size_t n)
{
    r->body_len += n;
    return (struct reply_step){
        .event = REPLY_BODY, .used = before + n, .body = p + before, .body_len = n};
}

static struct reply_step next_head(struct reply *r, const char *p, size_t n)
{
    size_t passed = 0;
    while (passed < n) {
        struct reply_head h;
        long len = reply_head_read(&h, p + passed, n - passed, r->to_head_request);
        if (len < 0)
            return bad(r, h.wrong);
        if (len == 0)
            break;
        passed += (size_t)len;
        if (h.status >= 200) {
            h.date_at = passed == (size_t)len ? h.date_at : 0;
            reply_adopt(r, &h);
            return (struct reply_step){.event = REPLY_HEAD, .used = passed};
        }
    }
    /* Interim heads are used up; an incomplete one must come again. */
    return (struct reply_step){.event = REPLY_MORE, .used = passed};
}

static struct reply_step next_body(struct reply *r, const char *p, size_t n)
{
    if (r->left == 0) {
        r->phase = AT_END;
        return (struct reply_step){.event = REPLY_END};
    }
    if (n == 0)
        return (struct reply_step){.event = REPLY_MORE};
    size_t take = n < r->left ? n : (size_t)r->left;
    r->left -= take;
    return body(r, p, 0, take);
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* chunk-size [ chunk-ext ] CRLF. Returns what is wrong, or NULL. */
static const char *size_byte(struct reply *r, char c)
{
    int digit = hex(c);
    if (digit >= 0) {
        if (++r->line_len > SIZE_DIGITS_MAX)
            return "a chunk size of more than 15 digits";
        r->left = r->left * 16 + (unsigned)digit;
        return NULL;
    }
    if (r->line_len == 0)
        return "a chunk without a size";
    if (c != '\r' && c != ';' && c != ' ' && c != '\t')
        return "a chunk size that is no hexadecimal number";
    r->chunk = c == '\r' ? SIZE_LF : EXTENSION;
    return NULL;
}

/* The rest of a line that we don't read: up to its CR. */
static const char *rest_byte(struct reply *r, char c, enum chunk then)
{
    if (c == '\n')
        return "a line in a chunked body that ends without CR";
    if (++r->line_len > LINE_MAX_LEN)
        return "a line of more than 4 KB in a chunked body";
    if (c == '\r')
        r->chunk = (unsigned char)then;
    return NULL;
}

static const char *expect_byte(struct reply *r, char c, char wanted, enum chunk then)
{
    if (c != wanted)
        return "a chunk or line that doesn't end in CR LF";
    r->chunk = (unsigned char)then;
    r->line_len = 0;
    return NULL;
}

/* A byte outside of chunk data. */
static const char *chunk_byte(struct reply *r, char c)
{
    switch ((enum chunk)r->chunk) {
    case SIZE: return size_byte(r, c);
    case EXTENSION: return rest_byte(r, c, SIZE_LF);
    case SIZE_LF: return expect_byte(r, c, '\n', r->left ? DATA : TRAILER);
    case DATA_CR: return expect_byte(r, c, '\r', DATA_LF);
    case DATA_LF: return expect_byte(r, c, '\n', SIZE);
    case TRAILER:
        if (c == '\r') {
            r->chunk = LAST_LF;
            return NULL;
        }
        r->chunk = TRAILER_REST;
        return rest_byte(r, c, TRAILER_LF);
    case TRAILER_REST: return rest_byte(r, c, TRAILER_LF);
    case TRAILER_LF: return expect_byte(r, c, '\n', TRAILER);
    case LAST_LF:
        r->phase = AT_END;
        return c == '\n' ? NULL : "a chunked body that doesn't end in CR LF";
    case DATA: break; /* not called for these */
    }
    return "a chunk in no known state";
}

static struct reply_step next_chunked(struct reply *r, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (r->chunk == DATA) {
            size_t take = n - i < r->left ? n - i : (size_t)r->left;
            r->left -= take;
            if (r->left == 0)
                r->chunk = DATA_CR;
            return body(r, p, i, take);
        }
        const char *why = chunk_byte(r, p[i]);
        if (why)
            return bad(r, why);
        if (r->phase == AT_END)
            return (struct reply_step){.event = REPLY_END, .used = i + 1};
    }
    return (struct reply_step){.event = REPLY_MORE, .used = n};
}

struct reply_step reply_next(struct reply *r, const char *p, size_t n)
{
    switch ((enum phase)r->phase) {
    case IN_HEAD: return next_head(r, p, n);
    case IN_BODY: return next_body(r, p, n);
    case IN_CHUNKS: return next_chunked(r, p, n);
    case UNTIL_CLOSE: return n ? body(r, p, 0, n) : (struct reply_step){.event = REPLY_MORE};
    case AT_END: break;
    }
    return (struct reply_step){.event = REPLY_END};
}

enum reply_event reply_eof(struct reply *r)
{
    if (r->phase == UNTIL_CLOSE || r->phase == AT_END) {
        r->phase = AT_END;
        return REPLY_END;
    }
    r->head.wrong = "an answer that ends early";
    return REPLY_BAD;
}
