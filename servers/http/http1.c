/* http1: splits a request head into lines (RFC 9112 2.2, 3) and checks the request line; what a
   field means is field.c's. Strict where leniency has led to request smuggling: CRLF only, no
   folding, no blanks around a field name, no control characters, printable ASCII targets. */
#include "http/http1.h"

#include "http/field.h"
#include "http/scan.h"
#include "http/token.h"

/* The line at p without its end; *taken includes the end. 1: whole; 0: not whole; -400: whole, but
   a control character is in it, or it ends in a bare LF. */
static int next_line(const char *p, size_t n, struct str *line, size_t *taken)
{
    size_t i = scan_line(p, n);
    if (i == n || (p[i] == '\r' && i + 1 == n))
        return 0;
    if (p[i] == '\r' && p[i + 1] == '\n') {
        *line = (struct str){p, i};
        *taken = i + 2;
        return 1;
    }
    const char *end = memchr(p + i, '\n', n - i);
    *taken = end ? (size_t)(end - p) + 1 : 0;
    return end ? -400 : 0;
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
static int take_version(struct str version, struct request *r)
{
    if (version.n != 8 || memcmp(version.p, "HTTP/", 5) != 0 || version.p[6] != '.' ||
        !token_is_digit(version.p[5]) || !token_is_digit(version.p[7]))
        return -400;
    if (version.p[5] != '1')
        return -505;
    r->minor = version.p[7] - '0';
    return 0;
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

/* The forms of a target: origin, absolute, authority (CONNECT only), asterisk (OPTIONS only):
   RFC 9112 3.2. */
static int take_target(struct str target, struct request *r)
{
    size_t query = target.n;
    for (size_t i = 0; i < target.n; i++) {
        if (target.p[i] <= ' ' || target.p[i] == '#') /* char is signed: bytes above 0x7f too */
            return -400;
        if (target.p[i] == '?' && query == target.n)
            query = i;
    }
    r->target = target;
    r->path = (struct str){target.p, query};
    if (target.p[0] == '/')
        return 0;
    if (str_is(target, STR("*")))
        return r->method == METHOD_OPTIONS ? 0 : -400;
    if (r->method == METHOD_CONNECT) { /* an authority: refused later, whatever it is */
        r->path = target;
        return 0;
    }
    if (!take_authority(&r->path))
        return -400;
    if (r->path.n == 0)
        r->path = STR("/");
    return 0;
}

static int take_request_line(struct str line, struct request *r)
{
    size_t name = token_length(line.p, line.n);
    if (name == 0 || name + 11 > line.n || line.p[name] != ' ' || line.p[line.n - 9] != ' ')
        return -400;
    int refused = take_version(str_after(line, line.n - 8), r);
    if (refused)
        return refused;
    r->method = method_of((struct str){line.p, name});
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

static ssize_t parse_fields(const char *p, size_t n, size_t at, const struct http1_limits *limits,
                            struct request *r)
{
    struct framing framing = {0};
    for (size_t count = 0;; count++) {
        struct str line;
        size_t taken;
        if (n - at >= 2 && p[at] == '\r' && p[at + 1] == '\n')
            return end_fields(at + 2, limits, r, &framing);
        int whole = next_line(p + at, n - at, &line, &taken);
        if (whole == 0)
            return not_whole(n - at, n, 0, limits);
        at += taken;
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
    while (n - at >= 2 && at < 8 && p[at] == '\r' && p[at + 1] == '\n')
        at += 2; /* blank lines before a request are left out (RFC 9112 2.2) */
    if (at == n || (p[at] == '\r' && at + 1 == n))
        return 0;
    if (!token_is(p[at]))
        return -400;
    struct str line;
    size_t taken;
    int whole = next_line(p + at, n - at, &line, &taken);
    if (whole == 0)
        return not_whole(n - at, n, limits->line, limits);
    if (taken > limits->line + 2)
        return -414;
    if (whole < 0)
        return whole;
    clear(request);
    int refused = take_request_line(line, request);
    if (refused)
        return refused;
    return parse_fields(p, n, at + taken, limits, request);
}
