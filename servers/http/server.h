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

/* Runs until SIGTERM or SIGINT. Returns the exit code: 0 after a graceful end, 1 with err set when
   it can't start. */
int server_run(const struct options *o, const struct service *service, struct err *err);

/* "NAME VERSION engine ENGINE" on stdout, with the engine that would be taken. Exit code as above.
 */
int server_print_version(const struct options *o, const char *name, struct err *err);

#endif
