/* alloc: memory that is there or the program ends. No NULL checks elsewhere. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

/* All of these return memory that the caller frees with free(); out of memory aborts with a
 * message. */
void *xcalloc(size_t count, size_t size) __attribute__((returns_nonnull));
void *xrealloc(void *p, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* Makes room for one more element of size bytes in a growing array: *items holds *count of them.
   Returns the new, zeroed element and counts it. */
void *xgrow(void *items_pointer, size_t *count, size_t size) __attribute__((returns_nonnull));

#endif
