/* sha256: digests that name programs and configurations (FIPS 180-4). */
#ifndef LAB_SHA256_H
#define LAB_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHA256_HEX = 65 /* 64 digits and the NUL */
};

struct sha256 {
    uint32_t state[8];
    uint64_t len; /* bytes so far */
    uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
void sha256_hex(struct sha256 *s, char hex[SHA256_HEX]); /* ends the digest */

/* Adds a file's bytes. false = not readable to its end. */
bool sha256_add_file(struct sha256 *s, const char *path);

#endif
