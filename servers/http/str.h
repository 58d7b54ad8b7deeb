/* str: bytes somebody else owns. A view is valid as long as the memory it points into: views into a
   received request die when the engine's up-call returns. */
#ifndef HTTP_STR_H
#define HTTP_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

/* Are a's n bytes, each with the bits of fold set, those of b? In words, the last one back from the
   end; fold is one byte, repeated. */
static inline bool str_words_are(const char *a, const char *b, size_t n, uint64_t fold)
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

static inline bool str_is(struct str a, struct str b)
{
    return a.n == b.n && str_words_are(a.p, b.p, a.n, 0);
}

/* Does a equal the lower-case text b, whatever a's case? a must have no control characters, which
   would be folded into punctuation. */
static inline bool str_is_nocase(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if ((a.p[i] | 0x20) != b.p[i])
            return false;
    return true;
}

/* a without its first count bytes. */
static inline struct str str_after(struct str a, size_t count)
{
    return (struct str){a.p + count, a.n - count};
}

/* a without the blanks and tabs around it (OWS, RFC 9110 5.6.3). */
static inline struct str str_trim(struct str a)
{
    while (a.n > 0 && (a.p[0] == ' ' || a.p[0] == '\t'))
        a = str_after(a, 1);
    while (a.n > 0 && (a.p[a.n - 1] == ' ' || a.p[a.n - 1] == '\t'))
        a.n--;
    return a;
}

/* Takes the next element off a comma-separated list (RFC 9110 5.6.1), trimmed; empty elements are
   skipped. false: none left. */
static inline bool str_next_element(struct str *list, struct str *element)
{
    while (list->n > 0) {
        const char *comma = memchr(list->p, ',', list->n);
        size_t n = comma ? (size_t)(comma - list->p) : list->n;
        *element = str_trim((struct str){list->p, n});
        *list = str_after(*list, comma ? n + 1 : n);
        if (element->n > 0)
            return true;
    }
    return false;
}

#endif
