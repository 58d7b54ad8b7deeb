/* site: what is served: routes, files, refusals. Makes replies of requests; knows no connection. */
#ifndef HTTP_SITE_H
#define HTTP_SITE_H

#include "http/counters.h"
#include "http/http1.h"
#include "http/reply.h"
#include "http/route.h"

struct files;
#define SITE_STATUSES 20
#define SITE_LENGTHS  16 /* a power of two */

struct site {
    struct http1_limits limits;
    uint64_t max_body;          /* bytes; beyond: 413 */
    uint64_t header_timeout_ns; /* from a request's first byte to the end of its head */
    uint64_t body_timeout_ns;   /* from there to the end of its body */
    uint64_t idle_timeout_ns;   /* between requests, and before the first */
    uint64_t linger_timeout_ns; /* reading on after a refusal, so that the client sees it */
    struct head_style style;
    struct route *routes;
    size_t route_count;
    struct route *sealed[SITE_LENGTHS]; /* by the length of their paths */
    struct files *files;                /* NULL: none */
    /* NULL, or what answers GET and HEAD of what no route has, instead of files_answer(). */
    void (*answer_rest)(struct site *site, const struct request *request, struct reply *reply);
    struct counters *counters;
    const struct counters_board *board;
    void (*before_answer)(void); /* NULL, or called for each request: the handicap */
    void (*gather)(void);        /* NULL, or called before the board is shown */
    bool finishing;              /* every answer closes */
    uint64_t now_ns;             /* monotonic, of the request being answered */
    struct date date;
    struct head options_head;
    struct {
        struct head head;
        struct str text;
        int status;
    } refusals[SITE_STATUSES];
    size_t refusal_count;
    char extra[400]; /* field lines of the reply being made */
};

/* Makes the heads that are the same for every request. Set limits, style and routes before. */
void site_init(struct site *site);

/* Where a request goes: a route, or NULL: a file, or a refusal. */
struct target {
    struct route *route;
    int refusal;      /* HTTP status, or 0 */
    unsigned allowed; /* methods, for 405 and OPTIONS */
};

struct target site_find(struct site *site, const struct request *request);

/* The route whose sealed answer is all that a plain request for this path gets, or NULL. */
static inline struct route *site_find_sealed(const struct site *site, struct str path)
{
    struct route *route = site->sealed[path.n % SITE_LENGTHS];
    while (route && !str_is(path, route->path))
        route = route->next_sealed;
    return route;
}

/* Answers with what was found. body is the decoded body, empty unless the route takes one. */
void site_answer(struct site *site, const struct target *target, const struct request *request,
                 struct str body, struct reply *reply);

/* A refusal with a line of text. */
void site_refuse(struct site *site, int status, struct reply *reply);

/* Answers with route->head and route->body: a route_answer. */
void route_canned(struct site *site, struct route *route, struct str body, struct reply *reply);

#endif
