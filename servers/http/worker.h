/* worker: one engine on one listener, in this process. */
#ifndef HTTP_WORKER_H
#define HTTP_WORKER_H

#include "http/server.h"

/* Serves until SIGTERM or SIGINT (which must be blocked). Takes listen_fd. Returns 0, or -1 with
   err set: it could not start. */
int worker_run(const struct options *o, const struct service *service, struct counters_board *board,
               unsigned index, int listen_fd, struct err *err);

/* Forks a worker on each listener and replaces those that die, until SIGTERM or SIGINT. Exit code.
 */
int supervise(const struct options *o, const struct service *service, struct counters_board *board,
              const int *listen_fds);

enum engine_kind engine_kind_of(const char *name);

#endif
