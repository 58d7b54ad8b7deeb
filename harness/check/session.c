/* session: items of the list, and requests on the session's connection, for every file of checks.
 */
#include "check/session.h"

#include "base/alloc.h"
#include "lab/stop.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_item *item_add(struct session *s, const char *name)
{
    struct check_item *i = xgrow(&s->list->item, &s->list->n, sizeof *i);
    i->name = xstrdup(name);
    i->ok = true;
    i->route = -1;
    return i;
}

struct check_item *item_add_of(struct session *s, enum route_id route, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "%s %s", route_get(route)->name, name);
    return item_add(s, full);
}

void item_value(struct check_item *i, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    free(i->value);
    i->value = xstrdup(text);
}

void item_contract(struct check_item *i, int route, enum check_scope scope)
{
    i->contract = true;
    i->route = route;
    i->scope = scope;
}

void item_fail(struct check_item *i, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!i->problem)
        i->problem = xstrdup(text);
    i->ok = !i->contract;
}

char *session_request(const struct session *s, enum route_id route, const char *version,
                      const char *extra)
{
    const struct route *r = route_get(route);
    if (!r->request_body)
        return xasprintf("%s %s HTTP/%s\r\nHost: %s\r\n%s\r\n", r->method, r->path, version,
                         s->host, extra);
    return xasprintf("%s %s HTTP/%s\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                     "%s\r\n%s",
                     r->method, r->path, version, s->host, r->request_type, strlen(r->request_body),
                     extra, r->request_body);
}

int session_connect(struct session *s)
{
    client_close(&s->client);
    if (!stop_asked())
        return client_open(&s->client, &s->server->address, SESSION_TIMEOUT_MS);
    snprintf(s->client.problem, sizeof s->client.problem, "a stop was asked");
    return -1;
}

enum client_end session_ask(struct session *s, enum route_id route, const char *extra,
                            struct answer *a)
{
    char *request = session_request(s, route, "1.1", extra);
    enum client_end end = client_ask(&s->client, request, a);
    free(request);
    return end;
}

bool session_usable(const struct session *s, enum route_id route)
{
    return s->server->manifest->routes[route] && !s->broken[route];
}
