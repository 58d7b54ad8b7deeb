/* page_parts: the sections of report.html, each in a file of its own kind; page.c puts them in
   order. */
#ifndef PRESENT_PAGE_PARTS_H
#define PRESENT_PAGE_PARTS_H

#include "present/panel.h"

#include <stdio.h>

extern const char page_style[]; /* the style sheet */

/* The parity ratios of all panels as dots and intervals around a line at 1. */
void page_plots(FILE *to, const struct panels *p, const struct result *r);

/* A server's mark, as in the plots and charts, before its name. */
void page_mark(FILE *to, size_t server);

/* finding_write, escaped. */
void page_finding(FILE *to, const struct result *r, const struct ratio *ratio);

/* Tables: what was left out; every cell; the fairness manifest; servers; machine. */
void page_witnesses(FILE *to, const struct result *r);
void page_exclusions(FILE *to, const struct result *r);
void page_cells(FILE *to, const struct panels *p, const struct result *r);
void page_fairness(FILE *to, const struct result *r);
void page_servers(FILE *to, const struct result *r);
void page_machine(FILE *to, const struct result *r);

/* Opens and closes a table that scrolls inside its own box. */
void page_table_begin(FILE *to, const char *caption);
void page_table_end(FILE *to);

/* Plan, seed, command, files; and what the words mean. */
void page_reproduce(FILE *to, const struct result *r);
void page_words(FILE *to, const struct result *r);

#endif
