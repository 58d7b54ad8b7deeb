/* reply_head: the status line and the fields of one response head (RFC 9112 sections 4, 5 and 6;
   field syntax RFC 9110 section 5). Keeps only what framing and the connection's life depend on. */
#include "volley/reply.h"

#include <string.h>
#include <strings.h>

struct text {
    const char *p;
    size_t n;
};

enum {
    DATE_LEN = 29
}; /* Sun, 06 Nov 1994 08:49:37 GMT (RFC 9110 section 5.6.7) */

/* What the fields say, before rules are applied to it. */
struct fields {
    bool chunked, close, keep_alive;
};

static long wrong(struct reply_head *h, const char *why)
{
    h->wrong = why;
    return -1;
}

static bool is(struct text t, const char *word)
{
    return t.n == strlen(word) && strncasecmp(t.p, word, t.n) == 0;
}

/* token characters, RFC 9110 section 5.6.2 */
static bool is_token(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static struct text trimmed(struct text t)
{
    while (t.n && (*t.p == ' ' || *t.p == '\t'))
        t.p++, t.n--;
    while (t.n && (t.p[t.n - 1] == ' ' || t.p[t.n - 1] == '\t'))
        t.n--;
    return t;
}

static bool value_is_clean(struct text t)
{
    for (size_t i = 0; i < t.n; i++)
        if (((unsigned char)t.p[i] < 0x20 && t.p[i] != '\t') || t.p[i] == 0x7f)
            return false;
    return true;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* status-line = HTTP-version SP status-code SP [ reason-phrase ] (RFC 9112 section 4). Some servers
   leave the last space out when there is no reason; nobody misreads that. */
static bool status_line(struct reply_head *h, struct text l, bool *http10)
{
    if (l.n < 12 || memcmp(l.p, "HTTP/1.", 7) != 0 || (l.p[7] != '0' && l.p[7] != '1') ||
        l.p[8] != ' ' || !digit(l.p[9]) || !digit(l.p[10]) || !digit(l.p[11]) ||
        (l.n > 12 && l.p[12] != ' ') || !value_is_clean(l))
        return false;
    *http10 = l.p[7] == '0';
    h->status = (l.p[9] - '0') * 100 + (l.p[10] - '0') * 10 + (l.p[11] - '0');
    return h->status >= 100 && h->status <= 599;
}

static const char *content_length(struct reply_head *h, struct text v)
{
    uint64_t length = 0;
    if (v.n == 0 || v.n > 18)
        return "a Content-Length that is no number of a sane size";
    for (size_t i = 0; i < v.n; i++) {
        if (!digit(v.p[i]))
            return "a Content-Length that is no number";
        length = length * 10 + (uint64_t)(v.p[i] - '0');
    }
    if (h->has_length && h->length != length)
        return "two different Content-Lengths";
    h->has_length = true;
    h->length = length;
    return NULL;
}

static void connection(struct fields *f, struct text v)
{
    while (v.n) {
        const char *comma = memchr(v.p, ',', v.n);
        size_t n = comma ? (size_t)(comma - v.p) : v.n;
        struct text word = trimmed((struct text){v.p, n});
        if (is(word, "close"))
            f->close = true;
        else if (is(word, "keep-alive"))
            f->keep_alive = true;
        n += comma ? 1 : 0;
        v.p += n, v.n -= n;
    }
}

/* field-line = field-name ":" OWS field-value OWS. Returns NULL, or what is wrong. */
static const char *field(struct reply_head *h, struct fields *f, struct text l, const char *start)
{
    size_t n = 0;
    while (n < l.n && is_token((unsigned char)l.p[n]))
        n++;
    /* No white space before the colon (RFC 9112 section 5.1), no folded lines (section 5.2). */
    if (n == 0 || n == l.n || l.p[n] != ':')
        return "a header field without a proper name";
    struct text name = {l.p, n}, value = trimmed((struct text){l.p + n + 1, l.n - n - 1});
    if (!value_is_clean(value))
        return "a control character in a header field";
    if (is(name, "content-length"))
        return content_length(h, value);
    if (is(name, "transfer-encoding")) {
        if (!is(value, "chunked") || f->chunked)
            return "a Transfer-Encoding other than chunked";
        f->chunked = true;
    } else if (is(name, "connection")) {
        connection(f, value);
    } else if (is(name, "date") && value.n == DATE_LEN) {
        h->date_at = (size_t)(value.p - start);
    }
    return NULL;
}

/* RFC 9112 section 6.3, and section 9.3 for how long the connection lives. */
static const char *decide(struct reply_head *h, const struct fields *f, bool http10, bool to_head)
{
    if (f->chunked && h->has_length)
        return "both Transfer-Encoding and Content-Length";
    if (f->chunked && http10)
        return "chunked in an HTTP/1.0 answer";
    if (h->status == 101)
        return "101 Switching Protocols that nobody asked for";
    bool bodiless = to_head || h->status < 200 || h->status == 204 || h->status == 304;
    h->framing = bodiless        ? REPLY_NO_BODY
                 : f->chunked    ? REPLY_CHUNKED
                 : h->has_length ? REPLY_LENGTH
                                 : REPLY_UNTIL_CLOSE;
    h->keep_alive = !f->close && (!http10 || f->keep_alive) && h->framing != REPLY_UNTIL_CLOSE;
    return NULL;
}

/* The next line, without its CRLF. Returns 1, 0 when it is incomplete, or -1 for a CR or LF alone.
 */
static int line(const char *p, size_t n, struct text *l)
{
    const char *lf = memchr(p, '\n', n);
    const char *cr = memchr(p, '\r', lf ? (size_t)(lf - p) : n);
    if (!lf)
        return cr && cr != p + n - 1 ? -1 : 0;
    if (!cr || cr != lf - 1)
        return -1;
    *l = (struct text){p, (size_t)(cr - p)};
    return 1;
}

long reply_head_read(struct reply_head *h, const char *p, size_t n, bool to_head_request)
{
    struct fields f = {0};
    bool http10 = false, first = true;
    size_t at = 0;
    *h = (struct reply_head){0};
    if (memcmp(p, "HTTP/1.", n < 7 ? n : 7) != 0)
        return wrong(h, "something that is no HTTP/1 answer");
    for (;; first = false) {
        struct text l;
        int whole = line(p + at, n - at, &l);
        if (whole < 0)
            return wrong(h, "a line of the head that doesn't end in CR LF");
        if (!whole)
            return n < REPLY_HEAD_MAX ? 0 : wrong(h, "a head of more than 16 KB");
        at += l.n + 2;
        if (at > REPLY_HEAD_MAX)
            return wrong(h, "a head of more than 16 KB");
        if (first && !status_line(h, l, &http10))
            return wrong(h, "a malformed status line");
        if (!first && l.n == 0)
            break;
        const char *why = first ? NULL : field(h, &f, l, p);
        if (why)
            return wrong(h, why);
    }
    const char *why = decide(h, &f, http10, to_head_request);
    return why ? wrong(h, why) : (long)at;
}
