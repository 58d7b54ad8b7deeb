/* http1: the head of an HTTP/1 request, from bytes. Pure: no input or output, no allocation, no
 * state. */
#ifndef HTTP_HTTP1_H
#define HTTP_HTTP1_H

#include "http/str.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum method {
    METHOD_UNKNOWN,
    METHOD_GET,
    METHOD_HEAD,
    METHOD_POST,
    METHOD_OPTIONS,
    METHOD_OTHER,  /* PUT, DELETE, PATCH, TRACE: known to HTTP, offered by no route */
    METHOD_CONNECT /* the same; its target is an authority */
};

/* What a handler needs to know of a request. The strings are views into the parsed bytes; p is NULL
   where the field is absent (then n means nothing). */
struct request {
    enum method method;
    int minor;    /* HTTP/1.minor */
    bool plain;   /* GET by HTTP/1.1; the fields say nothing of body, persistence, expectations */
    bool close;   /* the connection ends after the answer (RFC 9112 9.3) */
    bool chunked; /* Transfer-Encoding: chunked */
    bool expect_continue;
    bool expect_unknown;
    uint64_t content_length; /* 0 when absent */
    struct str target;       /* as received */
    struct str path;         /* of the target: no scheme, authority, query; still percent-encoded */
    struct str host;
    struct str range;
    struct str if_range;
    struct str if_match;
    struct str if_none_match;
    struct str if_modified_since;
    struct str if_unmodified_since;
};

struct http1_limits {
    size_t line;   /* bytes of the request line */
    size_t head;   /* bytes of request line and fields */
    size_t fields; /* number of fields */
};

/* Parses a head from p[0..n). Returns the bytes it takes, blank line included; 0: more bytes are
   needed; negative: the status to refuse it with (-400, -414, -431, -501, -505), after which the
   connection can't be used. Lines are judged when they are whole, so the answer doesn't depend on
   how the bytes were cut, except that a line or head too long is refused before its end. */
ssize_t http1_parse(const char *p, size_t n, const struct http1_limits *limits,
                    struct request *request);

#endif
