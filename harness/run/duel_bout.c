/* duel_bout: see duel_bout.h. Everything that could favour a side is drawn anew for each block: who
   starts first, who is the generator's first target, ports, stack offsets, ABBA or BAAB. That makes
   a block's value symmetric about the truth (stats/block.h), and what a process keeps for its life
   an error of one block, not of the run. */
#include "run/duel_bout.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "judge/duel_block.h"
#include "judge/duel_plan.h"
#include "lab/counters.h"
#include "lab/stop.h"
#include "run/duel.h"
#include "run/duel_volley.h"
#include "stats/block.h"
#include "stats/robust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WARMUP_S 0.075 /* of each side, before the slices of a run of the generator */
#define BASE_S   0.005 /* of the pilot's slices */

enum {
    PADDING_MAX = 4096,
    PIDS_MAX = DUEL_PIDS_MAX / 2
};

struct bout {
    struct duel_run *r;
    struct server server[DUEL_SIDES];
    pid_t pids[DUEL_SIDES][PIDS_MAX];
    size_t pids_n[DUEL_SIDES];
};

/* "PARITY_PADDING=xxxx": so many bytes above the stack. */
static char *padding(unsigned bytes)
{
    char *x = xcalloc(bytes + 1, 1);
    memset(x, 'x', bytes);
    char *entry = xasprintf("PARITY_PADDING=%s", x);
    free(x);
    return entry;
}

static int start_one(struct bout *m, enum duel_who who, unsigned padding_bytes, struct err *e)
{
    const struct manifest *manifest = &m->r->run.result.plan.servers[who];
    char *entry = padding(padding_bytes);
    const char *const env[] = {entry, NULL};
    struct server_setup setup = run_setup(&m->r->run, manifest);
    setup.env = env;
    int rc = server_start(&m->server[who], manifest, &setup, RUN_READY_MS, e);
    free(entry);
    return rc;
}

static void find_pids(struct bout *m)
{
    for (int who = 0; who < DUEL_SIDES; who++) {
        size_t n = server_pids(&m->server[who], m->pids[who], PIDS_MAX);
        m->pids_n[who] = n < PIDS_MAX ? n : PIDS_MAX;
    }
}

/* Starts both. Returns false with b's fault and note when one does not come up. */
static bool start(struct bout *m, struct duel_block *b)
{
    enum duel_who first = random_coin(&m->r->random) ? DUEL_B : DUEL_A;
    b->first_started = duel_letter(first);
    for (int i = 0; i < DUEL_SIDES; i++)
        b->padding[i] = (unsigned)random_below(&m->r->random, PADDING_MAX);
    for (int i = 0; i < DUEL_SIDES; i++) {
        enum duel_who who = i == 0 ? first : !first;
        struct err own = {0};
        if (start_one(m, who, b->padding[who], &own) < 0) {
            b->fault = who == DUEL_A ? DUEL_FAULT_A : DUEL_FAULT_B;
            snprintf(b->note, sizeof b->note, "%c did not come up: %.350s", duel_letter(who),
                     own.text);
            return false;
        }
    }
    find_pids(m);
    return true;
}

static int stop(struct bout *m, struct err *e)
{
    int rc = 0;
    for (int who = 0; who < DUEL_SIDES; who++)
        if (m->server[who].manifest && server_stop(&m->server[who], false, e) < 0)
            rc = -1;
    return rc;
}

static void look_for_dead(struct bout *m, struct duel_block *b)
{
    char why[300];
    for (int who = 0; who < DUEL_SIDES && b->fault == DUEL_FAULT_NONE; who++)
        if (!server_alive(&m->server[who], why, sizeof why)) {
            b->fault = who == DUEL_A ? DUEL_FAULT_A : DUEL_FAULT_B;
            snprintf(b->note, sizeof b->note, "%c died: %.350s", duel_letter(who), why);
        }
}

static struct duel_load load_of(const struct bout *m, size_t route)
{
    const struct duel_run *r = m->r;
    unsigned cpus = r->run.cpus.client_n;
    return (struct duel_load){.route = r->duel.routes[route],
                              .connections = r->duel.connections,
                              .threads = cpus < r->duel.connections ? cpus : r->duel.connections,
                              .warmup_s = WARMUP_S,
                              .busy_poll = r->duel.busy_poll,
                              .cpus = &r->run.cpus.client,
                              .dir = r->raw_dir};
}

