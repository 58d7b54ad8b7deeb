/* remarks: the footnotes of a chart: what its marks mean, which points are hollow or missing, and
   why. */
#ifndef PRESENT_REMARKS_H
#define PRESENT_REMARKS_H

#include "present/series.h"

#include <stdio.h>

struct remark {
    char *why;
    bool drawn; /* hollow; else there is no point */
    size_t server, level;
};

struct remarks {
    struct remark *item;
    size_t n;
};

void remarks_add(struct remarks *m, const char *why, bool drawn, size_t server, size_t level);
void remarks_fini(struct remarks *m); /* safe twice */

/* "lighttpd 1024 (errors); nginx 64 256, reactor 256 (client_bound)". Writes nothing when there is
   no such remark; returns whether it wrote. */
bool remarks_write(FILE *to, const struct remarks *m, bool drawn, const struct panel *p,
                   const struct result *r);

#endif
