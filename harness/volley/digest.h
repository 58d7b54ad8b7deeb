/* digest: a 64-bit fingerprint of a body that comes in pieces; how it was cut doesn't matter. Finds
   differences, not forgeries. */
#ifndef VOLLEY_DIGEST_H
#define VOLLEY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct digest {
    uint64_t hash, word, len; /* word: the bytes that don't fill 8 yet */
};

void digest_start(struct digest *d);
void digest_add(struct digest *d, const char *p, size_t n);
uint64_t digest_value(const struct digest *d);

#endif
