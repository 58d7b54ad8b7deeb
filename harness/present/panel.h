/* panel: the cells of one route, generator and mode, by connection level and server: what one block
   of the table, one group of charts and one section of the page show. */
#ifndef PRESENT_PANEL_H
#define PRESENT_PANEL_H

#include "model/result.h"

#define PANEL_NONE SIZE_MAX /* the plan has no such cell */

struct panel {
    enum route_id route;
    size_t generator; /* index into suite.generators */
    bool keepalive;
    unsigned levels[SUITE_LEVELS_MAX]; /* connections, rising */
    size_t levels_n;
    size_t servers_n;
    size_t *cells; /* [level * servers_n + server], index into plan.cells or PANEL_NONE */
};

struct panels {
    struct panel *item;
    size_t n;
};

/* In the order of the plan. The caller ends it with panels_fini. */
void panels_make(struct panels *p, const struct result *r);
void panels_fini(struct panels *p); /* safe twice */

size_t panel_cell(const struct panel *p, size_t level, size_t server);

/* "health by wrk, keep-alive". Static buffer, valid until the next call. */
const char *panel_title(const struct panel *p, const struct result *r);

/* "health-wrk", "health-wrk-close": for file names and anchors. Static buffer. */
const char *panel_slug(const struct panel *p, const struct result *r);

/* The ratio of a cell's server in its comparison, or NULL (the reference has none). */
const struct ratio *panel_ratio(const struct result *r, size_t cell, enum metric metric);

/* The ratios block by block (server / reference, both of them measured well enough for the metric),
   at most max of them: what there is to show where blocks are too few for an interval. Returns how
   many were written. */
size_t panel_block_ratios(const struct result *r, const struct ratio *ratio, double *to,
                          size_t max);

#endif
