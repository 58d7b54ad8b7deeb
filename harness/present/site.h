/* site: the trend site: an index and a page a route. Opens from disk, loads nothing from elsewhere;
   without scripts the charts are plain pictures. Pure: text to a stream. */
#ifndef PRESENT_SITE_H
#define PRESENT_SITE_H

#include "present/site_view.h"

#include <stdio.h>

struct site_look {
    const char *title;       /* "Parity trends" unless told */
    const char *chart_style; /* the chart library's style sheet, or NULL: there is no library */
};

/* Names of the files beside the pages. */
#define SITE_SCRIPT  "site.js"
#define SITE_LIBRARY "uplot.js"

void site_index(FILE *to, const struct site *s, const struct site_look *look);
void site_route(FILE *to, const struct site *s, const struct site_look *look, size_t page);
/* "route-health.html": letters, digits, '-' and '_' only. The caller frees. */
char *site_file(const struct site_page *p);

extern const char site_script[]; /* site.js, NUL-terminated */

#endif
