/* server: from options to running workers, for every server that stands on the engines. */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "http/counters.h"
#include "http/engine.h"
#include "http/options.h"

struct err;

/* What a program serves. */
struct service {
    const struct engine_user *user;
    /* Makes the context of a worker's engine; called in the worker, and once before there are any,
       to find mistakes early. NULL with err set. */
    void *(*open)(const struct options *o, struct counters_board *board, unsigned worker,
                  struct err *err);
    void (*close)(void *context);
    void (*finish)(struct engine *e, void *context); /* requests under way may end, no more come */
};

/* The main() of a server: options, --help, --version ("NAME VERSION engine ENGINE"), run until
   SIGTERM or SIGINT. Returns the exit code: 0 after a graceful end; 2: bad options; 1: it can't
   start or run. */
int server_main(int argc, char **argv, const char *name, const struct service *service);

#endif
