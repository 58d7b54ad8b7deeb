/* accept: which coding a client wants (RFC 9110 12.5.3). Pure. */
#ifndef LEAR_ACCEPT_H
#define LEAR_ACCEPT_H

#include "http/str.h"

struct request;

/* What was said of the codings, in thousandths; -1: nothing. */
struct accept {
    int gzip;
    int identity;
    int any; /* "*" */
};

/* Takes in the value of one Accept-Encoding field. Elements that are malformed say nothing. */
void accept_take(struct accept *a, struct str value);

/* Is gzip what the client wants? */
bool accept_prefers_gzip(const struct accept *a);

/* The same of a request, whose head must still be in memory. */
bool accept_gzip(const struct request *r);

#endif
