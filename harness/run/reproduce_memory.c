/* reproduce_memory: the server's own resident memory before, with idle connections, and after one
   answer on each. Resident memory comes in pages, so a connection's share is known to within a page
   of each process divided by the connections. See reproduce_memory.h. */
#include "run/reproduce_memory.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "check/client.h"
#include "lab/rss.h"
#include "lab/server.h"
#include "lab/stop.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CONNECTIONS = 1000,
    TIMEOUT_MS = 5000,
    LOOK_MS = 50,
    STEADY_LOOKS = 4, /* without a change: then it has taken them all */
    LOOKS_MAX = 60
};

struct crowd {
    struct client *client;
    unsigned n;
    char *request;
};

/* Its memory once it no longer changes. */
static double settled(const struct server *server, size_t *processes)
{
    double last = rss_own_bytes(server, processes);
    for (int steady = 0, looks = 0; steady < STEADY_LOOKS && looks < LOOKS_MAX; looks++) {
        clock_sleep_ms(LOOK_MS);
        double now = rss_own_bytes(server, processes);
        steady = now == last ? steady + 1 : 0;
        last = now;
    }
    return last;
}

static bool open_all(struct crowd *c, const struct server *server, struct published_memory *m)
{
    for (unsigned i = 0; i < CONNECTIONS && !stop_asked(); i++) {
        c->n = i + 1;
        if (client_open(&c->client[i], &server->address, TIMEOUT_MS) < 0) {
            snprintf(m->why, sizeof m->why, "connection %u: %s", i + 1, c->client[i].problem);
            return false;
        }
    }
    return !stop_asked();
}

static bool ask(struct client *client, const char *request, struct published_memory *m)
{
    struct answer a;
    enum client_end end = client_ask(client, request, &a);
    bool good = end == CLIENT_OK && a.status == 200;
    if (!good)
        snprintf(m->why, sizeof m->why, "no right answer: %s",
                 client->problem[0] ? client->problem : "another status");
    answer_fini(&a);
    return good;
}

static bool ask_all(struct crowd *c, struct published_memory *m)
{
    for (unsigned i = 0; i < c->n && !stop_asked(); i++)
        if (!ask(&c->client[i], c->request, m))
            return false;
    return !stop_asked();
}

static void weigh(struct crowd *c, const struct server *server, struct published_memory *m)
{
    struct client first = {.fd = -1};
    size_t processes = 0;
    /* What a server sets up with its first request is no connection's. */
    bool good =
        client_open(&first, &server->address, TIMEOUT_MS) == 0 && ask(&first, c->request, m);
    double empty = settled(server, &processes);
    good = good && open_all(c, server, m);
    double idle = settled(server, NULL);
    good = good && ask_all(c, m);
    double used = settled(server, &processes);
    client_close(&first);
    if (!good && !m->why[0])
        snprintf(m->why, sizeof m->why, "stopped");
    if (!good)
        return;
    m->connections = c->n;
    m->idle_bytes = (idle - empty) / c->n;
    m->used_bytes = (used - empty) / c->n;
    m->resolution_bytes = (double)(sysconf(_SC_PAGESIZE) * (long)processes) / c->n;
}

void reproduce_memory(struct run *run, const struct manifest *manifest, enum route_id route,
                      struct published_memory *m)
{
    struct server server;
    struct server_setup setup = run_setup(run, manifest);
    struct err e = {0};
    const struct route *r = route_get(route);
    struct crowd c = {.client = xcalloc(CONNECTIONS, sizeof *c.client)};
    m->idle_bytes = m->used_bytes = m->resolution_bytes = NAN;
    c.request = xasprintf("%s %s HTTP/1.1\r\nHost: localhost\r\n\r\n", r->method, r->path);
    setup.connections = setup.connections > CONNECTIONS + 1 ? setup.connections : CONNECTIONS + 1;
    if (server_start(&server, manifest, &setup, RUN_READY_MS, &e) < 0) {
        snprintf(m->why, sizeof m->why, "%.290s", e.text);
    } else {
        weigh(&c, &server, m);
        for (unsigned i = 0; i < c.n; i++)
            client_close(&c.client[i]);
        if (server_stop(&server, false, &e) < 0 && !m->why[0])
            snprintf(m->why, sizeof m->why, "%.290s", e.text);
    }
    free(c.client);
    free(c.request);
}
