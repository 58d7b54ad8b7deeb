/* chunked: takes the chunked coding off a body (RFC 9112 7.1), as it comes. Pure but for its state.
 */
#ifndef HTTP_CHUNKED_H
#define HTTP_CHUNKED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct chunked {
    uint64_t left;     /* bytes of the present chunk that are to come */
    uint32_t overhead; /* bytes of the present size line, or of all trailers */
    uint8_t state;     /* 0 at the start */
    bool done;
};

/* Moves the decoded bytes of p[0..n) to the front of p; *body becomes their number. Returns the
   bytes taken: n, or less once done. -1: malformed, or a size line or trailer section beyond 8 KiB.
 */
ssize_t chunked_decode(struct chunked *c, char *p, size_t n, size_t *body);

#endif
