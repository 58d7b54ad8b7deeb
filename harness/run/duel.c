/* duel: see run/duel.h. */
#include "run/duel.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "check/contract.h"
#include "judge/duel_plan.h"
#include "lab/process.h"
#include "lab/stop.h"
#include "load/volley.h"
#include "present/duel_chart.h"
#include "run/draw.h"
#include "run/duel_bout.h"
#include "run/duel_volley.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALPHA 0.01
#define BETA  0.05

double duel_run_elapsed(const struct duel_run *r)
{
    return r->start_ns ? (double)(clock_ns() - r->start_ns) / 1e9 : 0;
}

static void stage(const struct duel_run *r, const char *text)
{
    if (r->watch->on_stage)
        r->watch->on_stage(r->watch->arg, text);
}

static void note(const struct duel_run *r, const char *text)
{
    if (r->watch->on_note)
        r->watch->on_note(r->watch->arg, text);
}

/* What was asked, as the duel's own record. */
static void declare(struct duel_run *r)
{
    const struct duel_wish *w = r->wish;
    struct duel *d = &r->duel;
    *d = (struct duel){.connections = w->connections,
                       .workers = w->workers,
                       .seed = w->seed,
                       .budget_s = w->budget_s,
                       .block_s = w->block_s,
                       .routes_n = w->routes_n,
                       .state = RUN_RUNNING,
                       .command = w->command ? xstrdup(w->command) : NULL};
    memcpy(d->routes, w->routes, sizeof d->routes);
    d->rules = (struct duel_rules){.margin = duel_slowdown_of_percent(w->margin_percent),
                                   .detect = duel_slowdown_of_percent(w->detect_percent),
                                   .alpha = ALPHA,
                                   .beta = BETA,
                                   .anytime = w->anytime,
                                   .composite = w->composite};
    memcpy(d->rules.metric, w->metric, sizeof w->metric);
    clock_stamp_iso(d->started, sizeof d->started);
    random_seed(&r->random, w->seed);
}

/* A plan of two servers and nothing else: the duel has its own blocks. */
static int make_plan(struct duel_run *r, struct plan *plan, struct err *e)
{
    *plan = (struct plan){.reference = 0};
    plan->suite = (struct suite){.name = xstrdup("duel"),
                                 .title = xstrdup("duel"),
                                 .path = xstrdup(""),
                                 .keepalive = true,
                                 .workers = r->wish->workers,
                                 .blocks = 1,
                                 .duration_s = 1,
                                 .seed = r->wish->seed,
                                 .connections = {r->wish->connections},
                                 .connections_n = 1};
    for (int i = 0; i < DUEL_SIDES; i++) {
        struct manifest *m = xgrow(&plan->servers, &plan->servers_n, sizeof *m);
        const struct duel_contestant_wish *w = &r->wish->side[i];
        r->duel.side[i].name = xstrdup(w->what);
        if (duel_contestant_make(m, &r->duel.side[i].title, w, r->watch->on_stage, r->watch->arg,
                                 e) < 0)
            return err_prefix(e, "%c", duel_letter(i));
        for (size_t k = 0; k < r->wish->routes_n; k++)
            if (!m->routes[r->wish->routes[k]])
                return err_set(e, EXIT_USAGE, "%c (%s) doesn't offer the route %s: %s",
                               duel_letter(i), w->what, route_get(r->wish->routes[k])->name,
                               m->lacks[r->wish->routes[k]] ? m->lacks[r->wish->routes[k]]
                                                            : "its manifest doesn't name it");
    }
    if (plan->servers[0].port && plan->servers[0].port == plan->servers[1].port)
        return err_set(e, EXIT_USAGE,
                       "A and B both listen on port %u always: they can't be up together",
                       plan->servers[0].port);
    return 0;
}

static int open_folders(struct duel_run *r, struct err *e)
{
    if (!r->wish->out) {
        r->raw_dir = xasprintf("%s/slices", r->run.run_root);
        return file_make_dir(r->raw_dir, e);
    }
    char *old = xasprintf("%s/duel.json", r->wish->out);
    int rc =
        access(old, F_OK) == 0
            ? err_set(e, EXIT_USAGE, "%s holds a duel already; choose another folder", r->wish->out)
            : file_make_dir(r->wish->out, e);
    free(old);
    if (rc == 0 && !(r->out = realpath(r->wish->out, NULL)))
        rc =
            err_set(e, EXIT_MACHINE, "cannot use the folder %s: %s", r->wish->out, strerror(errno));
    if (rc < 0)
        return -1;
    r->keep_raw = true;
    r->raw_dir = xasprintf("%s/raw", r->out);
    return file_make_dir(r->raw_dir, e);
}

