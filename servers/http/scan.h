/* scan: the parser's only look at every byte: what is where in a block, as bits. */
#ifndef HTTP_SCAN_H
#define HTTP_SCAN_H

#include <stddef.h>
#include <stdint.h>

#define SCAN_BLOCK 64

/* Bit i tells of byte i. */
struct marks {
    uint64_t control; /* can't be in a field value or request line: a control character other than
                         tab (RFC 9110 5.5), so CR and LF too */
    uint64_t odd;     /* isn't a character of a token (RFC 9110 5.6.2), or is '#', which ends a
                         target */
};

/* Marks p[0..n), n from 1; of more than SCAN_BLOCK bytes the first ones. Bits of bytes that aren't
   there are 0. Never reads outside p[0..n). */
typedef void scan_fn(const char *p, size_t n, struct marks *marks);
extern scan_fn *scan_block;

/* The same by name: scalar, and the vector twins, for tests. scan_choose() sets scan_block to the
   best that this processor has; until then it is the scalar one. Returns its name. */
scan_fn scan_block_scalar, scan_block_sse42, scan_block_avx2;
int scan_has_sse42(void);
int scan_has_avx2(void);
const char *scan_choose(void);

#endif
