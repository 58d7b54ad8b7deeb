/* draw: a result's charts (by gnuplot) and its page, into its folder. */
#ifndef RUN_DRAW_H
#define RUN_DRAW_H

#include "model/result.h"

struct chart;
struct err;

/* Writes charts/ (svg, png, and their scripts and data) and report.html below dir. Without gnuplot,
   or where it fails, scripts and data are written, and warning (size bytes) says so; the page is
   written all the same. Returns 0, or -1 when files can't be written. */
int draw_result(const struct result *r, const char *dir, char *warning, size_t size, struct err *e);

/* Writes one chart's script and data into the existing folder dir and draws its svg and png there.
   Returns 0, or -1 with the reason; then script and data are there as far as they could be written.
 */
int draw_chart(const struct chart *c, const char *dir, struct err *e);

#endif
