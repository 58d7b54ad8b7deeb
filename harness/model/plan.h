/* plan: the cells of a run and the order in which they are measured. Pure: no clock, no process. */
#ifndef MODEL_PLAN_H
#define MODEL_PLAN_H

#include "model/manifest.h"
#include "model/suite.h"

#include <stdint.h>

struct err;

/* Cells that differ only in their server form a comparison; they are adjacent. */
struct cell {
    size_t server; /* index into plan.servers */
    enum route_id route;
    size_t generator; /* index into suite.generators */
    unsigned connections;
    bool keepalive;
    size_t comparison;
    char *skipped; /* why it is not measured, or NULL */
};

struct comparison {
    size_t first, n; /* its cells */
};

struct step { /* one trial to do */
    size_t cell;
    unsigned block, position;
};

struct plan {
    struct suite suite; /* owned */
    struct manifest *servers;
    size_t servers_n;
    size_t reference; /* index into servers */
    struct cell *cells;
    size_t cells_n;
    struct comparison *comparisons;
    size_t comparisons_n;
    struct step *steps;
    size_t steps_n;
};

/* Resolves the suite's servers and makes the cells; takes over *s (which is emptied) also on
   failure. Routes that a server lacks give a cell with its reason in skipped. Returns 0 or -1 with
   err set. */
int plan_make(struct plan *p, struct suite *s, struct err *e);

/* Marks a cell as not measured (copies the reason; the first one stays). */
void plan_skip(struct plan *p, size_t cell, const char *reason);

/* Draws the order: in each block the comparisons in random order, in each comparison its servers in
   random order; the same seed gives the same order. Replaces steps. Skipped cells have no step. */
void plan_schedule(struct plan *p);

/* Seconds that the run will take, boot and warm-up included. */
double plan_seconds(const struct plan *p);

/* "health wrk c=64 keep-alive", for people and file names (with '-' for blanks). Static buffer. */
const char *cell_title(const struct plan *p, const struct cell *c);

void plan_fini(struct plan *p); /* safe twice */

#endif
