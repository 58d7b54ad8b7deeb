/* reply: an answer: a head, further fields, a body, and how they become bytes. */
#ifndef HTTP_REPLY_H
#define HTTP_REPLY_H

#include "http/head.h"
#include "http/link.h"
#include "http/str.h"

#define REPLY_ROOM 1024 /* what reply_put needs in a struct out for a head and its last fields */
#define REPLY_COPY_MAX                                                                             \
    16384 /* a body up to this size is copied behind its head, if there is room */

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
