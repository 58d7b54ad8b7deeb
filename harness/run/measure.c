/* measure: the steps of one trial, or of all trials of a comparison at once, in order. Fresh
   processes each time; the watch reads its counters just before and just after the measured load,
   so warm-up and boot are in neither. */
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
    TIME_WAIT_MOST = 8000, /* sockets left by trials before: a quarter of the usual ports */
    TIME_WAIT_PATIENCE_S = 61,
    PIDS_MAX = 256 /* of a server, that a generator can be told */
};

static void fail(struct trial *t, enum verdict v, const char *text)
{
    t->verdict = v;
    snprintf(t->note, sizeof t->note, "%.390s", text);
}

/* "b1-health-wrk-nginx-c64-keep-alive"; server is "all" where one run loads them all. */
static char *raw_name(const struct run *run, const struct step *step, const char *server)
{
    const struct plan *p = &run->result.plan;
    const struct cell *c = &p->cells[step->cell];
    return xasprintf("b%u-%s-%s-%s-c%u-%s", step->block + 1, route_get(c->route)->name,
                     p->suite.generators.item[c->generator], server, c->connections,
                     c->keepalive ? "keep-alive" : "close");
}

/* Only who opens connections all the time is hindered by those that still wait: on one port by a
   quarter of the client's ports, and where each trial has a port of its own, so that none of them
   can be in its way (the same four addresses would be needed), by the kernel's limit alone. */
static double await_time_wait(const struct run *run, const struct step *steps, size_t n)
{
    const struct plan *p = &run->result.plan;
    double most = counters_time_wait_room();
    for (size_t i = 0; i < n; i++) {
        const struct manifest *m = &p->servers[p->cells[steps[i].cell].server];
        if (m->port || m->url || !(most > TIME_WAIT_MOST))
            most = TIME_WAIT_MOST;
    }
    bool kept = p->cells[steps[0].cell].keepalive;
    return counters_await_time_wait(most, kept ? 0 : TIME_WAIT_PATIENCE_S);
}

static void begin(struct trial *t, const struct step *step)
{
    trial_init(t);
    t->cell = step->cell;
    t->block = step->block;
    t->position = step->position;
    clock_stamp_iso(t->started, sizeof t->started);
}

/* Load that is thrown away. false = it failed; the trial says how. */
static bool warm_up(const struct generator *g, const struct load *load, struct server *server,
                    struct trial *t)
{
    struct err e = {0};
    char why[300];
    if (g->warm(load, &e) == 0)
        return true;
    bool alive = server_alive(server, why, sizeof why);
    fail(t, alive ? VERDICT_TOOL_FAILED : VERDICT_SERVER_DIED, alive ? e.text : why);
    return false;
}

/* To the server's port, open or in TIME_WAIT; NaN = not known. */
static double connections(const struct server *server)
{
    long n = socket_diag_connections(ntohs(server->address.sin_port));
    return n < 0 ? NAN : (double)n;
}

static void load_and_watch(struct run *run, const struct generator *g, const struct load *load,
                           struct server *server, struct trial *t)
{
    struct err e = {0};
    struct load_outcome outcome = {.verdict = VERDICT_VALID};
    struct counters before, after;
    char why[300];
    if (load->warmup_s > 0 && !warm_up(g, load, server, t))
        return;
    double counted = counter_read(server);
    counters_read(&before, server, &run->used);
    int rc = g->measure(load, &t->tally, &outcome, &e);
    counters_read(&after, server, &run->used);
    counters_usage(&t->usage, &before, &after, outcome.cpu_s);
    t->usage.server_connections = connections(server);
    t->usage.server_requests = counter_read(server) - counted - 1;
    if (!server_alive(server, why, sizeof why))
        fail(t, VERDICT_SERVER_DIED, why);
    else if (rc < 0)
        fail(t, VERDICT_TOOL_FAILED, e.text);
    else
        fail(t, outcome.verdict, outcome.note);
}

