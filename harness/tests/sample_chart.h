/* sample_chart: draws a chart with the real gnuplot, for the tests of present. */
#ifndef TESTS_SAMPLE_CHART_H
#define TESTS_SAMPLE_CHART_H

#include "present/chart.h"

#include <stdbool.h>

/* What gnuplot did. */
struct drawing {
    int status;       /* exit code, or 128 + signal */
    char *complaints; /* its stdout and stderr; "" is right */
    char *picture;    /* the file it wrote, or NULL */
    size_t len;
};

/* Writes NAME.gp and NAME.dat below folder and runs gnuplot there. settings as chart_settings gives
   them, or NULL for none; the picture is NAME.extension. drawing_fini ends it. */
void drawing_make(struct drawing *d, const char *folder, const struct chart *c,
                  const char *settings, const char *extension);
void drawing_fini(struct drawing *d);

/* A fresh folder below $TMPDIR or /tmp that sample_folder_remove deletes; the caller frees. */
char *sample_folder_make(void);
void sample_folder_remove(char *folder);

#endif