static void take_facts(struct facts *to, const struct facts *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (from->item[i].text)
            facts_text(to, from->item[i].key, from->item[i].text);
        else
            facts_number(to, from->item[i].key, from->item[i].number);
}

int duel_run_open(struct duel_run *r, const struct duel_wish *wish, const struct duel_watch *watch,
                  struct err *e)
{
    struct plan plan = {0};
    *r = (struct duel_run){.wish = wish, .watch = watch, .run.lock_fd = -1};
    declare(r);
    if (process_keep_children(e) < 0 || !(r->volley = volley_find(e)) ||
        make_plan(r, &plan, e) < 0) {
        plan_fini(&plan);
        return -1;
    }
    struct run_wish run_wish = {
        .server_cpus = wish->server_cpus, .client_cpus = wish->client_cpus, .keep_no_files = true};
    if (run_open(&r->run, &plan, &run_wish, e) < 0)
        return -1;
    r->duel.busy_poll = !r->run.cpus.shared;
    for (int i = 0; i < DUEL_SIDES; i++) {
        if (r->run.result.servers[i].failed)
            return err_set(e, EXIT_MACHINE, "%c (%s) can't run here: %s", duel_letter(i),
                           wish->side[i].what, r->run.result.servers[i].failed);
        take_facts(&r->duel.side[i].facts, &r->run.result.servers[i].facts);
    }
    take_facts(&r->duel.environment, &r->run.result.environment);
    for (size_t i = 0; i < r->run.result.warnings.n; i++) {
        strings_add(&r->duel.warnings, r->run.result.warnings.item[i]);
        note(r, r->run.result.warnings.item[i]);
    }
    return open_folders(r, e);
}

void duel_run_close(struct duel_run *r)
{
    duel_judge_fini(&r->judge);
    duel_fini(&r->duel);
    if (r->run.result.plan.servers)
        run_close(&r->run);
    free(r->volley);
    free(r->out);
    free(r->raw_dir);
    *r = (struct duel_run){.run.lock_fd = -1};
}

static int save(struct duel_run *r, struct err *e)
{
    r->duel.elapsed_s = duel_run_elapsed(r);
    if (!r->out)
        return 0;
    char *path = xasprintf("%s/duel.json", r->out), *json = duel_to_json(&r->duel);
    int rc = file_replace(path, json, strlen(json), e);
    free(json);
    free(path);
    return rc;
}

static int check_one(struct duel_run *r, enum duel_who who, struct err *e)
{
    const struct manifest *m = &r->run.result.plan.servers[who];
    struct server server;
    struct server_setup setup = run_setup(&r->run, m);
    struct check_list list = {0};
    struct err own = {0};
    char letter = duel_letter(who);
    if (server_start(&server, m, &setup, RUN_READY_MS, &own) < 0)
        return err_set(e, who == DUEL_B ? EXIT_FAIL : EXIT_MACHINE, "%c (%s) did not come up: %s",
                       letter, r->wish->side[who].what, own.text);
    check_server(&list, &server, &setup);
    int rc = server_stop(&server, false, e);
    for (size_t i = 0; i < r->duel.routes_n && rc == 0 && !stop_asked(); i++) {
        const struct check_item *item = check_blocks(&list, r->duel.routes[i], true);
        if (item)
            rc = err_set(e, EXIT_FAIL,
                         "%c (%s) breaks the contract of %s, so nothing was measured: %s: %s; see: "
                         "parity check",
                         duel_letter(who), r->wish->side[who].what,
                         route_get(r->duel.routes[i])->name, item->name,
                         item->problem ? item->problem : item->value);
    }
    check_list_fini(&list);
    return rc;
}

static int check_both(struct duel_run *r, struct err *e)
{
    for (int who = 0; who < DUEL_SIDES && !stop_asked(); who++) {
        char *text =
            xasprintf("check the contracts of %c, %s", duel_letter(who), r->wish->side[who].what);
        stage(r, text);
        free(text);
        if (check_one(r, who, e) < 0)
            return -1;
    }
    return 0;
}

