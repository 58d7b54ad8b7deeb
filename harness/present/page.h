/* page: report.html, self-contained: opens from disk, no network. Pure: text to a stream. */
#ifndef PRESENT_PAGE_H
#define PRESENT_PAGE_H

#include "model/result.h"

#include <stdio.h>

struct page_chart {
    const char *name, *title, *note;
    const char *svg; /* the picture's text, or NULL when there is none */
};

void page_write(FILE *to, const struct result *r, const struct page_chart *charts, size_t charts_n);

#endif
