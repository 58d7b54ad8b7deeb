/* manifest_find: which manifest a user means by a name, a path or a URL. */
#include "model/manifest.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/home.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The port in "PORT" or "PORT/", or 0. Digits only: sscanf would take " 80" and "-4294967216". */
static unsigned port_of(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long port = digits && digits <= 5 ? strtoul(text, NULL, 10) : 0;
    const char *rest = text + digits;
    return port <= 65535 && (!*rest || strcmp(rest, "/") == 0) ? (unsigned)port : 0;
}

/* http://HOST:PORT of a server that runs already; every route is tried, the check tells. */
static int from_url(struct manifest *m, const char *url, struct err *e)
{
    char host[INET_ADDRSTRLEN];
    struct in_addr address;
    const char *start = url + strlen("http://"), *colon = strchr(start, ':');
    unsigned port = colon ? port_of(colon + 1) : 0;
    snprintf(host, sizeof host, "%.*s", colon ? (int)(colon - start) : 0, start);
    if (strcmp(host, "localhost") == 0)
        snprintf(host, sizeof host, "127.0.0.1");
    if (!port || colon - start >= INET_ADDRSTRLEN || inet_pton(AF_INET, host, &address) != 1)
        return err_set(e, EXIT_USAGE,
                       "%s: a running server is named http://ADDRESS:PORT with an IPv4 address or "
                       "localhost and nothing behind it",
                       url);
    *m = (struct manifest){.stop_signal = SIGTERM, .workers_counted = WORKERS_UNKNOWN};
    m->name = xasprintf("port-%u", port);
    m->title = xasprintf("the server that runs at %s:%u", host, port);
    m->path = xstrdup(url);
    m->dir = xstrdup(".");
    m->url = xasprintf("http://%s:%u", host, port);
    for (int i = 0; i < ROUTE_COUNT; i++)
        m->routes[i] = true;
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int unknown_server(const char *what, struct err *e)
{
    struct strings names = {0};
    char all[300] = "";
    manifest_names(&names);
    for (size_t i = 0; i < names.n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", names.item[i]);
    strings_fini(&names);
    return err_set(
        e, EXIT_USAGE,
        "there is no server \"%s\"; give the path of a server.json, an http:// address, or "
        "one of:%s",
        what, all);
}

/* The number in "NAME:8", and where it begins; 0 = there is none. */
static unsigned workers_of(const char *what, const char **colon)
{
    *colon = strrchr(what, ':');
    size_t digits = *colon ? strspn(*colon + 1, "0123456789") : 0;
    unsigned long n =
        digits && digits <= 4 && !(*colon)[1 + digits] ? strtoul(*colon + 1, NULL, 10) : 0;
    return n <= 1024 ? (unsigned)n : 0;
}

/* "NAME:8": another contestant, whose workers differ because they were asked to. */
static void set_workers(struct manifest *m, unsigned n)
{
    char *name = xasprintf("%.34s-%u", m->name, n);
    char *title = xasprintf("%s, %u worker%s", m->title, n, n == 1 ? "" : "s");
    free(m->name);
    free(m->title);
    m->name = name;
    m->title = title;
    m->workers = n;
    if (manifest_reason(m, "workers"))
        return;
    struct manifest_note *note = xgrow(&m->differs, &m->differs_n, sizeof *note);
    note->item = xstrdup("workers");
    note->reason = xasprintf("%u asked for by its name", n);
}

int manifest_resolve(struct manifest *m, const char *what, struct err *e)
{
    const char *colon;
    unsigned workers;
    if (strncmp(what, "http", 4) != 0 && access(what, F_OK) != 0 &&
        (workers = workers_of(what, &colon))) {
        char *plain = xstrndup(what, (size_t)(colon - what));
        int rc = manifest_resolve(m, plain, e);
        free(plain);
        if (rc == 0)
            set_workers(m, workers);
        return rc;
    }
    *m = (struct manifest){0};
    if (strncmp(what, "http://", 7) == 0)
        return from_url(m, what, e);
    if (strncmp(what, "https://", 8) == 0)
        return err_set(e, EXIT_USAGE, "%s: TLS is not measured; give an http:// address", what);
    char *below = xasprintf("servers/%s/server.json", what), *ours = home_path(below);
    char *inside = xasprintf("%s/server.json", what);
    int rc;
    if (!strchr(what, '/') && access(ours, F_OK) == 0)
        rc = manifest_load(m, ours, e);
    else if (is_folder(what))
        rc = manifest_load(m, inside, e);
    else if (access(what, F_OK) == 0 || strchr(what, '/'))
        rc = manifest_load(m, what, e);
    else
        rc = unknown_server(what, e);
    free(below);
    free(ours);
    free(inside);
    return rc;
}

void manifest_names(struct strings *names)
{
    struct dirent **list;
    char *dir = home_path("servers");
    int n = scandir(dir, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *path = xasprintf("%s/%s/server.json", dir, list[i]->d_name);
        if (list[i]->d_name[0] != '.' && access(path, F_OK) == 0)
            strings_add(names, list[i]->d_name);
        free(path);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    free(dir);
}