static struct duel_target target_of(const struct bout *m, enum duel_who who)
{
    return (struct duel_target){&m->server[who].address, m->pids[who], m->pids_n[who]};
}

static unsigned usable_cpus(const struct duel_run *r)
{
    return r->duel.workers < r->run.cpus.server_n ? r->duel.workers : r->run.cpus.server_n;
}

/* The slices without their histograms stay when the user wants files, else nothing does. */
static int keep_raw(const struct duel_run *r, const char *name, struct err *e)
{
    char *path = xasprintf("%s/%s.jsonl", r->raw_dir, name);
    int rc = 0;
    if (!r->keep_raw) {
        unlink(path);
    } else {
        char *text = file_read(path, NULL, e), *lean = text ? duel_slices_lean(text) : NULL;
        rc = lean ? file_replace(path, lean, strlen(lean), e) : -1;
        free(lean);
        free(text);
    }
    free(path);
    return rc;
}

static int load_route(struct bout *m, size_t route, struct duel_block *b, struct err *e)
{
    struct duel_run *r = m->r;
    struct duel_slices slices;
    bool b_first = b->first_url == 'B';
    size_t order[4];
    char said[300], targets[16];
    for (size_t i = 0; i < 4; i++)
        order[i] = (b->order[i] == 'B') != b_first;
    snprintf(targets, sizeof targets, "%zu,%zu,%zu,%zu", order[0], order[1], order[2], order[3]);
    char *name = xasprintf("block-%03u-%s", b->index + 1, route_get(r->duel.routes[route])->name);
    struct duel_load load = load_of(m, route);
    load.target[0] = target_of(m, b_first ? DUEL_B : DUEL_A);
    load.target[1] = target_of(m, b_first ? DUEL_A : DUEL_B);
    load.targets = 2;
    load.slice_s = r->duel.slice_s[route];
    load.seconds = r->duel.block_s;
    load.order = targets;
    load.seed = random_next(&r->random) >> 16;
    load.name = name;
    int rc = duel_volley_run(r->volley, &load, &slices, said, sizeof said, e);
    struct duel_input in = {.slices = &slices,
                            .order = order,
                            .b_first = b_first,
                            .pids_n = {m->pids_n[DUEL_A], m->pids_n[DUEL_B]},
                            .server_cpus = usable_cpus(r),
                            .client_threads = load.threads};
    duel_block_figures(&b->route[route], &in);
    if (said[0] && !b->note[0])
        snprintf(b->note, sizeof b->note, "%s", said);
    if (rc == 0 && !stop_asked())
        rc = keep_raw(r, name, e);
    duel_slices_fini(&slices);
    free(name);
    return rc;
}

static void draw(struct duel_run *r, struct duel_block *b)
{
    size_t order[4];
    block_draw_order(&r->random, 2, order);
    for (int i = 0; i < 4; i++)
        b->order[i] = duel_letter((enum duel_who)order[i]);
    b->first_url = random_coin(&r->random) ? 'B' : 'A';
}

/* All routes on the same two processes, in random order. */
static int load_all(struct bout *m, struct duel_block *b, struct err *e)
{
    size_t routes[ROUTE_COUNT], n = m->r->duel.routes_n;
    struct counters before, after;
    struct usage usage = {0};
    int rc = 0;
    for (size_t i = 0; i < n; i++)
        routes[i] = i;
    random_shuffle(&m->r->random, routes, n);
    counters_read(&before, &m->server[DUEL_A], &m->r->run.used);
    for (size_t i = 0; i < n && rc == 0 && !stop_asked(); i++)
        rc = load_route(m, routes[i], b, e);
    counters_read(&after, &m->server[DUEL_A], &m->r->run.used);
    counters_usage(&usage, &before, &after, 0);
    b->steal_share = usage.steal_share;
    look_for_dead(m, b);
    return rc;
}

