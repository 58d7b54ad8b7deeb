/* digest: multiply and fold, eight bytes at a time (the mixing step is MurmurHash3's, Appleby
 * 2011). */
#include "volley/digest.h"

#include <endian.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 33;
}

void digest_start(struct digest *d)
{
    *d = (struct digest){.hash = UINT64_C(0x9e3779b97f4a7c15)};
}

static void add_byte(struct digest *d, char c)
{
    d->word |= (uint64_t)(unsigned char)c << 8 * (d->len % 8);
    if (++d->len % 8 == 0) {
        d->hash = mix(d->hash, d->word);
        d->word = 0;
    }
}

void digest_add(struct digest *d, const char *p, size_t n)
{
    while (n && d->len % 8)
        add_byte(d, *p++), n--;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        d->hash = mix(d->hash, le64toh(word));
        d->len += 8;
    }
    while (n--)
        add_byte(d, *p++);
}

uint64_t digest_value(const struct digest *d)
{
    return mix(mix(d->hash, d->word), d->len);
}
