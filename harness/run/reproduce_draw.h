/* reproduce_draw: a reproduction's charts (by gnuplot) and its page, into its folder. */
#ifndef RUN_REPRODUCE_DRAW_H
#define RUN_REPRODUCE_DRAW_H

#include "model/published_outcome.h"

#include <stddef.h>

struct err;

/* Writes charts/ and report.html below dir. Where gnuplot fails, scripts and data are written, and
   warning (size bytes) says so; the page is written all the same. Returns 0, or -1 when files can't
   be written. */
int reproduce_draw(const struct published_outcome *o, const char *dir, char *warning, size_t size,
                   struct err *e);

#endif
