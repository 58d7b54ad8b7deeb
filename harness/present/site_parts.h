/* site_parts: what the pages of the trend site share. */
#ifndef PRESENT_SITE_PARTS_H
#define PRESENT_SITE_PARTS_H

#include "present/site.h"

extern const char site_style[]; /* what the report's style sheet lacks */

/* Head, title and navigation; here = the page shown, SITE_NONE = the index. */
void site_begin(FILE *to, const struct site *s, const struct site_look *look, size_t here);
void site_end(FILE *to, const struct site_look *look);

/* A chart as a still picture. */
void site_plot(FILE *to, const struct site *s, const struct site_page *p,
               const struct site_chart *c);
/* A line without axes, for a card. */
void site_spark(FILE *to, const struct site_line *line);

/* The page's runs and charts as JSON in a script element that isn't run. */
void site_data(FILE *to, const struct site *s, const struct site_page *p);

/* Pieces of text: "1a2b3c4" with its link, "2026-01-31", a run's report. */
void site_commit(FILE *to, const struct history_run *run);
void site_day(FILE *to, const struct history_run *run);
void site_report(FILE *to, const struct history_run *run);
/* A link to what is http(s) or a file below the site; else NULL: history files may come from
   anywhere. */
const char *site_link(const char *url);
/* A value of this metric: "1.36", "174k", "5.62us", "901". Static buffer. */
const char *site_figure(enum site_metric m, double y);
/* How much a change point is, "-3.1 %"; class: good or bad. Static buffers. */
const char *site_change(const struct changepoint *c);
const char *site_change_class(enum site_metric m, const struct changepoint *c);

#endif
