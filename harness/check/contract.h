/* contract: proves over a raw socket that a server does what a route asks, byte by byte. */
#ifndef CHECK_CONTRACT_H
#define CHECK_CONTRACT_H

#include "model/result.h"

struct err;
struct server;
struct server_setup;

enum check_scope { /* which cells a broken contract item blocks, besides by its route */
    CHECK_ALL,
    CHECK_KEEPALIVE, /* only cells that keep connections */
    CHECK_CLOSE      /* only cells that close each connection */
};

/* What was seen of one server, one item after the other; the same order for every server. */
struct check_item {
    char *name;    /* "health status", "health body", "keep-alive held", "workers", ... */
    char *value;   /* as seen: "200", "2 bytes as asked", "2500 requests"; NULL = not applicable */
    bool contract; /* a wrong value breaks the contract (else a difference is only stated) */
    bool ok;       /* of a contract item */
    bool varies;   /* by chance, between two boots of one server: a difference means nothing */
    char *problem; /* in words, with what was expected, or NULL; a warning when not contract */
    int route;     /* enum route_id that a failure blocks, or -1 = all */
    enum check_scope scope;
};

struct check_list {
    struct check_item *item;
    size_t n;
};

/* Checks a running server: per offered route status, body bytes, type, framing,
   head bytes, second request on the same socket; without and with Accept-Encoding: gzip; HEAD, 404,
   pipelining, keep-alive held for keepalive_requests requests (2500 at most), HTTP/1.0 with
   keep-alive, Connection: close obeyed, Expect, no 40 ms steps; workers, listeners, backlog (Send-Q
   of ss, by sock_diag), file limit, CPU affinity, user, no growing files in its run directory after
   1000 requests. Never fails itself: what can't be seen has value "unknown". Ends early when a stop
   was asked (lab/stop.h): what the list says then is no verdict. *list need not be initialised. */
void check_server(struct check_list *list, const struct server *s,
                  const struct server_setup *setup);
void check_list_fini(struct check_list *list); /* safe twice */

/* The item that forbids measuring a cell of this server, or NULL. */
const struct check_item *check_blocks(const struct check_list *list, enum route_id route,
                                      bool keepalive);

/* Puts the servers' lists side by side as result.fairness: equal, different with the manifest's
   reason ("known: REASON" where a contract or a warning says more than that values differ), or
   broken (a contract item, or workers that differ, without a reason). lists has one per server of
   the plan; an empty list = a server that was not up. Replaces r->fairness. */
void check_compare(struct result *r, const struct check_list *lists);

#endif
