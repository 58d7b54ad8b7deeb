/* http1: splits a request head into lines (RFC 9112 2.2, 3) and checks the request line; what a
   field means is field.c's. Strict where leniency has led to request smuggling: CRLF only, no
   folding, no blanks around a field name, no control characters, printable ASCII targets. */
#include "http/http1.h"

#include "http/field.h"
#include "http/scan.h"
#include "http/token.h"

#include <endian.h>

/* A line whose first control character, at end, doesn't begin a CRLF. 0: it isn't whole; -400: a
   control character is in it, or it ends in a bare LF; *at moves behind it. */
static __attribute__((noinline)) int broken_line(const char *p, size_t *at, size_t end, size_t n)
{
    if (end == n || (p[end] == '\r' && end + 1 == n))
        return 0;
    const char *feed = memchr(p + end, '\n', n - end);
    if (!feed)
        return 0;
    *at = (size_t)(feed - p) + 1;
    return -400;
}

static inline bool is_crlf(const char *p)
{
    return p[0] == '\r' && p[1] == '\n';
}

/* The line from *at on without its end, behind which *at moves. 1: whole; else see broken_line().
 */
static inline int next_line(const char *p, size_t *at, size_t n, struct str *line)
{
    size_t end = scan_line(p, *at, n);
    if (n - end < 2 || !is_crlf(p + end)) {
        *line = (struct str){p, 0};
        return broken_line(p, at, end, n);
    }
    *line = (struct str){p + *at, end - *at};
    *at = end + 2;
    return 1;
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

static inline int take_target(struct str target, struct request *r)
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

static inline int take_request_line(struct str line, struct request *r)
{
    bool get = line.n > 4 && memcmp(line.p, "GET ", 4) == 0; /* most are */
    size_t name = get ? 3 : token_run(line.p);
    if (name == 0 || name + 11 > line.n || line.p[name] != ' ' || line.p[line.n - 9] != ' ')
        return -400;
    int refused = take_version(line.p + line.n - 8, r);
    if (refused)
        return refused;
    r->method = get ? METHOD_GET : method_of((struct str){line.p, name});
    refused = take_target((struct str){line.p + name + 1, line.n - name - 10}, r);
    if (refused)
        return refused;
    return r->method == METHOD_UNKNOWN ? -501 : 0;
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

static inline ssize_t parse_fields(const char *p, size_t n, size_t at,
                                   const struct http1_limits *limits, struct request *r)
{
    struct framing framing = {0};
    for (size_t count = 0;; count++) {
        struct str line;
        size_t start = at;
        if (n - at >= 2 && is_crlf(p + at))
            return end_fields(at + 2, limits, r, &framing);
        int whole = next_line(p, &at, n, &line);
        if (whole == 0)
            return not_whole(n - start, n, 0, limits);
        if (at > limits->head || count >= limits->fields)
            return -431;
        int refused = whole < 0 ? whole : field_take(line, r, &framing);
        if (refused)
            return refused;
    }
}

/* Member by member: a compound literal becomes "rep stos", which takes longer to start than to run.
 */
static void clear(struct request *r)
{
    r->method = METHOD_UNKNOWN;
    r->minor = 0;
    r->close = r->chunked = r->expect_continue = r->expect_unknown = false;
    r->content_length = 0;
    r->host.p = r->range.p = r->if_range.p = NULL;
    r->if_match.p = r->if_none_match.p = NULL;
    r->if_modified_since.p = r->if_unmodified_since.p = NULL;
}

ssize_t http1_parse(const char *p, size_t n, const struct http1_limits *limits,
                    struct request *request)
{
    size_t at = 0;
    while (n - at >= 2 && at < 8 && is_crlf(p + at))
        at += 2; /* blank lines before a request are left out (RFC 9112 2.2) */
    if (at == n || (p[at] == '\r' && at + 1 == n))
        return 0;
    if (!token_is(p[at]))
        return -400;
    struct str line;
    size_t start = at;
    int whole = next_line(p, &at, n, &line);
    if (whole == 0)
        return not_whole(n - start, n, limits->line, limits);
    if (at - start > limits->line + 2)
        return -414;
    if (whole < 0)
        return whole;
    clear(request);
    int refused = take_request_line(line, request);
    if (refused)
        return refused;
    return parse_fields(p, n, at, limits, request);
}
