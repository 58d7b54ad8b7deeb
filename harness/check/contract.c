/* contract: the order of the checks of one server, and the list that they fill. What is checked is
   in routes.c, protocol.c, keepalive.c, delay.c and observe.c; none of them fails or prints, they
   only note what they saw. */
#include "check/contract.h"

#include "check/session.h"
#include "lab/stop.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What a manifest says to be different on purpose is stated. A route's own contract has no excuse:
   known or not, it blocks the cells of its route (and fairness.c says whether it is known). */
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
