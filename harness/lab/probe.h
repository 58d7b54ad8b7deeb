/* probe: one HTTP request on a fresh connection, to know whether a server is ready. */
#ifndef LAB_PROBE_H
#define LAB_PROBE_H

#include "model/route.h"

#include <netinet/in.h>

enum probe_outcome {
    PROBE_RIGHT,   /* 200 with the right body */
    PROBE_REFUSED, /* nobody accepts connections */
    PROBE_SILENT,  /* connected, but no whole answer within the time */
    PROBE_BROKEN,  /* the connection was closed or reset, or it wasn't HTTP */
    PROBE_WRONG    /* a whole answer, but not the right one */
};

struct probe {
    enum probe_outcome outcome;
    int status;     /* of the answer; 0 = none */
    char text[240]; /* the outcome in words: "status 404, body '...'; expected 200 and 'OK'" */
};

/* Asks for a route and compares status and body, the body of a file route with that file below
   docroot. Takes at most timeout_ms; ends early (PROBE_SILENT) when a stop was asked. */
void probe_route(struct probe *p, const struct sockaddr_in *to, const struct route *route,
                 const char *docroot, unsigned timeout_ms);

#endif
