/* series: what a chart draws of one panel: a value per server and connection level, its bar, and
   whether it may be compared. */
#ifndef PRESENT_SERIES_H
#define PRESENT_SERIES_H

#include "present/panel.h"

enum chart_kind {
    CHART_THROUGHPUT,
    CHART_CPU,
    CHART_PARITY,
    CHART_PARITY_CPU,
    CHART_P50,
    CHART_P99,
    CHART_KINDS
};

struct point {
    size_t level;         /* index into the panel's levels */
    double value;         /* in the result's unit; NaN = nothing to draw */
    double low, high;     /* NaN = no bar */
    enum verdict verdict; /* VALID is drawn filled, others hollow */
    bool censored;        /* drawn hollow too: slower answers are missing */
    const char *note;     /* why there is no value, or ""; borrowed */
};

struct series {
    size_t server;
    struct point points[SUITE_LEVELS_MAX];
    size_t n;
};

/* How a server looks in every chart; told apart by shape and dash too, not by colour alone. */
struct look {
    const char *rgb;    /* "#0072b2" */
    int filled, hollow; /* gnuplot's point types */
    int dash;           /* gnuplot's dash type */
    const char *shape;  /* of the page's marks: circle, square, triangle, ... */
};
const struct look *series_look(size_t server);

/* Fills the series of one server; parity has none for the reference. Returns whether any
   value is known. */
bool series_make(struct series *s, const struct panel *p, const struct result *r, size_t server,
                 enum chart_kind kind);

/* Whether a point is drawn filled. */
bool point_is_valid(const struct point *p, enum chart_kind kind);

#endif
