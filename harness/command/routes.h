/* routes: the routes that users name with --route. */
#ifndef COMMAND_ROUTES_H
#define COMMAND_ROUTES_H

#include "model/route.h"

struct err;
struct strings;

/* Appends the named routes to the *n of routes (room for ROUTE_COUNT). Returns 0, or -1 with err
   set (EXIT_USAGE) for one that doesn't exist or comes twice. */
int routes_parse(const struct strings *names, enum route_id *routes, size_t *n, struct err *e);

#endif
