/* alloc: allocation that cannot fail for its caller. See alloc.h. */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(void)
{
    fputs("parity: out of memory\n", stderr);
    abort();
}

void *xcalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *xrealloc(void *p, size_t count, size_t size)
{
    void *q = reallocarray(p, count ? count : 1, size ? size : 1);
    if (!q)
        out_of_memory();
    return q;
}

char *xstrdup(const char *s)
{
    return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
    char *p = strndup(s, n);
    if (!p)
        out_of_memory();
    return p;
}

char *xasprintf(const char *fmt, ...)
{
    char *p = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&p, fmt, ap);
    va_end(ap);
    if (n < 0)
        out_of_memory();
    return p;
}

void *xgrow(void *items_pointer, size_t *count, size_t size)
{
    void **items = items_pointer;
    /* Capacity is the next power of two: full exactly when count is one (or zero). */
    if ((*count & (*count - 1)) == 0)
        *items = xrealloc(*items, *count ? *count * 2 : 1, size);
    char *slot = (char *)*items + *count * size;
    memset(slot, 0, size);
    (*count)++;
    return slot;
}
