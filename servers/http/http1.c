/* http1: splits a request head into lines (RFC 9112 2.2, 3) and checks the request line; what a
   field means is field.c's. Strict where leniency has led to request smuggling: CRLF only, no
   folding, no blanks around a field name, no control characters, printable ASCII targets. */
#include "http/http1.h"

#include "http/field.h"
#include "http/scan.h"
#include "http/token.h"

#include <endian.h>

/* The marks of the block that begins at base. */
struct block {
    size_t base;
    struct marks marks;
};

static inline void mark_from(struct marks *marks, struct str in, size_t at)
{
    scan_block(in.p + at, in.n - at, marks);
}

/* The first control character from at on, in.n: none; the marks are then of the block from at on.
 */
static __attribute__((noinline)) size_t far_control(struct marks *marks, struct str in, size_t at)
{
    mark_from(marks, in, at);
    struct marks far = *marks;
    for (; !far.control && in.n - at > SCAN_BLOCK; mark_from(&far, in, at))
        at += SCAN_BLOCK;
    return far.control ? at + (unsigned)__builtin_ctzll(far.control) : in.n;
}

/* The same for the line that begins at at < in.n. Afterwards the marked block has the line from its
   beginning on: up to its end, or SCAN_BLOCK bytes of it. */
static inline size_t line_end(struct block *b, struct str in, size_t at)
{
    size_t skip = at - b->base;
    if (skip < SCAN_BLOCK && b->marks.control >> skip)
        return at + (unsigned)__builtin_ctzll(b->marks.control >> skip);
    b->base = at;
    return far_control(&b->marks, in, at);
}

/* Bit i: character i of the line that begins at at, whose end was the last one looked for, is odd.
 */
static inline uint64_t odd_from(const struct block *b, size_t at)
{
    return b->marks.odd >> (at - b->base);
}

static inline bool is_crlf(const char *p)
{
    return memcmp(p, "\r\n", 2) == 0;
}

/* Does a line with its first control character at end end there, with CRLF? */
static inline bool is_whole(struct str in, size_t end)
{
    return in.n - end >= 2 && is_crlf(in.p + end);
}

/* Of one that doesn't: where it ends, for a control character is in it, or its LF is bare; 0: it
   hasn't come to its end. */
static __attribute__((noinline)) size_t broken_end(struct str in, size_t end)
{
    if (end == in.n || (in.p[end] == '\r' && end + 1 == in.n))
        return 0;
    const char *feed = memchr(in.p + end, '\n', in.n - end);
    return feed ? (size_t)(feed - in.p) + 1 : 0;
}

static enum method method_of(struct str name)
{
    static const struct {
        struct str name;
        enum method method;
    } known[] = {
        {STR("GET"), METHOD_GET},         {STR("POST"), METHOD_POST},
        {STR("HEAD"), METHOD_HEAD},       {STR("OPTIONS"), METHOD_OPTIONS},
        {STR("PUT"), METHOD_OTHER},       {STR("DELETE"), METHOD_OTHER},
        {STR("PATCH"), METHOD_OTHER},     {STR("TRACE"), METHOD_OTHER},
        {STR("CONNECT"), METHOD_CONNECT},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_is(name, known[i].name))
            return known[i].method;
    return METHOD_UNKNOWN;
}

/* "HTTP/1.1" at the end of the request line (RFC 9112 2.3): 0, -400 or -505. */
static int take_version(const char *version, struct request *r)
{
    r->minor = 1;
    if (memcmp(version, "HTTP/1.1", 8) == 0)
        return 0;
    if (memcmp(version, "HTTP/", 5) != 0 || version[6] != '.' || !token_is_digit(version[5]) ||
        !token_is_digit(version[7]))
        return -400;
    r->minor = version[7] - '0';
    return version[5] == '1' ? 0 : -505;
}

/* "http://host:port" off the front of an absolute-form target. */
static bool take_authority(struct str *path)
{
    size_t scheme = 0;
    if (path->n >= 7 && str_is_nocase((struct str){path->p, 7}, STR("http://")))
        scheme = 7;
    else if (path->n >= 8 && str_is_nocase((struct str){path->p, 8}, STR("https://")))
        scheme = 8;
    if (scheme == 0)
        return false;
    size_t i = scheme;
    while (i < path->n && path->p[i] != '/' && path->p[i] != '?')
        i++;
    if (i == scheme)
        return false;
    *path = str_after(*path, i);
    return true;
}

/* Where in eight characters of a target the first one is that isn't plain: a blank, '#', '?' or not
   ASCII. Its mark is the top bit of its byte; marks behind the first mean nothing (borrows travel
   upwards, see scan.c). 0: all are plain. */
static inline uint64_t mark_special(const char *p)
{
    const uint64_t ones = 0x0101010101010101ULL, tops = ones << 7;
    uint64_t word;
    memcpy(&word, p, sizeof word);
    word = le64toh(word);
    uint64_t hash = word ^ ones * '#', mark = word ^ ones * '?';
    return (((word - ones * 0x21) & ~word) | ((hash - ones) & ~hash) | ((mark - ones) & ~mark) |
            word) &
           tops;
}

/* The same for a whole target: its index. The blank behind the target ends the search, and the
   version that follows it is why whole words can be read. */
static inline size_t find_special(const char *p, size_t at)
{
    uint64_t marks;
    while (!(marks = mark_special(p + at)))
        at += 8;
    return at + (size_t)__builtin_ctzll(marks) / 8;
}

/* All but the origin-form: absolute, authority (CONNECT only), asterisk (OPTIONS only):
   RFC 9112 3.2. */
