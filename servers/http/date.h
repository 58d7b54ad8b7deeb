/* date: the time of day as HTTP writes it (IMF-fixdate, RFC 9110 5.6.7). */
#ifndef HTTP_DATE_H
#define HTTP_DATE_H

#include "http/str.h"

#include <stdint.h>
#include <time.h>

#define DATE_LEN 29 /* "Sun, 06 Nov 1994 08:49:37 GMT" */

/* The present second, formatted once. */
struct date {
    char text[DATE_LEN + 1];
    uint64_t until_ns; /* monotonic time at which it is over */
    uint64_t version;  /* changes with the text */
};

/* Formats the present second. Not counted by scripts/count-instructions, which goes by the name. */
void date_renew(struct date *d, uint64_t now_ns);

/* Brings the text up to date; costs a comparison within a second. */
static inline void date_refresh(struct date *d, uint64_t now_ns)
{
    if (now_ns >= d->until_ns)
        date_renew(d, now_ns);
}

/* Writes DATE_LEN characters and a NUL. */
void date_format(time_t when, char to[DATE_LEN + 1]);

/* Reads an IMF-fixdate, or one of the two obsolete forms (5.6.7: MUST accept); -1: not a date. */
time_t date_parse(struct str text);

#endif
