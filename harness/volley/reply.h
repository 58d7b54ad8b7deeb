/* reply: reads HTTP/1.1 responses as RFC 9112 has them. Pure: bytes in, events out; no I/O, no
   allocation. Strict, for it checks servers: what a lenient client would let pass is REPLY_BAD. */
#ifndef VOLLEY_REPLY_H
#define VOLLEY_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REPLY_HEAD_MAX = 16384
}; /* a longer head is REPLY_BAD */

enum reply_framing {
    REPLY_NO_BODY, /* HEAD, 204, 304: RFC 9112 section 6.3, rule 1 */
    REPLY_LENGTH,  /* Content-Length */
    REPLY_CHUNKED,
    REPLY_UNTIL_CLOSE
};

/* What a head said. */
struct reply_head {
    int status;
    enum reply_framing framing;
    bool keep_alive; /* the connection stays open after this answer */
    bool has_length; /* a Content-Length was there (also in an answer to HEAD) */
    uint64_t length; /* its value */
    size_t
        date_at; /* where the 29 bytes of the Date value start, 0 when there is none of that form */
    const char *wrong; /* after REPLY_BAD: what was wrong, a constant */
};

struct reply {
    struct reply_head head;
    unsigned char phase, chunk; /* see reply.c */
    bool to_head_request;
    uint64_t left;     /* of the body (REPLY_LENGTH), of the chunk (REPLY_CHUNKED) */
    uint64_t body_len; /* seen so far */
    unsigned line_len; /* of a chunk's size line or a trailer line: bounded */
};

enum reply_event {
    REPLY_MORE, /* nothing more can be used: come again with the bytes behind used and more after
                   them (a head is read when it is whole; body and chunks are used as they come) */
    REPLY_HEAD, /* the final head is complete (1xx ones are passed over): head is valid, used is its
                   length */
    REPLY_BODY, /* the used bytes that body points to are body */
    REPLY_END,  /* the answer is complete; bytes behind used belong to the next */
    REPLY_BAD   /* head.wrong says why; the connection is of no more use */
};

struct reply_step {
    enum reply_event event;
    size_t used; /* bytes consumed by this step; with REPLY_BODY the body's bytes end there ... */
    const char *body; /* ... and start here: body_len of them */
    size_t body_len;
};

void reply_start(struct reply *r, bool to_head_request);

/* Takes one step. n may be 0: an answer without body ends without more bytes. */
struct reply_step reply_next(struct reply *r, const char *p, size_t n);

/* The peer has ended the stream: REPLY_END if that completes the answer, else REPLY_BAD. */
enum reply_event reply_eof(struct reply *r);

/* Starts behind a head that is known already (see pattern.h): what follows is its body. */
void reply_adopt(struct reply *r, const struct reply_head *head);

/* n bytes of body, at most reply_body_left, passed by unseen. */
void reply_skip(struct reply *r, uint64_t n);

/* How many bytes of body are sure to follow (0 when that is unknown). */
uint64_t reply_body_left(const struct reply *r);

/* Reads one head at p. Returns its length; 0 when it is incomplete; -1 when it is wrong (h->wrong).
 */
long reply_head_read(struct reply_head *h, const char *p, size_t n, bool to_head_request);

#endif
