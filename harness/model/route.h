/* route: a request and the contract of its answer, the same on every server. */
#ifndef MODEL_ROUTE_H
#define MODEL_ROUTE_H

#include <stddef.h>

enum route_id {
    ROUTE_HEALTH,
    ROUTE_JSON,
    ROUTE_ECHO,
    ROUTE_SMALL,
    ROUTE_LARGE,
    ROUTE_COUNT
};

struct route {
    const char *name;         /* health json echo small large */
    const char *method;       /* GET or POST */
    const char *path;         /* request target */
    const char *request_body; /* of a POST, or NULL */
    const char *request_type; /* its Content-Type, or NULL */
    const char *content_type; /* of the answer; parameters (; charset=...) are a difference */
    const char *body;         /* of the answer, or NULL when it is a file */
    const char *file;         /* its name below the docroot, or NULL */
    size_t body_len;          /* bytes of the answer's body */
};

/* The routes by id; never fails for a valid id. */
const struct route *route_get(enum route_id id);

/* Finds a route by name. Returns its id, or -1. */
int route_find(const char *name);

#endif
