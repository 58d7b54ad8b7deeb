/* pending: what a connection must remember between two up-calls. Exists only while a request is
   incomplete or can't be answered yet, so that an idle connection owns no memory. */
#ifndef HTTP_PENDING_H
#define HTTP_PENDING_H

#include "http/chunked.h"
#include "http/site.h"

struct buffer {
    char *p;
    size_t at; /* taken already */
    size_t n;
    size_t cap;
};

struct pending {
    struct buffer held;     /* bytes received and not yet understood or answered */
    struct buffer body;     /* decoded so far */
    struct chunked chunked; /* of a chunked body */
    uint64_t left;          /* of a body with a length; or that may still be drained */
    struct target target;   /* whom the body is for */
    struct request request; /* its strings are gone */
};

struct pending *pending_new(void);
void pending_free(struct pending *p); /* NULL is allowed */

void buffer_add(struct buffer *b, const char *p, size_t n);
void buffer_take(struct buffer *b, size_t n); /* forgets the first n bytes */

#endif
