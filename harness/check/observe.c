/* observe: what a server is given and what it made of it, seen from outside: workers, listeners and
   their backlog, limits, CPUs, user, and which worker takes the connections. The names of the items
   are those of a manifest's "differs". */
#include "check/session.h"

#include "base/alloc.h"
#include "base/file.h"
#include "check/accepted.h"
#include "lab/cpus.h"
#include "lab/procfs.h"
#include "lab/sockets.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIDS_MAX = 512,
    OPENED = 16 /* connections whose workers are looked for */
};

struct pids {
    pid_t pid[PIDS_MAX];
    size_t n;
};

/* The processes that do the work: all but the leader when it has workers. */
static void worker_pids(const struct server *s, struct pids *p)
{
    p->n = s->process.pid ? server_pids(s, p->pid, PIDS_MAX) : 0;
    if (p->n < 2 || s->manifest->workers_counted != WORKERS_PROCESSES)
        return;
    p->n--;
    memmove(p->pid, p->pid + 1, p->n * sizeof *p->pid);
}

static void note_workers(struct session *s)
{
    struct check_item *i = item_add(s, "workers");
    int n = s->server->process.pid ? server_workers(s->server) : -1;
    if (n < 0) {
        item_value(i, "unknown");
        return;
    }
    item_contract(i, -1, CHECK_ALL);
    item_value(i, "%d", n);
    if ((unsigned)n != s->setup->workers)
        item_fail(i,
                  "%d worker%s, asked were %u; ask for as many with --workers, or write the reason "
                  "in its manifest's \"differs\"",
                  n, n == 1 ? "" : "s", s->setup->workers);
}

static unsigned somaxconn(void)
{
    char *text = file_read("/proc/sys/net/core/somaxconn", NULL, NULL);
    unsigned n = text ? (unsigned)strtoul(text, NULL, 10) : 4096;
    free(text);
    return n;
}

static void note_backlog(struct session *s)
{
    struct check_item *i = item_add(s, "backlog");
    int backlog = sockets_backlog(ntohs(s->server->address.sin_port));
    unsigned most = somaxconn();
    unsigned asked = s->setup->backlog < most ? s->setup->backlog : most;
    if (backlog < 0) {
        item_value(i, "unknown");
        return;
    }
    item_value(i, "%d", backlog);
    if ((unsigned)backlog < asked)
        item_fail(i, "its listener holds %d waiting connections, asked were %u (somaxconn is %u)",
                  backlog, s->setup->backlog, most);
    else if ((unsigned)backlog < s->setup->connections)
        item_fail(i,
                  "its listener holds %d waiting connections, fewer than the %u of the highest "
                  "level; raise net.core.somaxconn",
                  backlog, s->setup->connections);
}

static void note_listeners(struct session *s)
{
    struct check_item *i = item_add(s, "accept queues");
    size_t n;
    free(sockets_listeners(ntohs(s->server->address.sin_port), &n));
    if (n)
        item_value(i, "%zu", n);
    else
        item_value(i, "unknown");
}

/* Opens connections, each with one answered request, so that all are accepted. Returns how many. */
static int open_many(struct session *s, struct client *clients)
{
    char *text = session_request(s, (enum route_id)s->route, "1.1", "");
    int n = 0;
    for (bool going = true; going && n < OPENED; n += going) {
        struct answer a = {0};
        going = client_open(&clients[n], &s->server->address, SESSION_TIMEOUT_MS) == 0 &&
                client_ask(&clients[n], text, &a) == CLIENT_OK;
        answer_fini(&a);
        if (!going)
            client_close(&clients[n]);
    }
    free(text);
    return n;
}

static in_port_t own_port(const struct client *c)
{
    struct sockaddr_in a = {0};
    socklen_t size = sizeof a;
    getsockname(c->fd, (struct sockaddr *)&a, &size);
    return ntohs(a.sin_port);
}

/* Counts for each worker how many of the clients' connections it holds. Returns how many were found
   in all. */
