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
    /* NULL, or called in each worker: takes its listener, and returns what the engine listens on in
       its place; -1 with err set. accept: NULL, or how it accepts from that (epoll only), as a
       non-blocking accept4(2). */
    int (*front)(int listen_fd, struct err *err);
    int (*accept)(int listen_fd);
    const char *const *without; /* options that this program doesn't have, up to NULL; or NULL */
    /* NULL, or what stands in for engines and workers: serves on the listeners (one for each of the
       options' workers), which it takes, until SIGTERM or SIGINT, which are blocked. 0, or -1 with
       err set. Then user and finish are not used, and engine is its name. */
    int (*serve)(const struct options *o, struct counters_board *board, const int *listeners,
                 struct err *err);
    const char *engine;
    bool master; /* even a single worker has a supervisor, which replaces it when it dies */
    /* NULL, or called in each worker every tick_ms, and later when there is much to do. */
    void (*tick)(struct engine *e, void *context);
    unsigned tick_ms;
};

/* The main() of a server: options, --help, --version ("NAME VERSION engine ENGINE"), run until
   SIGTERM or SIGINT. Returns the exit code: 0 after a graceful end; 2: bad options; 1: it can't
   start or run. */
int server_main(int argc, char **argv, const char *name, const struct service *service);

/* Its parts, for a program with options of another kind. Exit codes; errors are left in err. */
int server_run(const struct options *o, const struct service *service, struct err *err);
int server_version(const struct options *o, const char *name, const struct service *service,
                   struct err *err);

#endif
