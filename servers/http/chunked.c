/* chunked: a machine that eats a byte at a time outside of data and whole runs of data. Chunk
   extensions and trailers are checked for form and left out. Strict: CRLF only, sizes of at most 16
   hex digits. */
#include "http/chunked.h"

#include "http/token.h"

#include <string.h>

#define OVERHEAD_MAX 8192

enum state {
    SIZE_FIRST, /* at least one digit */
    SIZE,
    SIZE_BLANK, /* blanks before an extension or the line's end (BWS) */
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER_FIRST, /* at the start of a trailer line, or the last blank line */
    TRAILER_NAME,
    TRAILER,
    TRAILER_LF,
    LAST_LF
};

static int size_digit(struct chunked *c, char byte)
{
    int digit = token_hex(byte);
    if (digit < 0)
        return -1;
    if (c->left >> 59)
        return -1; /* beyond 63 bits with this digit */
    c->left = c->left << 4 | (uint64_t)digit;
    return SIZE;
}

/* After the digits of a size: what ends them, or another digit. */
static int size_next(struct chunked *c, char byte)
{
    switch (byte) {
    case '\r': return SIZE_LF;
    case ';': return EXTENSION;
    case ' ':
    case '\t': return SIZE_BLANK;
    default: return c->state == SIZE ? size_digit(c, byte) : -1;
    }
}

/* Text up to the line's end: no control characters but tab. */
static int text(char byte, int same, int end)
{
    if (byte == '\r')
        return end;
    return ((unsigned char)byte < 0x20 && byte != '\t') || byte == 0x7f ? -1 : same;
}

static int trailer_name(char byte)
{
    if (byte == ':')
        return TRAILER;
    return token_is(byte) ? TRAILER_NAME : -1;
}

static int expect(char byte, char wanted, int then)
{
    return byte == wanted ? then : -1;
}

static int after_size(struct chunked *c, char byte)
{
    c->overhead = 0;
    return expect(byte, '\n', c->left > 0 ? DATA : TRAILER_FIRST);
}

/* The state after one byte that isn't data, or -1. */
static int step(struct chunked *c, char byte)
{
    switch ((enum state)c->state) {
    case SIZE_FIRST: return size_digit(c, byte);
    case SIZE:
    case SIZE_BLANK: return size_next(c, byte);
    case EXTENSION: return text(byte, EXTENSION, SIZE_LF);
    case SIZE_LF: return after_size(c, byte);
    case DATA_CR: return expect(byte, '\r', DATA_LF);
    case DATA_LF: return expect(byte, '\n', SIZE_FIRST);
    case TRAILER_FIRST: return byte == '\r' ? LAST_LF : token_is(byte) ? TRAILER_NAME : -1;
    case TRAILER_NAME: return trailer_name(byte);
    case TRAILER: return text(byte, TRAILER, TRAILER_LF);
    case TRAILER_LF: return expect(byte, '\n', TRAILER_FIRST);
    case LAST_LF: c->done = byte == '\n'; return c->done ? LAST_LF : -1;
    case DATA: break;
    }
    return -1;
}

static size_t take_data(struct chunked *c, char *to, const char *from, size_t n)
{
    size_t run = c->left < n ? (size_t)c->left : n;
    if (to != from)
        memmove(to, from, run);
    c->left -= run;
    if (c->left == 0)
        c->state = DATA_CR;
    return run;
}

ssize_t chunked_decode(struct chunked *c, char *p, size_t n, size_t *body)
{
    size_t at = 0;
    *body = 0;
    while (at < n && !c->done) {
        if (c->state == DATA) {
            size_t run = take_data(c, p + *body, p + at, n - at);
            *body += run;
            at += run;
            continue;
        }
        int next = step(c, p[at++]);
        if (next < 0 || ++c->overhead > OVERHEAD_MAX)
            return -1;
        c->state = (uint8_t)next;
    }
    return (ssize_t)at;
}
