/* site_view: a history seen as pages (a route each), charts and lines, with their change points.
   Pure; points into the history, which must outlive it. */
#ifndef PRESENT_SITE_VIEW_H
#define PRESENT_SITE_VIEW_H

#include "model/history.h"
#include "model/strings.h"
#include "present/site_chart.h"

struct site_page { /* a route */
    const char *route;
    size_t *runs; /* those that have it, as indices into the history */
    size_t runs_n;
    struct site_group *groups; /* volley first, then by generator, mode, connections */
    size_t groups_n;
    struct site_chart *charts;
    size_t charts_n;
};

struct site_machine {
    const struct machine *machine;
    size_t runs, first, last; /* how many runs, and which were the first and the last */
};

struct site {
    const struct history *history;
    struct strings servers;        /* by first appearance in the newest run, then in older ones */
    struct site_machine *machines; /* the newest run's first */
    size_t machines_n;
    struct site_page *pages; /* by first appearance in the newest run, then in older ones */
    size_t pages_n;
};

void site_make(struct site *s, const struct history *h);
void site_fini(struct site *s); /* safe twice */

size_t site_machine_of(const struct site *s, const struct history_run *run);
/* The group that stands for a page where there is room for one: of the first generator, the middle
   level. */
size_t site_group_main(const struct site_page *p);
const struct site_chart *site_chart_find(const struct site_page *p, enum site_metric m,
                                         size_t group, size_t machine); /* or NULL */

#endif