/* Blocks that fit into what is left of the budget. */
static int plan_blocks(struct duel_run *r, struct err *e)
{
    struct duel *d = &r->duel;
    double alpha = d->rules.alpha / (double)duel_plan_series(&d->rules, d->routes_n);
    size_t least = duel_plan_blocks_least(alpha);
    double left_s = d->budget_s - duel_run_elapsed(r);
    struct duel_time time = {.left_s = d->rules.anytime ? NAN : left_s,
                             .overhead_s = d->overhead_s,
                             .routes = (double)d->routes_n};
    for (size_t i = 0; i < d->routes_n; i++)
        time.slice_s = fmax(time.slice_s, d->slice_s[i]);
    if (isnan(d->block_s))
        d->block_s = duel_plan_block_s(&time);
    double each_s = d->block_s * time.routes + d->overhead_s;
    r->deadline_s = isnan(d->budget_s) ? INFINITY : 1.5 * d->budget_s + each_s;
    if (d->rules.anytime)
        return 0;
    double asked = (double)(r->wish->blocks ? r->wish->blocks : SEQUENTIAL_BLOCKS);
    double fit = isnan(d->budget_s) ? asked : floor(left_s / each_s);
    fit = fmin(fit, SEQUENTIAL_BLOCKS_MAX);
    if (fit < (double)least)
        return err_set(e, EXIT_USAGE,
                       "--budget %.3gs holds %.0f blocks of %.2g s and a verdict needs %zu; give "
                       "--budget %.0fs or more, or a shorter --block",
                       d->budget_s, fmax(fit, 0), each_s, least,
                       ceil(d->budget_s - left_s + each_s * (double)(least + 1)));
    d->rules.blocks = (size_t)fit;
    return 0;
}

static double left_s(const struct duel_run *r)
{
    const struct duel *d = &r->duel;
    double each_s = d->block_s * (double)d->routes_n + d->overhead_s;
    if (d->rules.anytime)
        return isnan(d->budget_s) ? INFINITY : d->budget_s - duel_run_elapsed(r);
    return each_s * (double)(d->rules.blocks - d->counted);
}

/* The time alone ends a run, never what it saw: that doesn't favour a side. */
static bool time_is_over(const struct duel_run *r)
{
    double most_s = r->duel.rules.anytime ? r->duel.budget_s : r->deadline_s;
    return duel_run_elapsed(r) > most_s;
}

static int one_block(struct duel_run *r, struct err *e)
{
    struct duel_block b;
    struct duel *d = &r->duel;
    bool may_replan = isnan(r->wish->budget_s) && !isnan(d->rules.detect) && !d->rules.anytime;
    if (duel_bout_block(r, (unsigned)d->blocks_n, &b, e) < 0)
        return -1;
    if (stop_asked())
        return 0;
    duel_judge_feed(&r->judge, &b);
    if (may_replan && d->counted == DUEL_PILOT_BLOCKS && !b.dropped[0] &&
        d->verdict == DUEL_RUNNING)
        duel_judge_replan(&r->judge);
    if (r->watch->on_block)
        r->watch->on_block(r->watch->arg, d, left_s(r));
    return save(r, e);
}

static int all_blocks(struct duel_run *r, struct err *e)
{
    int rc = 0;
    while (rc == 0 && r->duel.verdict == DUEL_RUNNING) {
        if (stop_asked())
            duel_judge_end(&r->judge, DUEL_CAUSE_INTERRUPTED, "");
        else if (time_is_over(r))
            duel_judge_end(&r->judge, DUEL_CAUSE_TIME, "");
        else
            rc = one_block(r, e);
    }
    return rc;
}

static int measure(struct duel_run *r, struct err *e)
{
    if (check_both(r, e) < 0)
        return -1;
    r->start_ns = clock_ns();
    stage(r, "pilot: how long a slice should be, what a block costs");
    if (!stop_asked() && duel_bout_pilot(r, e) < 0 && !stop_asked())
        return -1;
    if (stop_asked())
        return 0;
    if (plan_blocks(r, e) < 0)
        return -1;
    if (duel_judge_start(&r->judge, &r->duel) < 0)
        return err_set(e, EXIT_USAGE, "%zu blocks make no plan", r->duel.rules.blocks);
    return all_blocks(r, e);
}

int duel_run_measure(struct duel_run *r, struct err *e)
{
    int rc = measure(r, e);
    if (stop_asked()) {
        rc = 0;
        if (r->duel.verdict == DUEL_RUNNING) {
            r->duel.verdict = DUEL_INCONCLUSIVE;
            r->duel.cause = DUEL_CAUSE_INTERRUPTED;
        }
    }
    r->duel.state = stop_asked() ? RUN_INTERRUPTED : rc < 0 ? RUN_FAILED : RUN_COMPLETE;
    clock_stamp_iso(r->duel.ended, sizeof r->duel.ended);
    struct err second = {0};
    if (save(r, rc < 0 ? &second : e) < 0)
        rc = -1;
    return rc;
}

int duel_run_draw(struct duel_run *r, struct err *e)
{
    struct charts charts;
    int rc = 0;
    if (!r->out)
        return 0;
    char *dir = xasprintf("%s/charts", r->out);
    duel_charts_make(&charts, &r->duel);
    rc = file_make_dir(dir, e);
    for (size_t i = 0; i < charts.n && rc == 0; i++)
        rc = draw_chart(&charts.item[i], dir, e);
    charts_fini(&charts);
    free(dir);
    return rc;
}
