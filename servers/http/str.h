/* str: bytes somebody else owns. A view is valid as long as the memory it points into: views into a
   received request die when the engine's up-call returns. */
#ifndef HTTP_STR_H
#define HTTP_STR_H

#include "http/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

static inline bool str_is(struct str a, struct str b)
{
    return a.n == b.n && words_are(a.p, b.p, a.n, 0);
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
