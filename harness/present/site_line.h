/* site_line: the lines of a page's charts, and where their level changed. */
#ifndef PRESENT_SITE_LINE_H
#define PRESENT_SITE_LINE_H

#include "present/site_view.h"

/* Whether a series belongs to this group. */
bool site_group_has(const struct site_group *g, const struct history_series *s);

/* Makes the page's charts: those without any point are left out. */
void site_lines_make(const struct site *s, struct site_page *p);

#endif
