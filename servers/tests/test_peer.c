/* Our request parser beside an independent one (Node's http_parser, as Debian has it), on a hundred
   thousand requests put together from good and bad pieces. Both must say the same, or the
   difference must be one of those below, which we want. Each of those must be met: a list that has
   gone stale fails. */
#include "http/http1.h"

#include "http/scan.h"

#include <http_parser.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

static const struct http1_limits limits = {.line = 8192, .head = 32768, .fields = 100};

/* Pieces of a request. The good ones come first and are more likely. */
static const char *methods[] = {"GET", "POST", "HEAD",     "OPTIONS", "PUT", "DELETE",
                                "get", "FOO",  "PROPFIND", "",        "G@T"};
static const char *targets[] = {
    "/", "/a/b?c=d", "http://host/x", "*",    "/%41",    "a",
    "",  "/a b",     "/\xc3\xa9",     "/a#b", "http://", "ftp://host/x"};
static const char *versions[] = {"HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0",  "HTTP/0.9",
                                 "HTTP/9.9", "HTTP/1.",  "http/1.1", "HTTP/1.10", ""};
static const char *fields[] = {"User-Agent: x",
                               "Accept: */*",
                               "Connection: close",
                               "Connection: keep-alive",
                               "Connection: a, close",
                               "Content-Length: 5",
                               "Transfer-Encoding: chunked",
                               "X-Empty:",
                               "X: a\tb",
                               "Content-Length: 0x5",
                               "Content-Length: -1",
                               "Content-Length: 99999999999999999999",
                               "Content-Length: ",
                               "Content-Length: 5 5",
                               "Transfer-Encoding: gzip, chunked",
                               "Transfer-Encoding: gzip",
                               "Transfer-Encoding: chunked, chunked",
                               "Host: other",
                               "Host: a/b",
                               "X : 1",
                               "X",
                               ": 1",
                               " folded",
                               "X: a\001b",
                               "X: \x7f",
                               "X(: 1",
                               "X: \xff",
                               "Expect: 100-continue"};
static const char *ends[] = {"\r\n", "\r\n", "\r\n", "\r\n", "\r\n",  "\r\n",
                             "\r\n", "\r\n", "\n",   "\r",   "\r\r\n"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

struct verdict {
    bool accepted, partial;
    enum method method;
    int minor;
    bool chunked, keep_alive;
    uint64_t length;
    char target[64];
};

static unsigned seed = 20;

/* Mostly from the front of the list. */
static const char *pick(const char **list, size_t count)
{
    size_t good = (count + 2) / 3;
    return list[(size_t)rand_r(&seed) % (rand_r(&seed) % 8 ? good : count)];
}

static void make_request(char *to, size_t size)
{
    const char *host = rand_r(&seed) % 12 ? "Host: x" : "X-Host: x";
    size_t n = (size_t)snprintf(to, size, "%s %s %s%s", pick(methods, COUNT(methods)),
                                pick(targets, COUNT(targets)), pick(versions, COUNT(versions)),
                                pick(ends, COUNT(ends)));
    n += (size_t)snprintf(to + n, size - n, "%s%s", host, pick(ends, COUNT(ends)));
    for (int i = rand_r(&seed) % 4; i > 0; i--)
        n += (size_t)snprintf(to + n, size - n, "%s%s", pick(fields, COUNT(fields)),
                              pick(ends, COUNT(ends)));
    snprintf(to + n, size - n, "%s", rand_r(&seed) % 20 ? "\r\n" : pick(ends, COUNT(ends)));
}

static struct verdict ask_ours(const char *text)
{
    struct request r;
    struct verdict v = {0};
    ssize_t got = http1_parse(text, strlen(text), &limits, &r);
    v.partial = got == 0;
    v.accepted = got > 0;
    if (!v.accepted)
        return v;
    v.method = r.method;
    v.minor = r.minor;
    v.chunked = r.chunked;
    v.keep_alive = !r.close;
    v.length = r.content_length;
    snprintf(v.target, sizeof v.target, "%.*s", (int)r.target.n, r.target.p);
    return v;
}

static enum method method_of(unsigned theirs)
{
    switch (theirs) {
    case HTTP_GET: return METHOD_GET;
    case HTTP_HEAD: return METHOD_HEAD;
    case HTTP_POST: return METHOD_POST;
    case HTTP_OPTIONS: return METHOD_OPTIONS;
    default: return METHOD_OTHER;
    }
}

static int on_url(http_parser *p, const char *at, size_t n)
{
    struct verdict *v = p->data;
    size_t have = strlen(v->target);
    snprintf(v->target + have, sizeof v->target - have, "%.*s", (int)n, at);
    return 0;
}

static int on_head(http_parser *p)
{
    struct verdict *v = p->data;
    v->accepted = true;
    v->method = method_of(p->method);
    v->minor = p->http_minor;
    v->chunked = p->flags & F_CHUNKED;
    v->keep_alive = http_should_keep_alive(p);
    v->length = p->flags & F_CONTENTLENGTH ? p->content_length : 0;
    http_parser_pause(p, 1);
    return 0;
}

static struct verdict ask_theirs(const char *text)
{
    static const http_parser_settings settings = {.on_url = on_url, .on_headers_complete = on_head};
    http_parser p;
    struct verdict v = {0};
    http_parser_init(&p, HTTP_REQUEST);
    p.data = &v;
    http_parser_execute(&p, &settings, text, strlen(text));
    v.partial = !v.accepted && HTTP_PARSER_ERRNO(&p) == HPE_OK;
    return v;
}

/* The differences that we want; each looks at the text alone. */

static bool has(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strcasestr(at, part)); at++)
        count++;
    return count;
}

