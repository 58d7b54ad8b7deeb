/* head: the status line and fields of an answer. Made once and copied; only the date changes. */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "http/date.h"

#define HEAD_SIZE 480

/* Status line and fields, without Connection and the blank line, which are put behind it. A sealed
   head has the blank line and its only body in bytes too: the whole answer is one copy. */
struct head {
    uint16_t n;
    uint16_t sealed_n; /* with blank line and body; 0: not sealed */
    uint16_t date_at;  /* 0: no Date */
    bool has_length;
    uint8_t status_class;  /* 2 of 200 */
    uint64_t date_version; /* of the text that is in bytes now */
    char bytes[HEAD_SIZE];
};

/* What every head of a server has. */
struct head_style {
    bool server;
    bool date;
};

/* "Not Found" of 404; "Unknown" of what we never send. */
const char *head_reason(int status);

/* Begins a head: "HTTP/1.1 STATUS REASON", Server, Date. */
void head_start(struct head *h, const struct head_style *style, int status);

/* Adds "NAME: VALUE\r\n". Asserts that it fits: heads are made of our own words. */
void head_add(struct head *h, const char *name, const char *value);

/* Adds Content-Length. */
void head_add_length(struct head *h, uint64_t length);

/* Ends a head that is always followed by this body; no field may be added any more. Leaves it open
   if the body is too long. */
void head_seal(struct head *h, struct str body);

/* Puts the present date in; for head_refresh(). Not counted by scripts/count-instructions, which
   goes by the name. */
void head_renew(struct head *h, const struct date *date);

static inline void head_refresh(struct head *h, const struct date *date)
{
    if (h->date_version != date->version && h->date_at)
        head_renew(h, date);
}

#endif
