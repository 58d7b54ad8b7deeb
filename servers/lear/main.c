/* lear: a static server: settings in, then what servers/http has (master, workers, connections,
   parser) over files that all workers share in memory. */
#include "http/conn.h"
#include "http/err.h"
#include "http/scan.h"
#include "http/server.h"
#include "lear/folder.h"
#include "lear/settings.h"
#include "lear/store.h"
#include "lear/tls.h"

#include <stdio.h>
#include <string.h>

#define TICK_LEAST_MS 5
#define TICK_MOST_MS  1000

/* Made by the master, inherited by its workers: open() has no other way to it. */
static struct {
    struct settings settings;
    struct store *store;
    struct tls *tls; /* NULL: in the clear */
} lear;

static void *open_folder(const struct options *o, struct counters_board *board, unsigned worker,
                         struct err *err)
{
    (void)o; /* they are in the settings */
    tls_hide(lear.tls);
    store_enter(lear.store, worker);
    scan_choose();
    return folder_open(&lear.settings, lear.store, board, worker, err);
}

static void close_folder(void *context)
{
    tls_end(lear.tls);
    folder_close(context);
}

static void tick(struct engine *e, void *context)
{
    folder_tick(context, engine_now_ns(e));
}

static void finish(struct engine *e, void *context)
{
    conn_finish_all(e, folder_site(context));
    tls_finish(lear.tls);
}

static int front(int listen_fd, struct err *err)
{
    return tls_start(lear.tls, listen_fd, err);
}

/* Often enough that a file isn't kept for much longer than it should be. */
static unsigned tick_ms(uint64_t idle_ms)
{
    uint64_t ms = idle_ms / 4;
    if (ms < TICK_LEAST_MS)
        return TICK_LEAST_MS;
    return ms < TICK_MOST_MS ? (unsigned)ms : TICK_MOST_MS;
}

static int serve(struct err *err)
{
    struct service service = {.user = &conn_user,
                              .open = open_folder,
                              .close = close_folder,
                              .finish = finish,
                              .front = front,
                              .accept = lear.tls ? tls_accept : NULL,
                              .master = true,
                              .tick = tick,
                              .tick_ms = tick_ms(lear.settings.cache_idle_ms)};
    lear.store = store_open(lear.settings.cache_mib << 20, err);
    if (!lear.store)
        return 1;
    int code = server_run(&lear.settings.options, &service, err);
    store_close(lear.store);
    return code;
}

static void help(void)
{
    puts("usage: lear [--config FILE] [--check]\n"
         "\n"
         "  --config FILE  settings, as YAML (lear.yaml)\n"
         "  --check        read them, say what is wrong, and end\n"
         "  --example      print settings with all keys, their defaults and meanings\n"
         "  --version      print version and engine\n"
         "  --help         print this");
}

static int with_settings(const char *file, bool check, struct err *err)
{
    int code = 2;
    if (settings_read(&lear.settings, file, err) == 0 &&
        tls_open(&lear.tls, &lear.settings, err) == 0)
        code = check ? 0 : serve(err);
    tls_close(lear.tls);
    settings_free(&lear.settings);
    return code;
}

static int run(int argc, char **argv, struct err *err)
{
    static const struct options epoll = {.engine = "epoll"};
    const char *file = "lear.yaml";
    bool check = false;
    for (int i = 1; i < argc && argv[i]; i++) {
        if (strcmp(argv[i], "--config") == 0 && argv[i + 1])
            file = argv[++i];
        else if (strcmp(argv[i], "--check") == 0)
            check = true;
        else if (strcmp(argv[i], "--example") == 0)
            return settings_example(stdout), 0;
        else if (strcmp(argv[i], "--version") == 0)
            return server_version(&epoll, "lear", &(struct service){0}, err);
        else if (strcmp(argv[i], "--help") == 0)
            return help(), 0;
        else
            return err_set(err, "%s '%s'; see --help",
                           strcmp(argv[i], "--config") == 0 ? "a file must follow"
                                                            : "unknown option",
                           argv[i]),
                   2;
    }
    return with_settings(file, check, err);
}

int main(int argc, char **argv)
{
    struct err err = {0};
    int code = run(argc, argv, &err);
    if (err.text[0])
        log_line("%s", err.text);
    return code;
}
