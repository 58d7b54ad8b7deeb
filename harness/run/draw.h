/* draw: a result's charts (by gnuplot) and its page, into its folder. */
#ifndef RUN_DRAW_H
#define RUN_DRAW_H

#include "model/result.h"

struct err;

/* Writes charts/ (svg, png, and their scripts and data) and report.html below dir. Without gnuplot,
   or where it fails, scripts and data are written, and warning (size bytes) says so; the page is
   written all the same. Returns 0, or -1 when files can't be written. */
int draw_result(const struct result *r, const char *dir, char *warning, size_t size, struct err *e);

#endif
