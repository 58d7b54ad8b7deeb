/* export: the history in other tools' formats, so that people keep their dashboards. Pure. Cells
   that aren't valid are left out everywhere: none of these formats has a word for them. */
#ifndef PRESENT_EXPORT_H
#define PRESENT_EXPORT_H

#include "model/history.h"

/* github-action-benchmark (v1), input of its tools customBiggerIsBetter and customSmallerIsBetter:
   an array of a run's figures in which more, or less, is better. The caller frees. */
char *export_action_list(const struct history_run *run, bool bigger);
/* Its data.js with all runs: exactly its prefix, no semicolon and no newline at the end, since what
   reads it cuts off the prefix and takes the rest as JSON. Suites are named after the kind of
   machine, so that kinds don't mix. The caller frees. */
char *export_action_data(const struct history *h);

/* Bencher's metric format (BMF): a run's figures with their intervals. The caller frees. */
char *export_bmf(const struct history_run *run);

/* Apache Otava: a CSV for each series on each kind of machine, and an otava.yaml that names them
   as tests. Calls file for each; what it returns other than 0 ends it and is returned. */
int export_otava(const struct history *h, int (*file)(void *to, const char *name, const char *text),
                 void *to);

/* What one cell or counted route has to say, in one list: "health volley c=64 keep-alive
   reactor/nginx requests/s ratio". */
struct export_figure {
    char name[320];
    const char *unit, *measure; /* "ratio"; for BMF "parity-ratio" */
    bool bigger;                /* is better */
    double value, low, high;    /* NaN ends = no interval */
    size_t blocks;              /* of a ratio; 0 = it isn't one */
    size_t name_len;            /* of the part that names the series */
};

struct export_figures {
    struct export_figure *item;
    size_t n;
};

void export_figures_make(struct export_figures *f, const struct history_run *run);
void export_figures_fini(struct export_figures *f); /* safe twice */

#endif