/* What a server printed is kept if it said anything at all. */
static void keep_log(const struct server *server, const char *raw_dir, const char *name)
{
    struct stat st;
    if (!server->log_path || stat(server->log_path, &st) < 0 || st.st_size == 0)
        return;
    char *to = xasprintf("%s/%s.log", raw_dir, name);
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

static struct load load_of(const struct run *run, const struct cell *c, const struct server *server,
                           const char *raw_dir)
{
    return (struct load){.address = server->address,
                         .route = c->route,
                         .connections = c->connections,
                         .keepalive = c->keepalive,
                         .duration_s = suite_duration(&run->result.plan.suite, c->generator),
                         .warmup_s = run->result.plan.suite.warmup_s,
                         .requests = run->result.plan.suite.requests,
                         .cpus = &run->cpus.client,
                         .cpus_n = run->cpus.client_n,
                         .raw_dir = raw_dir};
}

static void with_server(struct run *run, const struct step *step, struct trial *t,
                        const char *raw_dir)
{
    const struct cell *c = &run->result.plan.cells[step->cell];
    const struct manifest *m = &run->result.plan.servers[c->server];
    struct server server;
    struct server_setup setup = run_setup(run, m);
    struct err e = {0};
    if (server_start(&server, m, &setup, RUN_READY_MS, &e) < 0) {
        fail(t, VERDICT_BOOT_FAILED, e.text);
        return;
    }
    struct load load = load_of(run, c, &server, raw_dir);
    load_and_watch(run, run->generators[c->generator], &load, &server, t);
    keep_log(&server, raw_dir, "server");
    if (server_stop(&server, false, &e) < 0)
        fail(t, VERDICT_TOOL_FAILED, e.text);
}

bool measure_trial(struct run *run, const struct step *step, struct trial *t)
{
    struct err e = {0};
    const struct cell *c = &run->result.plan.cells[step->cell];
    begin(t, step);
    char *name = raw_name(run, step, run->result.plan.servers[c->server].name),
         *raw_dir = run_raw_dir(run, name, &e);
    if (!raw_dir) {
        fail(t, VERDICT_TOOL_FAILED, e.text);
    } else {
        snprintf(t->raw, sizeof t->raw, "raw/%s", name);
        double waiting = await_time_wait(run, step, 1);
        with_server(run, step, t, raw_dir);
        t->usage.time_wait_before = waiting;
    }
    struct conditions k = run_conditions(run, c);
    validity_judge(t, c, &k);
    free(raw_dir);
    free(name);
    return !stop_asked();
}

/* One server of a comparison while all of them are loaded. */
struct entrant {
    struct trial *trial;
    const struct cell *cell;
    struct server server;
    bool booted, ready; /* ready = to be loaded */
    pid_t pids[PIDS_MAX];
    size_t pids_n;
    double counted;
    struct counters before;
};

struct party { /* all of them, in the order in which they are started */
    struct run *run;
    const struct generator *generator;
    struct entrant *entrant;
    size_t n;
    const char *raw_dir;
};

static void boot(struct party *p, struct entrant *x)
{
    const struct manifest *m = &p->run->result.plan.servers[x->cell->server];
    struct server_setup setup = run_setup(p->run, m);
    struct err e = {0};
    x->booted = x->ready = server_start(&x->server, m, &setup, RUN_READY_MS, &e) == 0;
    if (!x->booted)
        fail(x->trial, VERDICT_BOOT_FAILED, e.text);
}

/* Processes are looked for after the warm-up, when a server has started all that it needs. */
static void warm(struct party *p, struct entrant *x)
{
    struct load load = load_of(p->run, x->cell, &x->server, p->raw_dir);
    x->ready = warm_up(p->generator, &load, &x->server, x->trial);
    if (!x->ready)
        return;
    x->pids_n = server_pids(&x->server, x->pids, PIDS_MAX);
    if (x->pids_n > PIDS_MAX)
        x->pids_n = 0;
    x->counted = counter_read(&x->server);
}

/* The clocks of the processes that were there at the start miss what others did that came later:
   then it isn't known what the server used while it was loaded. */
static double server_cpu_s(double clocks_s, double group_s)
{
    return group_s - clocks_s > 0.2 * group_s && group_s - clocks_s > 0.1 ? NAN : clocks_s;
}

static void take_share(struct party *p, struct entrant *x, const struct load_share *share)
{
    struct trial *t = x->trial;
    struct counters after;
    char why[300];
    counters_read(&after, &x->server, &p->run->used);
    counters_usage(&t->usage, &x->before, &after, share->outcome.cpu_s);
    t->usage.server_cpu_s = server_cpu_s(share->server_cpu_s, t->usage.server_cpu_s);
    t->usage.server_connections = connections(&x->server);
    t->tally = share->tally;
    memcpy(t->paired_log_ratio, share->log_ratio, sizeof t->paired_log_ratio);
    if (!server_alive(&x->server, why, sizeof why)) {
        fail(t, VERDICT_SERVER_DIED, why);
        return;
    }
    t->usage.server_requests = counter_read(&x->server) - x->counted - 1;
    fail(t, share->outcome.verdict, share->outcome.note);
}

/* The loads of those that are ready; *reference becomes the index of the reference's. */
static size_t make_loads(struct party *p, struct load *loads, size_t *reference)
{
    const struct plan *plan = &p->run->result.plan;
    size_t n = 0, index = SIZE_MAX;
    for (size_t i = 0; i < p->n; i++) {
        const struct entrant *x = &p->entrant[i];
        if (!x->ready)
            continue;
        if (x->cell->server == plan->reference)
            index = n;
        loads[n] = load_of(p->run, x->cell, &x->server, p->raw_dir);
        loads[n].pids = x->pids;
        loads[n].pids_n = x->pids_n;
        loads[n].seed =
            plan->suite.seed + x->trial->block * 1000003ULL + x->cell->comparison * 1009ULL;
        n++;
    }
    for (size_t i = 0; i < n; i++)
        loads[i].together = (unsigned)n;
    *reference = index < n ? index : n;
    return n;
}

static void load_all(struct party *p)
{
    struct load *loads = xcalloc(p->n, sizeof *loads);
    struct load_share *shares = xcalloc(p->n, sizeof *shares);
    struct err e = {0};
    size_t reference, n = make_loads(p, loads, &reference), at = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->entrant[i].ready)
            counters_read(&p->entrant[i].before, &p->entrant[i].server, &p->run->used);
    int rc = n ? p->generator->measure_all(loads, n, reference, shares, &e) : 0;
    for (size_t i = 0; i < p->n; i++) {
        struct entrant *x = &p->entrant[i];
        if (!x->ready)
            continue;
        take_share(p, x, &shares[at++]);
        if (rc < 0 && x->trial->verdict != VERDICT_SERVER_DIED)
            fail(x->trial, VERDICT_TOOL_FAILED, e.text);
    }
    free(shares);
    free(loads);
}

