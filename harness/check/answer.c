/* answer: parsing of HTTP/1.x answers, written from RFC 9112 for the checks alone, so that a bug of
   the servers' parser can't hide here. It is strict: what a careful client would distrust (bare LF,
   two lengths, folded lines, length beside chunked) is no answer. Each call begins from the first
   byte; answers are few and short enough for that. */
#include "check/answer.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct view { /* the rest of the bytes while parsing */
    const char *p;
    size_t n;
};

struct length { /* what the head says about the body */
    bool chunked, given;
    size_t len;
};

const char *framing_name(enum framing f)
{
    static const char *const names[] = {"none", "length", "chunked", "close"};
    return names[f];
}

void answer_fini(struct answer *a)
{
    free(a->head);
    free(a->body);
    a->head = a->body = NULL;
}

static int refuse(struct answer *a, const char *why)
{
    a->malformed = why;
    return -1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* RFC 9110 5.6.2 */
static bool is_token(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Length of a head with its empty line, 0 = not there yet. */
static size_t head_length(const char *p, size_t n)
{
    const char *end = memmem(p, n, "\r\n\r\n", 4);
    return end ? (size_t)(end - p) + 4 : 0;
}

/* RFC 9112 4: HTTP/1.x SP 3DIGIT SP [reason] CRLF */
static int parse_status_line(const char *p, size_t n, struct answer *a)
{
    if (n < 15 || memcmp(p, "HTTP/1.", 7) != 0 || !is_digit(p[7]) || p[8] != ' ')
        return refuse(a, "it does not begin with HTTP/1.x");
    if (!is_digit(p[9]) || !is_digit(p[10]) || !is_digit(p[11]) || p[9] == '0')
        return refuse(a, "its status is not three digits");
    if (p[12] != ' ' && p[12] != '\r')
        return refuse(a, "no blank after its status");
    a->minor = p[7] - '0';
    a->status = (p[9] - '0') * 100 + (p[10] - '0') * 10 + (p[11] - '0');
    return 0;
}

static bool named(const char *name, size_t n, const char *wanted)
{
    return n == strlen(wanted) && strncasecmp(name, wanted, n) == 0;
}

static int note_length(const char *value, size_t n, struct length *l, struct answer *a)
{
    size_t len = 0;
    if (n == 0)
        return refuse(a, "Content-Length is empty");
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(value[i]))
            return refuse(a, "Content-Length is no number");
        len = len * 10 + (size_t)(value[i] - '0');
        if (len > ANSWER_BODY_MAX)
            return refuse(a, "its body is longer than 64 MiB");
    }
    if (l->given && l->len != len)
        return refuse(a, "two Content-Length headers contradict each other");
    l->given = true;
    l->len = len;
    return 0;
}

static int note_header(struct view name, struct view value, struct length *l, struct answer *a)
{
    if (named(name.p, name.n, "content-length"))
        return note_length(value.p, value.n, l, a);
    if (!named(name.p, name.n, "transfer-encoding"))
        return 0;
    if (l->chunked || !named(value.p, value.n, "chunked"))
        return refuse(a, "Transfer-Encoding is not just chunked");
    l->chunked = true;
    return 0;
}

/* Splits one header line (without CRLF) into name and trimmed value. Returns 0 or -1. */
static int split_header(const char *p, size_t n, struct view *name, struct view *value)
{
    size_t i = 0;
    while (i < n && is_token(p[i]))
        i++;
    if (i == 0 || i == n || p[i] != ':')
        return -1;
    *name = (struct view){p, i};
    for (i++; i < n && is_blank(p[i]); i++)
        ;
    while (n > i && is_blank(p[n - 1]))
        n--;
    *value = (struct view){p + i, n - i};
    return 0;
}

/* Takes the next header line off a head's rest. false = that was the empty line; a line that can't
   be split has an empty name. */
static bool next_header(struct view *rest, struct view *name, struct view *value)
{
    const char *end = memmem(rest->p, rest->n, "\r\n", 2);
    if (!end || end == rest->p)
        return false;
    size_t n = (size_t)(end - rest->p);
    if (split_header(rest->p, n, name, value) < 0)
        *name = *value = (struct view){rest->p, 0};
    rest->p += n + 2;
    rest->n -= n + 2;
    return true;
}

/* The header lines of a head. */
static struct view header_lines(const char *head, size_t n)
{
    const char *p = memmem(head, n, "\r\n", 2);
    return (struct view){p + 2, n - (size_t)(p + 2 - head)};
}

static int parse_head(const char *p, size_t n, struct length *l, struct answer *a)
{
    if (parse_status_line(p, n, a) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\0' || (p[i] == '\n' && p[i - 1] != '\r') ||
            (p[i] == '\r' && p[i + 1] != '\n'))
            return refuse(a, "its head has a bare CR, LF or NUL");
    }
    struct view rest = header_lines(p, n), name, value;
    while (next_header(&rest, &name, &value)) {
        if (name.n == 0)
            return refuse(a, "a header line is not name: value");
        if (note_header(name, value, l, a) < 0)
            return -1;
    }
    if (l->chunked && l->given)
        return refuse(a, "it has both Content-Length and chunked");
    return 0;
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a chunk's size line. Returns 1 (rest is after it), 0 = more needed, or -1. */
static int chunk_size(struct view *rest, size_t *size, struct answer *a)
{
    const char *end = memmem(rest->p, rest->n, "\r\n", 2);
    if (!end)
        return rest->n > 256 ? refuse(a, "a chunk's size line is too long") : 0;
    size_t i = 0, n = (size_t)(end - rest->p);
    for (*size = 0; i < n && hex_value(rest->p[i]) >= 0; i++) {
        *size = *size * 16 + (size_t)hex_value(rest->p[i]);
        if (*size > ANSWER_BODY_MAX)
            return refuse(a, "a chunk is longer than 64 MiB");
    }
    if (i == 0 || (i < n && rest->p[i] != ';' && !is_blank(rest->p[i])))
        return refuse(a, "a chunk's size is no hexadecimal number");
    rest->p += n + 2;
    rest->n -= n + 2;
    return 1;
}

