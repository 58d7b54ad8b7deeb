/* field: the fields that change how a request is read or answered; all others are only checked for
   form. Anything that two readers could understand differently is refused: repeated or malformed
   Content-Length, Content-Length beside Transfer-Encoding, codings other than chunked (RFC 9112 6).
 */
#include "http/field.h"

#include "http/token.h"

/* What a host and port may have: the characters of a token and ( ) [ ] : , ; = (RFC 3986 3.2.2). */
const bool field_host_table[256] = {
    ['!'] = 1,         ['#' ... '.'] = 1, ['0' ... ';'] = 1, ['='] = 1,
    ['A' ... '['] = 1, [']' ... 'z'] = 1, ['|'] = 1,         ['~'] = 1,
};

/* Characters of a host, loosely: what can't be in a token, a name, an address or a port is refused.
 */
int field_take_host(struct str value, struct request *r)
{
    if (r->host.p)
        return -400; /* more than one (RFC 9112 3.2) */
    for (size_t i = 0; i < value.n; i++)
        if (!field_host_table[(unsigned char)value.p[i]])
            return -400;
    r->host = value;
    return 0;
}

static int take_host(struct str value, struct request *r, struct framing *f)
{
    (void)f;
    return field_take_host(value, r);
}

/* Strict digits (RFC 9110 8.6): no sign, no blank, no list; repeated, even with the same value, is
   refused. What doesn't fit into 64 bits is no length either. */
static int take_length(struct str value, struct request *r, struct framing *f)
{
    if (f->said & SAID_LENGTH || value.n == 0)
        return -400;
    f->said |= SAID_LENGTH;
    uint64_t length = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (!token_is_digit(value.p[i]))
            return -400;
        if (__builtin_mul_overflow(length, (uint64_t)10, &length) ||
            __builtin_add_overflow(length, (uint64_t)(value.p[i] - '0'), &length))
            return -400;
    }
    if (length > INT64_MAX)
        return -400;
    r->content_length = length;
    return 0;
}

static int take_encoding(struct str value, struct request *r, struct framing *f)
{
    struct str coding;
    f->said |= SAID_ENCODING;
    while (str_next_element(&value, &coding)) {
        if (!str_is_nocase(coding, STR("chunked")))
            return -501;
        if (r->chunked)
            return -400; /* chunked twice (RFC 9112 6.1) */
        r->chunked = true;
    }
    return r->chunked ? 0 : -400;
}

static int take_connection(struct str value, struct request *r, struct framing *f)
{
    (void)r;
    struct str option;
    while (str_next_element(&value, &option)) {
        if (str_is_nocase(option, STR("close")))
            f->said |= SAID_CLOSE;
        else if (str_is_nocase(option, STR("keep-alive")))
            f->said |= SAID_KEEP_ALIVE;
    }
    return 0;
}

static int take_expect(struct str value, struct request *r, struct framing *f)
{
    struct str wish;
    f->said |= SAID_EXPECT;
    while (str_next_element(&value, &wish)) {
        if (str_is_nocase(wish, STR("100-continue")))
            r->expect_continue = true;
        else
            r->expect_unknown = true;
    }
    return 0;
}

/* Fields that are kept as they are. A second one makes both void: conditions are optional to obey,
   and a list of ETags may be split over lines, which is rare enough to answer in full. */
static int keep(struct str *to, struct str value)
{
    *to = to->p ? (struct str){"", 0} : value;
    return 0;
}

/* Is the name at p, of n token characters, the lower-case one? 0x20 makes lower case of upper case
   and turns no other token character into a letter or a hyphen. */
static inline bool is_name(const char *p, const char *lower, size_t n)
{
    return words_are(p, lower, n, 0x2020202020202020);
}

/* The fields that matter, by length, so that those of one length are neighbours. */
static const struct known {
    struct str name;
    int (*take)(struct str value, struct request *r, struct framing *f);
    size_t keep_at; /* without take: where in struct request */
} known[] = {
    {STR("host"), take_host, 0},
    {STR("range"), NULL, offsetof(struct request, range)},
    {STR("expect"), take_expect, 0},
    {STR("if-range"), NULL, offsetof(struct request, if_range)},
    {STR("if-match"), NULL, offsetof(struct request, if_match)},
    {STR("connection"), take_connection, 0},
    {STR("if-none-match"), NULL, offsetof(struct request, if_none_match)},
    {STR("content-length"), take_length, 0},
    {STR("transfer-encoding"), take_encoding, 0},
    {STR("if-modified-since"), NULL, offsetof(struct request, if_modified_since)},
    {STR("if-unmodified-since"), NULL, offsetof(struct request, if_unmodified_since)},
    {STR(""), NULL, 0},
};

/* Where in known[] the names of a length begin; 11, the empty name, where there are none. */
static const uint8_t first_known[20] = {11, 11, 11, 11, 0, 1,  2,  11, 3,  11,
                                        5,  11, 11, 6,  7, 11, 11, 8,  11, 10};

static int take_named(struct str name, struct str value, struct request *r, struct framing *f)
{
    if (name.n >= sizeof first_known)
        return 0;
    for (const struct known *k = &known[first_known[name.n]]; k->name.n == name.n; k++)
        if (is_name(name.p, k->name.p, name.n))
            return k->take ? k->take(value, r, f)
                           : keep((struct str *)(void *)((char *)r + k->keep_at), value);
    return 0;
}

/* field-line = field-name ":" OWS field-value OWS (RFC 9112 5). The name must touch the colon
   (5.1), and a line that begins with a blank (obs-fold, 5.2) has no name. Control characters never
   get here. */
int field_take(struct str line, uint64_t odd, struct request *request, struct framing *framing)
{
    size_t name = odd ? (unsigned)__builtin_ctzll(odd) : token_run(line.p);
    if (line.p[name] != ':')
        name = token_run(line.p); /* it has a '#', or is long */
    if (line.p[name] != ':' || name == 0)
        return -400;
    struct str value = field_trim(line.p + name + 1, line.p + line.n);
    return take_named((struct str){line.p, name}, value, request, framing);
}

int field_judge(struct request *r, const struct framing *f)
{
    if (r->minor >= 1 && !r->host.p)
        return -400; /* RFC 9112 3.2 */
    if (f->said & SAID_ENCODING && (f->said & SAID_LENGTH || r->minor == 0))
        return -400;   /* RFC 9112 6.1 */
    if (r->minor == 0) /* RFC 9110 10.1.1: ignored */
        r->expect_continue = r->expect_unknown = false;
    r->close =
        f->said & SAID_CLOSE || (r->minor == 0 && !(f->said & SAID_KEEP_ALIVE)); /* RFC 9112 9.3 */
    return 0;
}
