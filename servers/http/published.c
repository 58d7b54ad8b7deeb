/* published: health, json and echo as the published reactor has them (2-byte OK, 91-byte object,
   the body back), the counters, and what the options say of limits, files and handicap. */
#include "http/published.h"

#include "http/err.h"
#include "http/files.h"
#include "http/handicap.h"
#include "http/options.h"
#include "http/scan.h"
#include "http/site.h"

#include <stdlib.h>

#define MS_NS 1000000ULL

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

void published_counters(struct site *site, struct route *route, struct str body,
                        struct reply *reply)
{
    (void)route;
    (void)body;
    if (site->gather)
        site->gather();
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

static void add_routes(struct site *site, const struct options *o)
{
    site->routes = mem_get(4 * sizeof *site->routes);
    set_body(add(site, "/health", METHOD_GET, route_canned, "text/plain"), STR("OK"));
    set_body(add(site, "/json", METHOD_GET, route_canned, "application/json"),
             (struct str){json, sizeof json - 1});
    add(site, "/echo", METHOD_POST, echo, "application/octet-stream");
    if (o->stats) {
        struct route *r = add(site, o->stats, METHOD_GET, published_counters, "application/json");
        head_add(&r->head, "Cache-Control", "no-store");
    }
}

void published_set_limits(struct site *site, const struct options *o)
{
    site->limits =
        (struct http1_limits){.line = o->max_line, .head = o->max_head, .fields = o->max_fields};
    site->max_body = o->max_body;
    site->header_timeout_ns = o->header_timeout_ms * MS_NS;
    site->body_timeout_ns = o->body_timeout_ms * MS_NS;
    site->idle_timeout_ns = o->idle_timeout_ms * MS_NS;
    site->linger_timeout_ns = o->linger_timeout_ms * MS_NS;
    site->style = (struct head_style){.server = !o->no_server_header, .date = !o->no_date};
    site->finishing = o->no_keepalive;
}

void published_close(struct site *site)
{
    files_close(site->files);
    free(site->routes);
    free(site);
}

struct site *published_open(const struct options *o, struct counters *counters,
                            const struct counters_board *board, struct err *err)
{
    struct site *site = mem_get(sizeof *site);
    *site = (struct site){.counters = counters, .board = board};
    published_set_limits(site, o);
    add_routes(site, o);
    site_init(site);
    if (o->docroot && !(site->files = files_open(o->docroot, o->file_check_ms * MS_NS, err))) {
        published_close(site);
        return NULL;
    }
    if (o->handicap_pct > 0) {
        handicap_set(o->handicap_pct / 100 * (double)o->handicap_base_ns);
        site->before_answer = handicap_spin;
    }
    scan_choose();
    return site;
}
