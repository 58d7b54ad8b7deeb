/* readiness: how an answer leaves where the kernel tells when a socket takes more (epoll, kqueue).
 */
#ifndef HTTP_READINESS_H
#define HTTP_READINESS_H

#include "http/transmit.h"

#include <stdbool.h>

/* The first try, straight from the lent buffer. What the socket doesn't take is copied; it goes on
   in a later turn, or when the socket is said to be writable. */
enum io readiness_send(struct link *l, struct out *out);

/* All has left, or there was nothing: does what the connection wanted after that. It may hand over
   more, and so on. */
void readiness_settle(struct link *l);

/* Is l waiting for its socket to become writable? */
bool readiness_waits(const struct link *l);

/* Goes on with what has not left; when it has: readiness_settle(). */
void readiness_send_more(struct link *l);

/* Of struct engine_ops. */
void readiness_unsend(struct engine *e, struct sending *s);

#endif
