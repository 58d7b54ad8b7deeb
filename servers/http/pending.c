/* pending: buffers that grow by doubling and are given back whole. */
#include "http/pending.h"

#include "http/err.h"

#include <stdlib.h>

struct pending *pending_new(void)
{
    struct pending *p = mem_get(sizeof *p);
    memset(p, 0, sizeof *p);
    return p;
}

void pending_free(struct pending *p)
{
    if (!p)
        return;
    free(p->held.p);
    free(p->body.p);
    free(p);
}

void buffer_add(struct buffer *b, const char *p, size_t n)
{
    if (n == 0)
        return;
    if (b->at > 0) {
        memmove(b->p, b->p + b->at, b->n - b->at);
        b->n -= b->at;
        b->at = 0;
    }
    if (b->n + n > b->cap) {
        size_t cap = b->cap * 2 > b->n + n ? b->cap * 2 : b->n + n;
        b->p = mem_grow(b->p, cap);
        b->cap = cap;
    }
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void buffer_take(struct buffer *b, size_t n)
{
    b->at += n;
    if (b->at == b->n)
        b->at = b->n = 0;
}
