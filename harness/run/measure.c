/* measure: the steps of one trial in order. Fresh processes each time; the watch reads its counters
   just before and just after the measured load, so warm-up and boot are in neither. */
#include "run/measure.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "check/counter.h"
#include "lab/counters.h"
#include "lab/socket_diag.h"
#include "lab/stop.h"
#include "run/run.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    READY_MS = 10000,
    TIME_WAIT_MOST = 8000, /* sockets left by trials before: a quarter of the usual ports */
    TIME_WAIT_PATIENCE_S = 61
};

static void fail(struct trial *t, enum verdict v, const char *text)
{
    t->verdict = v;
    snprintf(t->note, sizeof t->note, "%.390s", text);
}

/* "b1-007-nginx-health-wrk-c64-keep-alive": sorts as it was measured, and says what it is. */
static char *raw_name(const struct run *run, const struct step *step)
{
    const struct plan *p = &run->result.plan;
    const struct cell *c = &p->cells[step->cell];
    return xasprintf("b%u-%s-%s-%s-c%u-%s", step->block + 1, route_get(c->route)->name,
                     p->suite.generators.item[c->generator], p->servers[c->server].name,
                     c->connections, c->keepalive ? "keep-alive" : "close");
}

static void load_and_watch(struct run *run, const struct generator *g, const struct load *load,
                           struct server *server, struct trial *t)
{
    struct err e = {0};
    struct load_outcome outcome = {.verdict = VERDICT_VALID};
    struct counters before, after;
    char why[300];
    if (load->warmup_s > 0 && g->warm(load, &e) < 0) {
        bool alive = server_alive(server, why, sizeof why);
        fail(t, alive ? VERDICT_TOOL_FAILED : VERDICT_SERVER_DIED, alive ? e.text : why);
        return;
    }
    double counted = counter_read(server);
    counters_read(&before, server, &run->used);
    int rc = g->measure(load, &t->tally, &outcome, &e);
    counters_read(&after, server, &run->used);
    counters_usage(&t->usage, &before, &after, outcome.cpu_s);
    long left = socket_diag_connections(ntohs(server->address.sin_port));
    t->usage.server_connections = left < 0 ? NAN : (double)left;
    t->usage.server_requests = counter_read(server) - counted - 1;
    if (!server_alive(server, why, sizeof why))
        fail(t, VERDICT_SERVER_DIED, why);
    else if (rc < 0)
        fail(t, VERDICT_TOOL_FAILED, e.text);
    else
        fail(t, outcome.verdict, outcome.note);
}

/* The server's own output is kept when a trial failed, or said anything at all. */
static void keep_log(const struct server *server, const char *raw_dir)
{
    struct stat st;
    if (!server->log_path || stat(server->log_path, &st) < 0 || st.st_size == 0)
        return;
    char *to = xasprintf("%s/server.log", raw_dir);
    FILE *from = fopen(server->log_path, "r"), *out = fopen(to, "w");
    char data[4096];
    size_t n, left = 1 << 20; /* the first MiB tells what went wrong */
    while (from && out && left && (n = fread(data, 1, sizeof data, from)) > 0) {
        fwrite(data, 1, n < left ? n : left, out);
        left -= n < left ? n : left;
    }
    if (from)
        fclose(from);
    if (out)
        fclose(out);
    free(to);
}

static void with_server(struct run *run, const struct step *step, struct trial *t,
                        const char *raw_dir)
{
    const struct cell *c = &run->result.plan.cells[step->cell];
    const struct manifest *m = &run->result.plan.servers[c->server];
    struct server server;
    struct server_setup setup = run_setup(run, m);
    struct err e = {0};
    if (server_start(&server, m, &setup, READY_MS, &e) < 0) {
        fail(t, VERDICT_BOOT_FAILED, e.text);
        return;
    }
    struct load load = {.address = server.address,
                        .route = c->route,
                        .connections = c->connections,
                        .keepalive = c->keepalive,
                        .duration_s = run->result.plan.suite.duration_s,
                        .warmup_s = run->result.plan.suite.warmup_s,
                        .cpus = &run->cpus.client,
                        .cpus_n = run->cpus.client_n,
                        .raw_dir = raw_dir};
    load_and_watch(run, run->generators[c->generator], &load, &server, t);
    keep_log(&server, raw_dir);
    if (server_stop(&server, false, &e) < 0)
        fail(t, VERDICT_TOOL_FAILED, e.text);
}

bool measure_trial(struct run *run, const struct step *step, struct trial *t)
{
    struct err e = {0};
    const struct cell *c = &run->result.plan.cells[step->cell];
    trial_init(t);
    t->cell = step->cell;
    t->block = step->block;
    t->position = step->position;
    clock_stamp_iso(t->started, sizeof t->started);
    char *name = raw_name(run, step), *raw_dir = run_raw_dir(run, name, &e);
    if (!raw_dir) {
        fail(t, VERDICT_TOOL_FAILED, e.text);
    } else {
        snprintf(t->raw, sizeof t->raw, "raw/%s", name);
        /* Only who opens connections all the time is hindered by those that still wait. */
        double patience_s = c->keepalive ? 0 : TIME_WAIT_PATIENCE_S;
        double waiting = counters_await_time_wait(TIME_WAIT_MOST, patience_s);
        with_server(run, step, t, raw_dir);
        t->usage.time_wait_before = waiting;
    }
    struct conditions k = run->conditions;
    k.process_figures = !run->result.plan.servers[c->server].url;
    validity_judge(t, c, &k);
    free(raw_dir);
    free(name);
    return !stop_asked();
}
