/* err: what is wrong with the user's wishes or the machine, in words; and lines for the log. */
#ifndef HTTP_ERR_H
#define HTTP_ERR_H

#include <stddef.h>

struct err {
    char text[400]; /* what failed, which value, what to do next; "" = no error */
};

/* Records an error unless one is recorded already (the first wins); e may be NULL. Returns -1. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One line on stderr, after the program's name and a colon. */
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Memory, or the program ends saying so. */
void *mem_get(size_t size) __attribute__((returns_nonnull, malloc, warn_unused_result));
void *mem_grow(void *p, size_t size) __attribute__((returns_nonnull, warn_unused_result));

#endif
