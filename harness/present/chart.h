/* chart: gnuplot scripts and data of a result's charts. Pure: text in memory; running gnuplot is
   the caller's (command/report). */
#ifndef PRESENT_CHART_H
#define PRESENT_CHART_H

#include "model/result.h"

struct chart {
    char *name; /* file name without extension: "throughput-health-wrk" */
    char *title;
    char *script; /* gnuplot; reads "NAME.dat" in its folder, writes to the file in variable
                     `output` with the terminal in variable `term` (given by -e), so that one script
                     serves svg and png */
    char *data;
    char *note; /* "no valid point: ..." (then script is NULL and the page says so), or "" */
};

struct charts {
    struct chart *item;
    size_t n;
};

/* Per route, generator and mode: throughput by connections; parity ratio by connections with its
   interval and a line at 1 (throughput and CPU per request); p50 and p99; server CPU per request.
 */
void charts_make(struct charts *c, const struct result *r);
void charts_fini(struct charts *c);

/* The terminals to try: the first one of each extension that gnuplot accepts is enough. */
struct chart_terminal {
    const char *extension; /* "svg", "png" */
    const char *term;      /* value for `term`, few options, since old gnuplots refuse many */
};
const struct chart_terminal *chart_terminals(size_t *n);

/* Arguments for gnuplot's -e: "term='svg ...'; output='throughput-health-wrk.svg'"; run it as
   gnuplot -e THIS NAME.gp in the folder of NAME.gp and NAME.dat. The caller frees. */
char *chart_settings(const struct chart *c, const struct chart_terminal *t);

#endif
