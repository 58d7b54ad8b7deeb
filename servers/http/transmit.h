/* transmit: sends at once as much as a non-blocking socket takes: memory, then what is behind it.
 */
#ifndef HTTP_TRANSMIT_H
#define HTTP_TRANSMIT_H

#include "http/engine.h"

enum io {
    IO_DONE,
    IO_AGAIN, /* the socket is full */
    IO_TURN,  /* it isn't, but others should have their turn first */
    IO_BROKEN /* the peer has gone, or the file has become shorter than was promised */
};

/* Moves *p, *n and *tail on by what has left, and counts it. */
enum io transmit(struct link *l, const char **p, size_t *n, struct segment *tail);

/* Gives back what a segment was holding. */
void segment_release(struct segment *s);

#endif
