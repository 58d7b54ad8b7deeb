/* reply: an answer's bytes. Heads are made once and copied; only the date in them changes. */
#ifndef HTTP_REPLY_H
#define HTTP_REPLY_H

#include "http/date.h"
#include "http/link.h"
#include "http/str.h"

#define HEAD_SIZE  480
#define REPLY_ROOM 1024 /* what reply_put needs in a struct out for a head and its last fields */
#define REPLY_COPY_MAX                                                                             \
    16384 /* a body up to this size is copied behind its head, if there is room */

/* Status line and fields, without Connection and the blank line, which are put behind it. A sealed
   head has the blank line and its only body in bytes too: the whole answer is one copy. */
struct head {
    uint16_t n;
    uint16_t sealed_n; /* with blank line and body; 0: not sealed */
    uint16_t date_at;  /* 0: no Date */
    bool has_length;
    uint64_t date_version; /* of the text that is in bytes now */
    char bytes[HEAD_SIZE];
};

/* What every head of a server has. */
struct head_style {
    bool server;
    bool date;
};

/* An answer. body.p is memory or, when NULL and body.n > 0, a range of body.fd. */
struct reply {
    struct head *head;
    struct segment body;
    struct str extra; /* further field lines, each with its CRLF; at most 400 bytes */
    uint64_t length;  /* Content-Length, when the head has none and has_length is set */
    bool has_length;
    bool borrowed; /* body.p dies with the up-call: copy it */
    bool sealed;   /* body is what the head was sealed with */
};

/* An answer with this head and, so far, nothing else. (Member by member: see http1.c, clear().) */
static inline void reply_start(struct reply *r, struct head *head)
{
    r->head = head;
    r->body.p = NULL;
    r->body.n = 0;
    r->body.release = NULL;
    r->extra.n = 0;
    r->has_length = r->borrowed = r->sealed = false;
}

/* How the connection goes on, as the Connection field says it. */
enum persistence {
    PERSIST_SILENT,
    PERSIST_KEEP_ALIVE,
    PERSIST_CLOSE
};

/* Begins a head: "HTTP/1.1 STATUS REASON", Server, Date. */
void head_start(struct head *h, const struct head_style *style, int status);

/* Adds "NAME: VALUE\r\n". Asserts that it fits: heads are made of our own words. */
void head_add(struct head *h, const char *name, const char *value);

/* Adds Content-Length. */
void head_add_length(struct head *h, uint64_t length);

/* Ends a head that is always followed by this body; no field may be added any more. Leaves it open
   if the body is too long. */
void head_seal(struct head *h, struct str body);

const char *reply_reason(int status);

/* Puts the present date in; for head_refresh(). Not counted by scripts/count-instructions, which
   goes by the name. */
void head_renew(struct head *h, const struct date *date);

static inline void head_refresh(struct head *h, const struct date *date)
{
    if (h->date_version != date->version && h->date_at)
        head_renew(h, date);
}

/* Writes a sealed head with its body. Needs REPLY_ROOM. */
static inline void reply_put_sealed(struct out *out, struct head *h, const struct date *date)
{
    head_refresh(h, date);
    memcpy(out->p + out->n, h->bytes, h->sealed_n);
    out->n += h->sealed_n;
}

/* Writes the answer; without_body (HEAD) keeps the head as it is. Needs REPLY_ROOM and no tail in
   out. Takes over body.owner: it is released when sent, or now. */
void reply_put(struct out *out, struct reply *reply, const struct date *date,
               enum persistence persist, bool without_body);

#endif
