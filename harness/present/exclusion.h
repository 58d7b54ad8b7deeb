/* exclusion: the cells that are not valid, grouped by why. */
#ifndef PRESENT_EXCLUSION_H
#define PRESENT_EXCLUSION_H

#include "present/panel.h"

#include <stdio.h>

struct exclusion {
    enum verdict verdict;
    const char *evidence; /* the first cell's note, or the common reason; "" = none; borrowed */
    size_t *cells;        /* indices into plan.cells, in the plan's order */
    size_t cells_n;
};

struct exclusions {
    struct exclusion *item;
    size_t n;
    size_t cells_n; /* all of them together */
};

/* One group a verdict; skipped cells one group a reason. Most cells first. */
void exclusions_make(struct exclusions *x, const struct result *r);
void exclusions_fini(struct exclusions *x); /* safe twice */

/* Where, in short: "nginx health by wrk, keep-alive: 256 1024; reactor ...". */
void exclusion_write_cells(FILE *to, const struct exclusion *x, const struct result *r);

/* The cell's own evidence: its reason to be skipped, its verdict's note, or "". */
const char *exclusion_note(const struct result *r, size_t cell);

#endif
