/* site: finds what a request asks for and makes the reply. Paths are compared decoded; the
   comparison with the path as received comes first, for a route's own path needs no decoding. */
#include "http/site.h"

#include "http/files.h"
#include "http/target.h"

#include <assert.h>
#include <stdio.h>

#define BIT(method) (1U << (method))
#define READING     (BIT(METHOD_GET) | BIT(METHOD_HEAD) | BIT(METHOD_OPTIONS))
#define ALL_METHODS (READING | BIT(METHOD_POST))

static const int statuses[] = {301, 400, 403, 404, 405, 408, 412, 413,
                               414, 416, 417, 431, 500, 501, 503, 505};

static void add_refusal(struct site *site, int status)
{
    static char texts[SITE_STATUSES][64];
    size_t i = site->refusal_count++;
    assert(i < SITE_STATUSES);
    int n = snprintf(texts[i], sizeof texts[i], "%d %s\n", status, head_reason(status));
    site->refusals[i].status = status;
    site->refusals[i].text = (struct str){texts[i], (size_t)n};
    head_start(&site->refusals[i].head, &site->style, status);
    head_add(&site->refusals[i].head, "Content-Type", "text/plain");
    head_add_length(&site->refusals[i].head, (uint64_t)n);
}

static void index_sealed(struct site *site, struct route *route)
{
    if (!route->head.sealed_n || route->answer != route_canned ||
        !(route->methods & BIT(METHOD_GET)))
        return;
    struct route **first = &site->sealed[route->path.n % SITE_LENGTHS];
    route->next_sealed = *first;
    *first = route;
}

void site_init(struct site *site)
{
    site->refusal_count = 0;
    memset(site->sealed, 0, sizeof site->sealed);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        add_refusal(site, statuses[i]);
    head_start(&site->options_head, &site->style, 204);
    for (size_t i = 0; i < site->route_count; i++) {
        if (site->routes[i].methods & BIT(METHOD_GET))
            site->routes[i].methods |= READING;
        index_sealed(site, &site->routes[i]);
    }
}

static inline struct route *route_at(const struct site *site, struct str path)
{
    for (size_t i = 0; i < site->route_count; i++)
        if (str_is(path, site->routes[i].path))
            return &site->routes[i];
    return NULL;
}

/* 0, or the status of a path that is malformed. */
static int find_route(struct site *site, struct str path, struct route **route)
{
    *route = route_at(site, path);
    if (*route || target_is_plain(path))
        return 0;
    char decoded[path.n + 1]; /* path.n is at most limits.line */
    struct str canonical;
    if (target_decode(path, decoded, &canonical) != 0)
        return 400;
    *route = route_at(site, canonical);
    return 0;
}

struct target site_find(struct site *site, const struct request *request)
{
    struct target t = {.allowed = ALL_METHODS};
    if (request->expect_unknown)
        t.refusal = 417;
    else if (request->method >= METHOD_OTHER)
        t.refusal = 405;
    if (request->path.p[0] != '/') /* "*", or CONNECT's authority */
        return t;
    int bad = find_route(site, request->path, &t.route);
    t.allowed = t.route ? t.route->methods | BIT(METHOD_OPTIONS) : READING;
    if (bad)
        t.refusal = bad;
    else if (!t.refusal && !t.route && !site->files && !site->answer_rest)
        t.refusal = 404;
    else if (!t.refusal && !(t.allowed & BIT(request->method)))
        t.refusal = 405;
    return t;
}

/* "Allow: GET, HEAD, OPTIONS" (RFC 9110 10.2.1). */
static void allow(struct site *site, unsigned methods, struct reply *reply)
{
    int n = snprintf(site->extra, sizeof site->extra, "Allow: %s%sOPTIONS\r\n",
                     methods & BIT(METHOD_GET) ? "GET, HEAD, " : "",
                     methods & BIT(METHOD_POST) ? "POST, " : "");
    reply->extra = (struct str){site->extra, (size_t)n};
}

void site_refuse(struct site *site, int status, struct reply *reply)
{
    for (size_t i = 0; i < site->refusal_count; i++) {
        if (site->refusals[i].status != status)
            continue;
        struct str text = site->refusals[i].text;
        *reply =
            (struct reply){.head = &site->refusals[i].head, .body = {.p = text.p, .n = text.n}};
        return;
    }
    assert(!"a status without a text");
}

void site_answer(struct site *site, const struct target *target, const struct request *request,
                 struct str body, struct reply *reply)
{
    if (site->before_answer)
        site->before_answer();
    if (target->refusal) {
        site_refuse(site, target->refusal, reply);
        if (target->refusal == 405)
            allow(site, target->allowed, reply);
    } else if (request->method == METHOD_OPTIONS) {
        reply_start(reply, &site->options_head);
        allow(site, target->allowed, reply);
    } else if (target->route) {
        reply_start(reply, &target->route->head);
        target->route->answer(site, target->route, body, reply);
    } else if (site->answer_rest) {
        site->answer_rest(site, request, reply);
    } else {
        files_answer(site, request, reply);
    }
}

void route_canned(struct site *site, struct route *route, struct str body, struct reply *reply)
{
    (void)site;
    (void)body;
    reply->body.p = route->body.p;
    reply->body.n = route->body.n;
    reply->sealed = route->head.sealed_n > 0;
}
