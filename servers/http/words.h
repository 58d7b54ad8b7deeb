/* words: compares bytes eight or four at a time. */
#ifndef HTTP_WORDS_H
#define HTTP_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Are a's n bytes, each with the bits of fold set, those of b? In words, the last one back from the
   end; fold is one byte, repeated. */
static inline bool words_are(const char *a, const char *b, size_t n, uint64_t fold)
{
    if (n >= 8) {
        uint64_t word[2];
        for (size_t at = 0; at < n; at = n - at < 16 ? n - 8 : at + 8) {
            memcpy(&word[0], a + at, 8), memcpy(&word[1], b + at, 8);
            if ((word[0] | fold) != word[1])
                return false;
            if (at == n - 8)
                break;
        }
        return true;
    }
    if (n >= 4) {
        uint32_t first[2], last[2];
        memcpy(&first[0], a, 4), memcpy(&first[1], b, 4);
        memcpy(&last[0], a + n - 4, 4), memcpy(&last[1], b + n - 4, 4);
        return (first[0] | (uint32_t)fold) == first[1] && (last[0] | (uint32_t)fold) == last[1];
    }
    while (n > 0 && (a[n - 1] | (char)fold) == b[n - 1])
        n--;
    return n == 0;
}

#endif
