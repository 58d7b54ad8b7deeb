/* contract: the order of the checks of one server, and the list that they fill. What is checked is
   in routes.c, protocol.c, keepalive.c, delay.c and observe.c; none of them fails or prints, they
   only note what they saw. */
#include "check/contract.h"

#include "base/alloc.h"
#include "check/session.h"
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

/* The route for checks that are not of a route: small answers first. */
static int base_route(const struct session *s)
{
    static const enum route_id wanted[] = {ROUTE_HEALTH, ROUTE_JSON, ROUTE_SMALL, ROUTE_ECHO,
                                           ROUTE_LARGE};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (session_usable(s, wanted[i]))
            return (int)wanted[i];
    return -1;
}

/* What a manifest says to be different on purpose is stated; only a route's own contract has no
   excuse. */
static void excuse(struct check_list *list, const struct manifest *m)
{
    for (size_t k = 0; k < list->n; k++) {
        struct check_item *i = &list->item[k];
        if (i->contract && !i->ok && i->route < 0 && manifest_reason(m, i->name)) {
            i->contract = false;
            i->ok = true;
        }
    }
}

void check_server(struct check_list *list, const struct server *server,
                  const struct server_setup *setup)
{
    struct session s = {.list = list, .server = server, .setup = setup, .client = {.fd = -1}};
    char ip[INET_ADDRSTRLEN] = "?";
    *list = (struct check_list){0};
    inet_ntop(AF_INET, &server->address.sin_addr, ip, sizeof ip);
    snprintf(s.host, sizeof s.host, "%s:%u", ip, ntohs(server->address.sin_port));
    check_routes(&s);
    s.route = base_route(&s);
    check_protocol(&s);
    check_keepalive(&s);
    check_delays(&s);
    check_running(&s);
    client_close(&s.client);
    excuse(list, server->manifest);
}

const struct check_item *check_blocks(const struct check_list *list, enum route_id route,
                                      bool keepalive)
{
    enum check_scope other = keepalive ? CHECK_CLOSE : CHECK_KEEPALIVE;
    for (size_t k = 0; k < list->n; k++) {
        const struct check_item *i = &list->item[k];
        if (i->contract && !i->ok && i->scope != other && (i->route < 0 || i->route == (int)route))
            return i;
    }
    return NULL;
}

void check_list_fini(struct check_list *list)
{
    for (size_t k = 0; k < list->n; k++) {
        free(list->item[k].name);
        free(list->item[k].value);
        free(list->item[k].problem);
    }
    free(list->item);
    *list = (struct check_list){0};
}
