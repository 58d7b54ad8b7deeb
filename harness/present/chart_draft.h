/* chart_draft: one chart being made: its series, axes and remarks, then its data and its script. */
#ifndef PRESENT_CHART_DRAFT_H
#define PRESENT_CHART_DRAFT_H

#include "present/axis.h"
#include "present/remarks.h"
#include "present/series.h"

#include <stdio.h>

struct draft {
    const struct result *r;
    const struct panel *panel;
    enum chart_kind kind;
    char *name, *title;
    struct series *series; /* one per server that has values */
    size_t series_n;
    struct axis y;
    double scale; /* drawn value = value / scale */
    const char *unit;
    struct remarks remarks;
    bool bars; /* any */
};

void draft_make(struct draft *d, const struct result *r, const struct panel *p,
                enum chart_kind kind);
void draft_fini(struct draft *d); /* safe twice */

/* Whether a point can be drawn on the y axis. */
bool draft_has(const struct draft *d, const struct point *pt);
size_t draft_points(const struct draft *d);

void draft_write_data(FILE *to, const struct draft *d);
void draft_write_script(FILE *to, const struct draft *d);

#endif
