/* worker: one engine on one listener, in this process. */
#ifndef HTTP_WORKER_H
#define HTTP_WORKER_H

#include "http/server.h"

/* A worker's place among its fellows. */
struct seat {
    struct counters_board *board;
    unsigned index;
    int listen_fd;
};

/* Serves until SIGTERM or SIGINT (which must be blocked). Takes the seat's listen_fd. Returns 0, or
   -1 with err set: it could not start. */
int worker_run(const struct options *o, const struct service *service, const struct seat *seat,
               struct err *err);

/* Forks a worker on each listener and replaces those that die, until SIGTERM or SIGINT. Exit code.
 */
int supervise(const struct options *o, const struct service *service, struct counters_board *board,
              const int *listen_fds);

enum engine_kind engine_kind_of(const char *name);

#endif
