/* turns: connections that have more of a file to send, and whose sockets take more, but that let
   the others go first. */
#ifndef HTTP_TURNS_H
#define HTTP_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#define TURNS_SHARE_MAX 65536 /* bytes: shorter files leave in one go */

struct engine;
struct link;
struct sending;

/* How many bytes l may send of a file now. */
size_t turns_share(const struct link *l);

/* l, which is sending, goes to the end of the queue. */
void turns_add(struct link *l);

/* Out of the queue, if it is in there. */
void turns_remove(struct engine *e, struct sending *s);

/* Gives each at the head of the queue, up to a number of them, its turn (struct engine_ops). */
void turns_run(struct engine *e);

#endif
