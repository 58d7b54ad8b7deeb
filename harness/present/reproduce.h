/* reproduce: a reproduced comparison for people: a table on the terminal, charts, a page. Pure. */
#ifndef PRESENT_REPRODUCE_H
#define PRESENT_REPRODUCE_H

#include "model/published_outcome.h"
#include "present/chart.h"
#include "present/page.h"

#include <stdio.h>

/* Every published row, the claims, what was adapted. width 0 = lines are not broken. */
void reproduce_write_table(FILE *to, const struct published_outcome *o, unsigned width, bool color);

/* What is said before it starts: parts, what is adapted, what can't run here. */
void reproduce_write_plan(FILE *to, const struct published_outcome *o, double seconds,
                          unsigned width);

/* A chart a table that has ratios: published and measured ones. The caller ends it with
   charts_fini. */
void reproduce_charts_make(struct charts *c, const struct published_outcome *o);

/* report.html; charts are in the order of reproduce_charts_make. */
void reproduce_write_page(FILE *to, const struct published_outcome *o,
                          const struct page_chart *charts, size_t charts_n);

/* The name of a row's server with what sets the row apart: "threads, 8 workers, run 4". Static
   buffer. */
const char *reproduce_row_name(const struct published_row *row);
/* "wrk -t8 -d15s, keep-alive". Static buffer. */
const char *reproduce_flags(const struct published *p, size_t table);
/* "1.04 (0.98 to 1.07)", "-" for none. Static buffer. */
const char *reproduce_interval(const struct interval *v);

#endif