static int count_held(const struct session *s, const struct pids *p, const struct client *clients,
                      int n, int *held)
{
    struct accepted t;
    int found = 0;
    accepted_read(&t, ntohs(s->server->address.sin_port));
    for (int c = 0; c < n; c++) {
        uint64_t inode = accepted_inode(&t, own_port(&clients[c]));
        for (size_t w = 0; inode && w < p->n; w++) {
            bool holds = sockets_held_by(inode, p->pid[w]);
            held[w] += holds;
            found += holds;
        }
    }
    accepted_fini(&t);
    return found;
}

static void note_spread(struct session *s, const struct pids *p)
{
    struct check_item *i = item_add(s, "accepted by worker");
    struct client clients[OPENED];
    int held[PIDS_MAX] = {0};
    i->varies = true;
    if (s->route < 0 || s->server->manifest->workers_counted != WORKERS_PROCESSES || p->n == 0) {
        item_value(i, "unknown");
        return;
    }
    int n = open_many(s, clients);
    int found = count_held(s, p, clients, n, held);
    char text[200] = "";
    size_t at = 0;
    for (size_t w = 0; w < p->n && at + 16 < sizeof text; w++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", w ? " + " : "", held[w]);
    if (found == n && n > 0)
        item_value(i, "%s of %d", text, n);
    else
        item_value(i, "unknown");
    for (int c = 0; c < n; c++)
        client_close(&clients[c]);
}

static char *read_proc(pid_t pid, const char *file)
{
    char path[60];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return file_read(path, NULL, NULL);
}

/* Soft limit of open files; NaN = unknown. */
static void note_file_limit(struct session *s, const struct pids *p)
{
    struct check_item *i = item_add(s, "file limit");
    double least = NAN;
    for (size_t k = 0; k < p->n; k++)
        least = fmin(least, procfs_open_files_limit(p->pid[k])); /* fmin ignores NaN */
    if (isnan(least)) {
        item_value(i, "unknown");
        return;
    }
    if (least > s->setup->connections) { /* how much more than enough it is means nothing */
        item_value(i, "enough for %u connection%s", s->setup->connections,
                   s->setup->connections == 1 ? "" : "s");
        return;
    }
    item_value(i, "%.0f", least);
    item_fail(i, "a worker may open %.0f files, too few for %u connection%s", least,
              s->setup->connections, s->setup->connections == 1 ? "" : "s");
}

/* The CPUs that all of them may use; false = unknown. */
static bool common_cpus(const struct pids *p, cpu_set_t *all, bool *same)
{
    bool known = false;
    *same = true;
    CPU_ZERO(all);
    for (size_t k = 0; k < p->n; k++) {
        cpu_set_t one;
        if (sched_getaffinity(p->pid[k], sizeof one, &one) < 0)
            continue;
        *same = *same && (!known || CPU_EQUAL(all, &one));
        CPU_OR(all, all, &one);
        known = true;
    }
    return known;
}

static void note_cpus(struct session *s, const struct pids *p)
{
    struct check_item *i = item_add(s, "CPUs");
    cpu_set_t all;
    bool same;
    char text[100];
    if (!common_cpus(p, &all, &same)) {
        item_value(i, "unknown");
        return;
    }
    cpus_format(&all, text, sizeof text);
    item_value(i, same ? "%s" : "%s, one worker other than another", text);
    if (s->setup->cpus && !CPU_EQUAL(&all, s->setup->cpus))
        item_fail(i, "it runs on CPUs %s, not on those that it was given", text);
}

static void note_user(struct session *s, const struct pids *p)
{
    struct check_item *i = item_add(s, "user");
    const char *user = "unknown";
    for (size_t k = 0; k < p->n; k++) {
        char *text = read_proc(p->pid[k], "status");
        const char *line = text ? strstr(text, "\nUid:") : NULL;
        unsigned real, effective;
        if (line && sscanf(line, "\nUid: %u %u", &real, &effective) == 2)
            user = effective == 0 ? "root" : "an ordinary one";
        free(text);
    }
    item_value(i, "%s", user);
}

void check_running(struct session *s)
{
    struct pids p;
    worker_pids(s->server, &p);
    note_workers(s);
    note_listeners(s);
    note_backlog(s);
    note_spread(s, &p);
    note_file_limit(s, &p);
    note_cpus(s, &p);
    note_user(s, &p);
}
