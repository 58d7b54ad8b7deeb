/* strings: a list of strings that owns them. */
#ifndef MODEL_STRINGS_H
#define MODEL_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

/* item has n strings; item[n] is NULL, so that item serves as an argv. Zeroed = empty, item NULL.
 */
struct strings {
    char **item;
    size_t n;
};

void strings_add(struct strings *s, const char *text); /* copies */
void strings_take(struct strings *s, char *text);      /* now owns text */
bool strings_has(const struct strings *s, const char *text);
void strings_fini(struct strings *s); /* safe twice */

#endif
