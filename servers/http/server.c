/* server: the order of a start: take the port (perhaps as root), give root up, find mistakes while
   there is only one process, say that we serve, serve. */
#include "http/server.h"

#include "http/err.h"
#include "http/listener.h"
#include "http/sandbox.h"
#include "http/version.h"
#include "http/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit); /* raising the soft limit to the hard one is always allowed */
}

static void block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGALRM); /* the tick of a worker */
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Which engine will be taken, found by opening one without a listener; NULL with err set. */
static const char *try_engine(const struct options *o, struct err *err)
{
    static const struct engine_user nobody = {.link_size = sizeof(struct link)};
    const struct engine_config config = {
        .kind = engine_kind_of(o->engine), .listen_fd = -1, .wake_fd = -1, .max_links = 1};
    struct engine *e = engine_open(&config, &nobody, NULL, err);
    if (!e)
        return NULL;
    const char *name = engine_name(e);
    engine_close(e);
    return name;
}

static const char *name_engine(const struct options *o, const struct service *service,
                               struct err *err)
{
    return service->serve ? service->engine : try_engine(o, err);
}

int server_version(const struct options *o, const char *name, const struct service *service,
                   struct err *err)
{
    const char *engine = name_engine(o, service, err);
    if (!engine)
        return 1;
    printf("%s %s engine %s\n", name, SERVER_VERSION, engine);
    return 0;
}

/* Everything that can be wrong with the options and the machine, before anybody is told that we
 * serve. */
static const char *rehearse(const struct options *o, const struct service *service,
                            struct counters_board *board, struct err *err)
{
    if (sandbox_drop_root(o->user, err) != 0)
        return NULL;
    void *context = service->open(o, board, 0, err);
    if (!context)
        return NULL;
    service->close(context);
    return name_engine(o, service, err);
}

int server_run(const struct options *o, const struct service *service, struct err *err)
{
    struct options chosen = *o;
    block_signals();
    raise_descriptor_limit();
    int *listeners = mem_get(o->workers * sizeof *listeners);
    int port = listener_open_all(o, listeners, err);
    struct counters_board *board = counters_open((unsigned)o->workers);
    chosen.engine = port < 0 ? NULL : rehearse(o, service, board, err);
    if (!chosen.engine) {
        free(listeners);
        return 1;
    }
    log_line("listening on %s port %d, %u worker%s, engine %s", o->host, port, (unsigned)o->workers,
             o->workers > 1 ? "s" : "", chosen.engine);
    struct seat seat = {board, 0, listeners[0]};
    bool alone = o->workers == 1 && !service->master;
    int failed = service->serve ? service->serve(&chosen, board, listeners, err)
                 : alone        ? worker_run(&chosen, service, &seat, err)
                                : supervise(&chosen, service, board, listeners);
    free(listeners);
    return failed ? 1 : 0;
}

int server_main(int argc, char **argv, const char *name, const struct service *service)
{
    struct options options;
    struct err err = {0};
    int code = 2;
    if (options_parse(&options, argc, argv, service->without, &err) == 0) {
        if (options.help) {
            options_help(stdout, name, service->without);
            return 0;
        }
        code = options.version ? server_version(&options, name, service, &err)
                               : server_run(&options, service, &err);
    }
    if (err.text[0])
        log_line("%s", err.text);
    return code;
}