static __attribute__((noinline)) int take_other_form(struct request *r)
{
    if (str_is(r->target, STR("*")))
        return r->method == METHOD_OPTIONS ? 0 : -400;
    if (r->method == METHOD_CONNECT) { /* an authority: refused later, whatever it is */
        r->path = r->target;
        return 0;
    }
    if (!take_authority(&r->path))
        return -400;
    if (r->path.n == 0)
        r->path = STR("/");
    return 0;
}

static int take_target(struct str target, struct request *r)
{
    size_t at = find_special(target.p, 0), query = at;
    while (at < target.n) {
        if (target.p[at] != '?')
            return -400;
        at = find_special(target.p, at + 1);
    }
    r->target = target;
    r->path = (struct str){target.p, query};
    return target.p[0] == '/' ? 0 : take_other_form(r);
}

/* By any method, to any target. */
static __attribute__((noinline)) int take_any_line(struct str line, struct request *r)
{
    size_t name = token_run(line.p);
    if (name == 0 || name + 11 > line.n || line.p[name] != ' ' || line.p[line.n - 9] != ' ')
        return -400;
    int refused = take_version(line.p + line.n - 8, r);
    if (refused)
        return refused;
    r->method = method_of((struct str){line.p, name});
    refused = take_target((struct str){line.p + name + 1, line.n - name - 10}, r);
    if (refused)
        return refused;
    return r->method == METHOD_UNKNOWN ? -501 : 0;
}

/* Most ask with GET and HTTP/1.1 for a target whose first slash is its only odd character. */
static inline int take_request_line(struct str line, uint64_t odd, struct request *r)
{
    if (line.n < 14 || memcmp(line.p, "GET /", 5) != 0 ||
        memcmp(line.p + line.n - 9, " HTTP/1.1", 9) != 0)
        return take_any_line(line, r);
    struct str target = {line.p + 4, line.n - 13};
    odd >>= 4;
    odd &= odd - 1;
    if (!odd || (unsigned)__builtin_ctzll(odd) != target.n)
        return take_any_line(line, r);
    r->method = METHOD_GET;
    r->minor = 1;
    r->target = r->path = target;
    return 0;
}

/* A line that isn't whole: wait, unless it can't become a good one any more. */
static ssize_t not_whole(size_t line, size_t head, size_t max_line,
                         const struct http1_limits *limits)
{
    if (max_line && line > max_line + 1) /* with its CR */
        return -414;
    return head > limits->head ? -431 : 0;
}

/* The blank line has come. */
static ssize_t end_fields(size_t at, const struct http1_limits *limits, struct request *r,
                          const struct framing *framing)
{
    if (at > limits->head)
        return -431;
    int refused = field_finish(r, framing);
    return refused ? refused : (ssize_t)at;
}

static inline ssize_t parse_fields(struct block *b, struct str in, size_t at,
                                   const struct http1_limits *limits, struct request *r)
{
    struct framing framing = {0};
    for (size_t count = 0; at < in.n; count++) {
        size_t end = line_end(b, in, at), after = end + 2;
        bool whole = is_whole(in, end);
        if (whole && end == at)
            return end_fields(after, limits, r, &framing);
        if (!whole && (after = broken_end(in, end)) == 0)
            break;
        if (after > limits->head || count >= limits->fields)
            return -431;
        if (!whole)
            return -400;
        int refused =
            field_take_line((struct str){in.p + at, end - at}, odd_from(b, at), r, &framing);
        if (refused)
            return refused;
        at = after;
    }
    return not_whole(in.n - at, in.n, 0, limits);
}

/* Member by member: a compound literal becomes "rep stos", which takes longer to start than to run.
 */
static void clear(struct request *r)
{
    r->method = METHOD_UNKNOWN;
    r->minor = 0;
    r->plain = r->close = r->chunked = r->expect_continue = r->expect_unknown = false;
    r->content_length = 0;
    r->host.p = r->range.p = r->if_range.p = NULL;
    r->if_match.p = r->if_none_match.p = NULL;
    r->if_modified_since.p = r->if_unmodified_since.p = NULL;
}

/* A head from its first byte, a token character, on. */
static inline ssize_t parse_head(struct str in, const struct http1_limits *limits,
                                 struct request *request)
{
    struct block block;
    block.base = 0;
    mark_from(&block.marks, in, 0);
    size_t end = line_end(&block, in, 0), after = end + 2;
    bool whole = is_whole(in, end);
    if (!whole && (after = broken_end(in, end)) == 0)
        return not_whole(in.n, in.n, limits->line, limits);
    if (after > limits->line + 2)
        return -414;
    if (!whole)
        return -400;
    clear(request);
    int refused = take_request_line((struct str){in.p, end}, block.marks.odd, request);
    if (refused)
        return refused;
    return parse_fields(&block, in, after, limits, request);
}

/* Blank lines before a request are left out (RFC 9112 2.2), four of them. */
static __attribute__((noinline)) ssize_t
parse_from_blank(struct str in, const struct http1_limits *limits, struct request *request)
{
    size_t blank = 0;
    while (in.n - blank >= 2 && blank < 8 && is_crlf(in.p + blank))
        blank += 2;
    in = str_after(in, blank);
    if (in.n == 0 || (in.p[0] == '\r' && in.n == 1))
        return 0;
    if (!token_is(in.p[0]))
        return -400;
    ssize_t head = parse_head(in, limits, request);
    return head > 0 ? head + (ssize_t)blank : head;
}

ssize_t http1_parse(const char *p, size_t n, const struct http1_limits *limits,
                    struct request *request)
{
    struct str in = {p, n};
    return n > 0 && token_is(p[0]) ? parse_head(in, limits, request)
                                   : parse_from_blank(in, limits, request);
}