/* Skips trailer lines and the empty line. Returns as chunk_size. */
static int skip_trailers(struct view *rest)
{
    for (;;) {
        const char *end = memmem(rest->p, rest->n, "\r\n", 2);
        if (!end)
            return 0;
        size_t n = (size_t)(end - rest->p);
        rest->p += n + 2;
        rest->n -= n + 2;
        if (n == 0)
            return 1;
    }
}

/* Decodes a chunked body (RFC 9112 7.1) into body, which has room for n bytes. Returns the bytes
   taken, 0 = more needed, or -1. */
static ssize_t decode_chunks(const char *p, size_t n, char *body, struct answer *a)
{
    struct view rest = {p, n};
    for (;;) {
        size_t size;
        int rc = chunk_size(&rest, &size, a);
        if (rc <= 0)
            return rc;
        if (size == 0)
            break;
        if (rest.n < size + 2)
            return 0;
        if (memcmp(rest.p + size, "\r\n", 2) != 0)
            return refuse(a, "a chunk does not end where its size says");
        memcpy(body + a->body_len, rest.p, size);
        a->body_len += size;
        rest.p += size + 2;
        rest.n -= size + 2;
    }
    return skip_trailers(&rest) ? rest.p - p : 0;
}

static ssize_t take_chunked(const char *p, size_t n, struct answer *a)
{
    a->body = xcalloc(n + 1, 1);
    ssize_t taken = decode_chunks(p, n, a->body, a);
    if (taken > 0)
        return taken;
    free(a->body);
    a->body = NULL;
    a->body_len = 0;
    return taken < 0 || n <= ANSWER_BODY_MAX ? taken : refuse(a, "its body is longer than 64 MiB");
}

/* The body that follows a head: RFC 9112 6.3. Returns its bytes on the wire, -1, or -2 = more
   needed. */
static ssize_t take_body(struct view rest, bool eof, const struct length *l, struct answer *a)
{
    if (l->chunked) {
        a->framing = FRAMING_CHUNKED;
        ssize_t n = take_chunked(rest.p, rest.n, a);
        return n == 0 ? -2 : n;
    }
    a->framing = l->given ? FRAMING_LENGTH : FRAMING_CLOSE;
    if (l->given ? rest.n < l->len : !eof)
        return rest.n > ANSWER_BODY_MAX ? refuse(a, "its body is longer than 64 MiB") : -2;
    a->body_len = l->given ? l->len : rest.n;
    a->body = xcalloc(a->body_len + 1, 1);
    memcpy(a->body, rest.p, a->body_len);
    return (ssize_t)a->body_len;
}

static bool bodiless(const struct answer *a, bool to_head)
{
    return to_head || a->status == 204 || a->status == 304;
}

/* Parses a head that is not 1xx. Returns its length, 0 or -1; skipped = bytes of 1xx before it. */
static ssize_t final_head(struct view in, struct length *l, struct answer *a, size_t *skipped)
{
    for (*skipped = 0;;) {
        size_t head = head_length(in.p, in.n);
        if (head > ANSWER_HEAD_MAX || (head == 0 && in.n > ANSWER_HEAD_MAX))
            return refuse(a, "its head is longer than 64 KiB");
        if (head == 0)
            return 0;
        *l = (struct length){0};
        if (parse_head(in.p, head, l, a) < 0)
            return -1;
        if (a->status >= 200)
            return (ssize_t)head;
        if (a->status == 101 || ++a->interim > 16)
            return refuse(a, "it switches protocols, or has too many 1xx before it");
        a->interim_status = a->status;
        *skipped += head;
        in.p += head;
        in.n -= head;
    }
}

ssize_t answer_parse(const char *p, size_t n, bool to_head, bool eof, struct answer *a)
{
    struct length l;
    size_t skipped;
    *a = (struct answer){0};
    ssize_t head = final_head((struct view){p, n}, &l, a, &skipped);
    if (head <= 0)
        return head;
    struct view rest = {p + skipped + head, n - skipped - (size_t)head};
    ssize_t body = 0;
    if (bodiless(a, to_head))
        a->body = xstrdup("");
    else
        body = take_body(rest, eof, &l, a);
    if (body < 0)
        return body == -2 ? 0 : -1;
    a->head = xstrndup(p + skipped, (size_t)head);
    a->head_len = (size_t)head;
    a->wire_len = (size_t)(head + body);
    return (ssize_t)(skipped + a->wire_len);
}

bool answer_header(const struct answer *a, const char *wanted, char *to, size_t size)
{
    struct view rest = header_lines(a->head, a->head_len), name, value;
    while (next_header(&rest, &name, &value)) {
        if (!named(name.p, name.n, wanted))
            continue;
        size_t n = value.n < size ? value.n : size - 1;
        memcpy(to, value.p, n);
        to[n] = '\0';
        return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct view *x = a, *y = b;
    int c = strncasecmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

void answer_header_names(const struct answer *a, char *to, size_t size)
{
    struct view rest = header_lines(a->head, a->head_len), names[64], value;
    size_t n = 0, at = 0;
    while (n < 64 && next_header(&rest, &names[n], &value))
        n++;
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n && at + names[i].n + 2 < size; i++) {
        if (i > 0)
            to[at++] = ' ';
        for (size_t k = 0; k < names[i].n; k++) {
            char c = names[i].p[k];
            to[at++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
        }
    }
    to[at] = '\0';
}
