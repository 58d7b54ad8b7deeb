/* routes: health, json and echo as the published reactor has them (2-byte OK, 91-byte object, the
   body back), and the counters. */
#include "reactor/routes.h"

#include "http/err.h"
#include "http/options.h"
#include "http/site.h"

#include <stdlib.h>

static const char json[] = "{\"build\":\"release\",\"count\":42,\"ok\":true,"
                           "\"service\":\"lean-tea/bench\",\"tags\":[\"bench\",\"lean\"]}";

_Static_assert(sizeof json - 1 == 91, "the published object has 91 bytes");

static void echo(struct site *site, struct route *route, struct str body, struct reply *reply)
{
    (void)site;
    (void)route;
    reply->body = (struct segment){.p = body.p, .n = body.n};
    reply->length = body.n;
    reply->has_length = true;
}

static void counters(struct site *site, struct route *route, struct str body, struct reply *reply)
{
    (void)route;
    (void)body;
    char *text = counters_json(site->board);
    reply->length = strlen(text);
    reply->has_length = true;
    reply->body = (struct segment){.p = text, .n = strlen(text), .release = free, .owner = text};
}

static struct route *add(struct site *site, const char *path, enum method method,
                         route_answer *answer, const char *type)
{
    struct route *r = &site->routes[site->route_count++];
    *r = (struct route){.path = {path, strlen(path)}, .methods = 1U << method, .answer = answer};
    head_start(&r->head, &site->style, 200);
    head_add(&r->head, "Content-Type", type);
    return r;
}

static void set_body(struct route *r, struct str body)
{
    r->body = body;
    head_add_length(&r->head, body.n);
    head_seal(&r->head, body);
}

void routes_add(struct site *site, const struct options *o)
{
    site->routes = mem_get(4 * sizeof *site->routes);
    set_body(add(site, "/health", METHOD_GET, route_canned, "text/plain"), STR("OK"));
    set_body(add(site, "/json", METHOD_GET, route_canned, "application/json"),
             (struct str){json, sizeof json - 1});
    add(site, "/echo", METHOD_POST, echo, "application/octet-stream");
    if (o->stats) {
        struct route *r = add(site, o->stats, METHOD_GET, counters, "application/json");
        head_add(&r->head, "Cache-Control", "no-store");
    }
}
