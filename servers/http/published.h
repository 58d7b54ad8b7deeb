/* published: the site that the published comparisons measure: their routes, which our servers of
   different designs share so that they do the same work. */
#ifndef HTTP_PUBLISHED_H
#define HTTP_PUBLISHED_H

#include "http/str.h"

struct counters;
struct counters_board;
struct err;
struct options;
struct reply;
struct route;
struct site;

/* A site with the limits of the options, /health, /json, /echo and, where asked for, the counters
   of the board, files and the handicap. It counts in counters. NULL with err set: no such docroot.
   published_close() frees it. */
struct site *published_open(const struct options *o, struct counters *counters,
                            const struct counters_board *board, struct err *err);
void published_close(struct site *site);

/* Two parts of it for sites of another make: limits, timeouts and style as the options say; a
   route_answer that shows the board. */
void published_set_limits(struct site *site, const struct options *o);
void published_counters(struct site *site, struct route *route, struct str body,
                        struct reply *reply);

#endif
