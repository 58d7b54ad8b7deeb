/* site_chart: a chart of the trend site as data: lines of points with their change points. */
#ifndef PRESENT_SITE_CHART_H
#define PRESENT_SITE_CHART_H

#include "stats/changepoint.h"

#include <stdbool.h>
#include <stddef.h>

#define SITE_NONE ((size_t)-1)

/* What a chart shows. The first two are compared between kinds of machine, the next two never, and
   counts depend on the build only. */
enum site_metric {
    SITE_RATIO,
    SITE_CPU_RATIO,
    SITE_RATE,
    SITE_CPU,
    SITE_INSTRUCTIONS,
    SITE_SYSTEM_CALLS,
    SITE_ALLOCATIONS,
    SITE_BYTES,
    SITE_METRICS
};

struct site_point {
    size_t at;        /* index into the page's runs */
    double y;         /* finite */
    double low, high; /* NaN = no interval */
};

struct site_line {          /* one server on one kind of machine */
    size_t server, machine; /* indices into the site's */
    struct site_point *points;
    size_t n;
    struct changepoint *changes; /* of ln(y), but counts: any change; index = into points */
    size_t changes_n;
};

struct site_group { /* what is compared: a generator's load */
    const char *generator;
    unsigned connections;
    bool keepalive;
};

struct site_chart {
    enum site_metric metric;
    size_t group;   /* into the page's groups; SITE_NONE for counts */
    size_t machine; /* SITE_NONE = of all kinds */
    struct site_line *lines;
    size_t n;
};

const char *site_metric_name(enum site_metric m);         /* for people: "requests/s" */
bool site_metric_lower(enum site_metric m);               /* lower is better */
const char *site_group_title(const struct site_group *g); /* "volley, 64 connections". Static. */

#endif
