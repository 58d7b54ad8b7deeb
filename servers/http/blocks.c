/* blocks: a bump allocator with a count of users instead of free(). The block being filled starts
   from its beginning whenever nobody uses it, so that under a light load the same few lines of
   cache serve. */
#include "http/blocks.h"

#include "http/err.h"

#include <stdlib.h>

#define ROOM 65536

struct block {
    struct block *next;
    size_t used;
    unsigned users;
    char bytes[ROOM];
};

static struct block *take(struct blocks *b)
{
    struct block *taken = b->spare;
    if (taken)
        b->spare = taken->next;
    else
        taken = mem_get(sizeof *taken);
    taken->used = taken->users = 0;
    return taken;
}

void blocks_init(struct blocks *b)
{
    *b = (struct blocks){0};
    b->filling = take(b);
}

void blocks_fini(struct blocks *b)
{
    free(b->filling);
    while (b->spare) {
        struct block *gone = b->spare;
        b->spare = gone->next;
        free(gone);
    }
}

struct out blocks_lend(struct blocks *b)
{
    if (b->filling->users == 0)
        b->filling->used = 0;
    else if (ROOM - b->filling->used < ENGINE_OUT_MIN)
        b->filling = take(b); /* the full one comes back with its last release */
    struct block *f = b->filling;
    return (struct out){.p = f->bytes + f->used, .cap = ROOM - f->used};
}

struct block *blocks_hold(struct blocks *b, size_t n)
{
    b->filling->used += n;
    b->filling->users++;
    return b->filling;
}

void blocks_release(struct blocks *b, struct block *held)
{
    if (--held->users > 0 || held == b->filling)
        return;
    held->next = b->spare;
    b->spare = held;
}