static bool host_missing_or_doubled(const char *t)
{
    int hosts = count_of(t, "\nHost:") + count_of(t, "\rHost:");
    return (hosts != 1 && !has(t, "HTTP/1.0")) || hosts > 1;
}

static bool host_malformed(const char *t)
{
    return has(t, "Host: a/b");
}

static bool bare_line_end(const char *t)
{
    for (const char *at = t; *at; at++)
        if ((*at == '\n' && (at == t || at[-1] != '\r')) || (*at == '\r' && at[1] != '\n'))
            return true;
    return false;
}

static bool folded(const char *t)
{
    return has(t, "\n folded") || has(t, "\r folded");
}

static bool blank_before_colon(const char *t)
{
    return has(t, "X : 1");
}

static bool other_coding(const char *t)
{
    return has(t, "gzip") || has(t, "chunked, chunked") || count_of(t, "Transfer-Encoding") > 1;
}

static bool coding_in_1_0(const char *t)
{
    return has(t, "HTTP/1.0") && has(t, "Transfer-Encoding");
}

static bool other_version(const char *t)
{
    return has(t, "HTTP/2.0") || has(t, "HTTP/0.9") || has(t, "HTTP/9.9");
}

static bool odd_target(const char *t)
{
    return has(t, "/a#b") || has(t, "ftp://") || has(t, "http:// ") || has(t, "\xc3\xa9") ||
           (has(t, "* HTTP") && strncmp(t, "OPTIONS", 7) != 0);
}

static bool more_methods(const char *t)
{
    return strncmp(t, "PROPFIND", 8) == 0;
}

static bool control_in_value(const char *t)
{
    return has(t, "\x7f") || has(t, "\x01");
}

/* In HTTP/1.0 theirs looks for keep-alive first. */
static bool close_and_keep_alive(const char *t)
{
    return has(t, "HTTP/1.0") && (has(t, ", close\r") || has(t, ": close\r")) &&
           has(t, ": keep-alive\r");
}

enum difference {
    WE_REFUSE,
    WE_ACCEPT, /* or wait for more */
    WE_CLOSE   /* the connection; they keep it */
};

static struct {
    const char *why;
    bool (*is)(const char *text);
    enum difference kind;
    int met;
} wanted[] = {
    {"RFC 9112 3.2: no Host, or several, in HTTP/1.1", host_missing_or_doubled, WE_REFUSE, 0},
    {"RFC 9112 3.2: a Host that is none", host_malformed, WE_REFUSE, 0},
    {"RFC 9112 2.2: lines end in CRLF", bare_line_end, WE_REFUSE, 0},
    {"RFC 9112 5.2: folded lines", folded, WE_REFUSE, 0},
    {"RFC 9112 5.1: a blank before the colon", blank_before_colon, WE_REFUSE, 0},
    {"RFC 9112 6.1: codings other than chunked, once", other_coding, WE_REFUSE, 0},
    {"RFC 9112 6.1: codings in HTTP/1.0", coding_in_1_0, WE_REFUSE, 0},
    {"RFC 9110 2.5: versions other than 1.x", other_version, WE_REFUSE, 0},
    {"RFC 9112 3.2: targets of another form", odd_target, WE_REFUSE, 0},
    {"methods that we don't know: 501", more_methods, WE_REFUSE, 0},
    {"RFC 9110 5.5: control characters", control_in_value, WE_REFUSE, 0},
    {"RFC 9112 9.3: close wins over keep-alive", close_and_keep_alive, WE_CLOSE, 0},
};

/* Marks every entry that applies. false: nothing explains the difference. */
static bool explained(const char *text, enum difference kind)
{
    bool found = false;
    for (size_t i = 0; i < COUNT(wanted); i++)
        if (wanted[i].kind == kind && wanted[i].is(text)) {
            wanted[i].met++;
            found = true;
        }
    return found;
}

static bool same(const struct verdict *a, const struct verdict *b)
{
    return a->method == b->method && a->minor == b->minor && a->chunked == b->chunked &&
           a->keep_alive == b->keep_alive && a->length == b->length &&
           strcmp(a->target, b->target) == 0;
}

static int both_accepted;

static void compare(const char *text)
{
    struct verdict ours = ask_ours(text), theirs = ask_theirs(text);
    enum difference kind = !ours.accepted && !ours.partial ? WE_REFUSE : WE_ACCEPT;
    if (ours.accepted && theirs.accepted) {
        both_accepted++;
        if (!ours.keep_alive && theirs.keep_alive && explained(text, WE_CLOSE))
            ours.keep_alive = true;
        if (!same(&ours, &theirs))
            fail_msg("read otherwise: %s", text);
    } else if (ours.accepted != theirs.accepted || ours.partial != theirs.partial) {
        if (!explained(text, kind))
            fail_msg("ours %s, theirs %s: %s",
                     ours.accepted  ? "accepts"
                     : ours.partial ? "waits"
                                    : "refuses",
                     theirs.accepted  ? "accepts"
                     : theirs.partial ? "waits"
                                      : "refuses",
                     text);
    }
}

static void agree_or_differ_as_intended(void **state)
{
    (void)state;
    char text[600];
    for (int i = 0; i < 100000; i++) {
        make_request(text, sizeof text);
        compare(text);
    }
    assert_in_range(both_accepted, 10000, 90000);
}

static void each_difference_was_met(void **state)
{
    (void)state;
    int stale = 0;
    for (size_t i = 0; i < COUNT(wanted); i++) {
        if (wanted[i].met == 0)
            print_error("never met: %s\n", wanted[i].why);
        stale += wanted[i].met == 0;
    }
    assert_int_equal(stale, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agree_or_differ_as_intended),
                                       cmocka_unit_test(each_difference_was_met)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    scan_choose();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
