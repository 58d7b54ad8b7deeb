/* session: what the checks of one server share. Used inside check/ only. */
#ifndef CHECK_SESSION_H
#define CHECK_SESSION_H

#include "check/client.h"
#include "check/contract.h"
#include "lab/server.h"

enum {
    SESSION_TIMEOUT_MS = 5000, /* of each answer */
    SESSION_CLOSE_MS = 3000    /* a close that was asked for comes within */
};

struct session {
    struct check_list *list;
    const struct server *server;
    const struct server_setup *setup;
    char host[40];            /* of the Host header */
    int route;                /* an offered one for checks that are not of a route; -1 = none */
    bool broken[ROUTE_COUNT]; /* its first request got no right answer: the rest is unknown */
    struct client client;     /* the open connection, or fd -1 */
};

/* Adds an item without a value. The pointer is valid until the next one is added. */
struct check_item *item_add(struct session *s, const char *name);
/* The same, named "ROUTE name". */
struct check_item *item_add_of(struct session *s, enum route_id route, const char *name);
void item_value(struct check_item *i, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes it part of the contract; ok until item_fail. */
void item_contract(struct check_item *i, int route, enum check_scope scope);
/* Says what is wrong; of a contract item: breaks it. The first problem stays. */
void item_fail(struct check_item *i, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A request for a route: version is "1.1" or "1.0", extra has header lines with CRLF, or is "".
   The caller frees. */
char *session_request(const struct session *s, enum route_id route, const char *version,
                      const char *extra);

/* Closes the connection, if any, and opens a new one. Returns 0, or -1 (also when a stop was asked)
   with s->client.problem. */
int session_connect(struct session *s);

/* session_request and client_ask on the open connection. */
enum client_end session_ask(struct session *s, enum route_id route, const char *extra,
                            struct answer *a);

/* True when the route is offered and answered rightly so far. */
bool session_usable(const struct session *s, enum route_id route);

/* Each adds the same items in the same order, whatever it sees. */
void check_routes(struct session *s);
void check_protocol(struct session *s);
void check_keepalive(struct session *s);
void check_delays(struct session *s);
void check_running(struct session *s);

#endif
