/* blocks: memory for answers that are on their way: many in a block, which is used anew when the
   last of them has left. */
#ifndef HTTP_BLOCKS_H
#define HTTP_BLOCKS_H

#include "http/link.h"

struct block;

struct blocks {
    struct block *filling;
    struct block *spare;
};

void blocks_init(struct blocks *b);
void blocks_fini(struct blocks *b); /* nothing may be held any more */

/* Room at the end of the present block, at least ENGINE_OUT_MIN; used up only by blocks_hold(). */
struct out blocks_lend(struct blocks *b);

/* Keeps the first n bytes of what was lent until blocks_release(). */
struct block *blocks_hold(struct blocks *b, size_t n);
void blocks_release(struct blocks *b, struct block *held);

#endif
