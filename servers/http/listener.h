/* listener: listening sockets. */
#ifndef HTTP_LISTENER_H
#define HTTP_LISTENER_H

#include <stdint.h>

struct err;
struct options;

/* Opens one non-blocking listening socket for each worker; several share the address by
   SO_REUSEPORT, and the kernel spreads clients over them. fds has room for options->workers.
   Returns the port (which
   --port 0 left to the kernel), or -1 with err set: the address is bad or taken. */
int listener_open_all(const struct options *o, int *fds, struct err *err);

#endif
