/* route: something answered by code, not by a file. */
#ifndef HTTP_ROUTE_H
#define HTTP_ROUTE_H

#include "http/reply.h"

struct site;
struct route;

typedef void route_answer(struct site *site, struct route *route, struct str body,
                          struct reply *reply);

/* Something answered by code. Handlers get the decoded body and no request. */
struct route {
    struct str path;
    unsigned methods; /* bits 1 << enum method; HEAD and OPTIONS come with GET */
    route_answer *answer;
    struct head head;
    struct str body; /* of a canned answer */
    struct route *next_sealed;
};

#endif
