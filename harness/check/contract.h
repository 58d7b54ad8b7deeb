/* contract: proves over a raw socket that a server does what a route asks, byte by byte. */
#ifndef CHECK_CONTRACT_H
#define CHECK_CONTRACT_H

#include "model/result.h"

struct err;
struct server;
struct server_setup;

/* What was seen of one server, one item after the other; the same order for every server. */
struct check_item {
    char *name;    /* "health status", "health body", "keep-alive held", "workers", ... */
    char *value;   /* as seen: "200", "sha256 2c26b46b", "2500 requests" */
    bool contract; /* a wrong value breaks the contract (else a difference is only stated) */
    bool ok;       /* of a contract item */
    char *problem; /* in words, with what was expected, when not ok */
    int route;     /* enum route_id that a failure blocks, or -1 = all */
};

struct check_list {
    struct check_item *item;
    size_t n;
};

/* Checks a running server (see design.md 3): per offered route status, body bytes, type, framing,
   head bytes, second request on the same socket; without and with Accept-Encoding: gzip; HEAD, 404,
   pipelining, keep-alive held for keepalive_requests requests, HTTP/1.0 with keep-alive,
   Connection: close obeyed, no 40 ms steps; workers, backlog (ss's Send-Q by sock_diag), file
   limit, CPU affinity, user, no growing files in its run directory after 1000 requests. Never fails
   itself: what can't be seen has value "unknown". */
void check_server(struct check_list *list, const struct server *s,
                  const struct server_setup *setup);
void check_list_fini(struct check_list *list);

/* Puts the servers' lists side by side as result.fairness: equal, different with the manifest's
   reason, or broken. lists has one per server of the plan; an empty list = a server that was not
   up. */
void check_compare(struct result *r, const struct check_list *lists);

#endif
