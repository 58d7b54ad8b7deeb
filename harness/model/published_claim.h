/* published_claim: what a source says besides its tables, and what its own figures say of it. */
#ifndef MODEL_PUBLISHED_CLAIM_H
#define MODEL_PUBLISHED_CLAIM_H

#include "model/route.h"

#include <stdbool.h>

struct published_cell { /* what is measured */
    char *server;       /* as manifest_resolve takes it: "threads:8" has 8 workers */
    enum route_id route;
    unsigned connections;
    bool keepalive;
};

enum claim_kind {
    CLAIM_RATIO,   /* of / to, paired */
    CLAIM_CEILING, /* whether the generator was the limit of both */
    CLAIM_MEMORY   /* bytes that an idle connection costs a server */
};

struct published_range {
    double low, high; /* high may be infinite */
    bool known;
};

struct published_claim {
    char *id;
    enum claim_kind kind;
    struct published_cell of, to; /* of a memory claim: only of.server and of.route */
    char *generator;              /* of a ceiling */
    unsigned needs_cpus;          /* that servers must have for it to be told; 0 = any */
    char *said, *data;            /* by the document; by its own figures */
    struct published_range said_range, data_range; /* ratio, or bytes */
};

#endif