int duel_bout_block(struct duel_run *r, unsigned index, struct duel_block *b, struct err *e)
{
    struct bout m = {.r = r};
    *b = (struct duel_block){.index = index, .steal_share = NAN};
    b->started_s = duel_run_elapsed(r);
    for (size_t i = 0; i < r->duel.routes_n; i++)
        b->route[i].slowdown[METRIC_THROUGHPUT] = b->route[i].slowdown[METRIC_CPU] = NAN;
    draw(r, b);
    int rc = start(&m, b) ? load_all(&m, b, e) : 0;
    if (stop(&m, e) < 0)
        rc = -1;
    b->seconds = duel_run_elapsed(r) - b->started_s;
    return rc;
}

/* Rates of the slices, and what is lost between two of them. */
static double slice_for(const struct duel_run *r, const struct duel_slices *s)
{
    double *rates = xcalloc(s->n, sizeof *rates), *gaps = xcalloc(s->n, sizeof *gaps);
    size_t gaps_n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct duel_slice *one = &s->item[i];
        rates[i] = duel_slice_rate(one);
        if (i && one->start_ns > one[-1].last_ns && one[-1].last_ns)
            gaps[gaps_n++] = (double)(one->start_ns - one[-1].last_ns) / 1e9;
    }
    double gap_s = robust_median(gaps, gaps_n);
    struct duel_pilot pilot = {.rates = rates,
                               .n = s->n,
                               .base_s = BASE_S,
                               .gap_s = isfinite(gap_s) ? gap_s : 0,
                               .connections = r->duel.connections};
    double slice_s = duel_plan_slice_s(&pilot);
    free(gaps);
    free(rates);
    return slice_s;
}

/* Loads one side alone; slice_s of the route becomes the longer one of both sides. */
static int pilot_one(struct bout *m, size_t route, enum duel_who who, double seconds, struct err *e)
{
    struct duel_run *r = m->r;
    struct duel_slices slices;
    char said[300];
    char *name = xasprintf("pilot-%s-%c", route_get(r->duel.routes[route])->name, "ab"[who]);
    struct duel_load load = load_of(m, route);
    load.target[0] = target_of(m, who);
    load.targets = 1;
    load.slice_s = BASE_S;
    load.seconds = seconds;
    load.name = name;
    int rc = duel_volley_run(r->volley, &load, &slices, said, sizeof said, e);
    double slice_s = slice_for(r, &slices);
    if (slice_s > r->duel.slice_s[route])
        r->duel.slice_s[route] = slice_s;
    if (rc == 0 && !stop_asked())
        rc = keep_raw(r, name, e);
    duel_slices_fini(&slices);
    free(name);
    return rc;
}

/* A tenth of the budget for all routes and sides, but enough for 8 of the longest usual slices. */
static double pilot_seconds(const struct duel_run *r)
{
    double budget_s = isfinite(r->duel.budget_s) ? r->duel.budget_s : 60;
    double each_s = budget_s / 10 / (double)(DUEL_SIDES * r->duel.routes_n);
    return each_s < 0.4 ? 0.4 : each_s > 2 ? 2 : each_s;
}

int duel_bout_pilot(struct duel_run *r, struct err *e)
{
    struct bout m = {.r = r};
    struct duel_block b = {0};
    double begun_s = duel_run_elapsed(r), loaded_s = 0, seconds = pilot_seconds(r);
    if (!start(&m, &b)) {
        stop(&m, e);
        return err_set(e, EXIT_MACHINE, "%s", b.note);
    }
    int rc = 0;
    for (size_t i = 0; i < r->duel.routes_n; i++) {
        r->duel.slice_s[i] = isfinite(r->wish->slice_s) ? r->wish->slice_s : BASE_S;
        for (int who = 0; who < DUEL_SIDES && rc == 0 && !stop_asked(); who++) {
            if (isfinite(r->wish->slice_s) && who == DUEL_B)
                continue; /* once is enough to see what a run of the generator costs */
            rc = pilot_one(&m, i, who, seconds, e);
            loaded_s += seconds;
        }
        if (isfinite(r->wish->slice_s))
            r->duel.slice_s[i] = r->wish->slice_s;
        else if (isfinite(r->wish->block_s)) /* a short block must hold two palindromes */
            r->duel.slice_s[i] = fmin(r->duel.slice_s[i], fmax(BASE_S, r->wish->block_s / 8));
    }
    if (stop(&m, e) < 0)
        rc = -1;
    r->duel.overhead_s = duel_run_elapsed(r) - begun_s - loaded_s;
    return rc;
}