static void with_servers(struct party *p)
{
    struct err e = {0};
    for (size_t i = 0; i < p->n && !stop_asked(); i++)
        boot(p, &p->entrant[i]);
    for (size_t i = 0; i < p->n && !stop_asked(); i++)
        if (p->entrant[i].ready)
            warm(p, &p->entrant[i]);
    if (!stop_asked())
        load_all(p);
    for (size_t i = 0; i < p->n; i++) {
        struct entrant *x = &p->entrant[i];
        if (!x->booted)
            continue;
        keep_log(&x->server, p->raw_dir, p->run->result.plan.servers[x->cell->server].name);
        if (server_stop(&x->server, false, &e) < 0)
            fail(x->trial, VERDICT_TOOL_FAILED, e.text);
    }
}

/* Time that one left when it died goes to the others: for them it is no overrun. */
static double asked_s(const struct party *p, const struct trial *t)
{
    double asked = run_conditions(p->run, p->entrant[0].cell).asked_s, got = t->tally.duration_s;
    for (size_t i = 0; i < p->n; i++)
        if (p->entrant[i].ready && !(p->entrant[i].trial->tally.duration_s >= asked / 2))
            return got > asked && got < asked * (double)p->n ? got : asked;
    return asked;
}

bool measure_together(struct run *run, const struct step *steps, size_t n, struct trial *trials)
{
    struct err e = {0};
    const struct plan *plan = &run->result.plan;
    const struct cell *first = &plan->cells[steps[0].cell];
    struct party party = {.run = run, .generator = run->generators[first->generator], .n = n};
    char *name = raw_name(run, &steps[0], "all"), *raw_dir = run_raw_dir(run, name, &e);
    party.entrant = xcalloc(n, sizeof *party.entrant);
    party.raw_dir = raw_dir;
    double waiting = await_time_wait(run, steps, n);
    for (size_t i = 0; i < n; i++) {
        begin(&trials[i], &steps[i]);
        party.entrant[i].trial = &trials[i];
        party.entrant[i].cell = &plan->cells[steps[i].cell];
        snprintf(trials[i].raw, sizeof trials[i].raw, "raw/%s", name);
        if (!raw_dir)
            fail(&trials[i], VERDICT_TOOL_FAILED, e.text);
    }
    if (raw_dir)
        with_servers(&party);
    for (size_t i = 0; i < n; i++) {
        struct conditions k = run_conditions(run, party.entrant[i].cell);
        trials[i].usage.time_wait_before = waiting;
        k.asked_s = asked_s(&party, &trials[i]);
        validity_judge(&trials[i], party.entrant[i].cell, &k);
    }
    free(party.entrant);
    free(raw_dir);
    free(name);
    return !stop_asked();
}
