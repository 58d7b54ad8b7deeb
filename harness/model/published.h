/* published: a comparison that others published, as configs/published/NAME.json holds it: the
   figures as they stand in the source, what each row is measured by here, and claims beside them.
 */
#ifndef MODEL_PUBLISHED_H
#define MODEL_PUBLISHED_H

#include "model/published_claim.h"
#include "model/strings.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

struct published_row {
    size_t table;        /* index */
    size_t base;         /* the row that its ratio is to; its own index = it is a reference */
    char *server, *page; /* the names in the source */
    struct published_cell cell;
    unsigned workers, run; /* as published; 0 = not said */
    uint64_t requests;     /* of the whole measurement; 0 = by time */
    double requests_per_s; /* as published, */
    double resolution;     /* of its last digit */
    double p50_ms, p99_ms; /* NaN = not published */
};

struct published_table {
    char *id, *host, *note; /* host and note may be NULL */
    char *generator;        /* wrk or ab */
    unsigned threads;       /* of it; 0 = not said */
    double duration_s;      /* NaN = by requests */
    bool keepalive;
};

struct published {
    char *id, *title, *host, *source;
    struct strings adaptations; /* what is not as it was there, whatever the machine */
    struct published_table *tables;
    size_t tables_n;
    struct published_row *rows; /* of all tables, in their order */
    size_t rows_n;
    struct published_claim *claims;
    size_t claims_n;
};

/* Loads a file; refuses it with file, line and key (EXIT_USAGE). published_fini is safe after
   either. A row's base is, in this order: the row of the table's "reference" server with the same
   route, connections and run (of "reference_table" when that is another one: with any
   connections); the same server's row of the table's first route, same connections and run; the
   first row of the same server. */
int published_load(struct published *p, const char *path, struct err *e);

/* A path (with a slash), or a name in configs/published; the names are in the error. */
int published_resolve(struct published *p, const char *name, struct err *e);
void published_names(struct strings *names); /* sorted */

/* Row / base as published, with the ends that the rounding of both figures allows. */
struct published_range published_ratio(const struct published *p, size_t row, double *ratio);

bool published_same_cell(const struct published_cell *a, const struct published_cell *b);

void published_fini(struct published *p); /* safe twice */

#endif
