/* gate_duel: the gate's measured tier: all routes as one first, then each route; what fails is
   measured once more on fresh processes, and never again. See gate.h. */
#include "run/gate.h"

#include "base/alloc.h"
#include "base/err.h"
#include "judge/gate.h"
#include "lab/stop.h"
#include "run/duel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A duel of the gate: what it is called, its routes, whether they are tested as one. */
struct part {
    const char *name;
    enum route_id routes[ROUTE_COUNT];
    size_t routes_n;
    bool composite;
    double budget_s;
    uint64_t seed;
};

static struct duel_wish wish_of(const struct gate_run *r, const struct part *p, const char *out)
{
    const struct gate_wish *w = r->wish;
    struct duel_wish wish = {.side = {w->side[DUEL_A], w->side[DUEL_B]},
                             .routes_n = p->routes_n,
                             .connections = w->connections,
                             .workers = w->workers,
                             .budget_s = p->budget_s,
                             .block_s = w->block_s,
                             .slice_s = w->slice_s,
                             .margin_percent = w->margin_percent,
                             .detect_percent = w->detect_percent,
                             .metric = {true, true},
                             .composite = p->composite,
                             .seed = p->seed,
                             .out = out,
                             .server_cpus = w->server_cpus,
                             .client_cpus = w->client_cpus,
                             .command = w->command};
    memcpy(wish.routes, p->routes, sizeof wish.routes);
    return wish;
}

/* Gives away what the duel found, before its run is closed. */
static struct duel take_duel(struct duel_run *run)
{
    struct duel d = run->duel;
    run->duel = (struct duel){0};
    return d;
}

/* Measures one duel. Returns 0 with the duel (the caller ends it), 1 when B broke a contract or did
   not come up (own says why), or -1 with own set. */
static int fight(struct gate_run *r, const struct part *p, struct duel *d, struct err *own)
{
    char *out = r->out ? xasprintf("%s/%s", r->out, p->name) : NULL;
    struct duel_wish wish = wish_of(r, p, out);
    struct duel_watch watch = {.arg = r->watch->arg,
                               .on_stage = r->watch->on_stage,
                               .on_block = r->watch->on_block,
                               .on_note = r->watch->on_note};
    struct duel_run run;
    struct err drawing = {0};
    *d = (struct duel){0};
    gate_run_stage(r, p->name);
    int rc = duel_run_open(&run, &wish, &watch, own);
    if (rc == 0)
        rc = duel_run_measure(&run, own);
    if (rc == 0) {
        if (!stop_asked() && duel_run_draw(&run, &drawing) < 0)
            gate_run_note(r, drawing.text);
        *d = take_duel(&run);
    }
    duel_run_close(&run);
    free(out);
    return rc < 0 && own->code == EXIT_FAIL ? 1 : rc;
}

static void failed_at_once(struct gate_run *r, const struct part *p, const struct err *own)
{
    gate_add(&r->gate, GATE_DUEL, GATE_FAIL, xasprintf("%s duel", p->name), xstrdup(own->text));
}

/* The routes on which a series failed. */
static struct part offenders(const struct duel *d, const struct part *p)
{
    struct part again = *p;
    again.seed = p->seed % 1000000000000000 + 1; /* other coins, told from the first ones */
    if (p->composite)
        return again;
    again.routes_n = 0;
    for (size_t i = 0; i < d->routes_n; i++)
        for (size_t k = 0; k < d->series_n; k++)
            if (d->series[k].route == (int)i && d->series[k].decision == DECISION_FAIL) {
                again.routes[again.routes_n++] = d->routes[i];
                break;
            }
    return again;
}

/* One duel with its confirmation; failed says whether the gate has failed by it. */
static int fight_and_confirm(struct gate_run *r, const struct part *p, bool *failed, struct err *e)
{
    struct duel first, second = {0};
    struct err own = {0};
    int rc = fight(r, p, &first, &own);
    if (rc == 1)
        failed_at_once(r, p, &own);
    if (rc < 0)
        return err_set(e, (enum exit_code)own.code, "%s", own.text);
    bool confirms = rc == 0 && first.verdict == DUEL_FAIL && first.cause == DUEL_CAUSE_MEASURED;
    if (confirms && !stop_asked()) {
        struct part again = offenders(&first, p);
        char *name = xasprintf("%s-again", p->name);
        again.name = name;
        gate_run_note(r, "a FAIL: measured once more on fresh processes, with fresh data");
        rc = fight(r, &again, &second, &own);
        if (rc == 1)
            failed_at_once(r, &again, &own);
        free(name);
    }
    if (rc == 0)
        gate_judge_duel(&r->gate, &first, confirms ? &second : NULL, p->composite ? "" : p->name);
    *failed = gate_count_of(&r->gate, GATE_DUEL, GATE_FAIL) > 0;
    duel_fini(&first);
    duel_fini(&second);
    return rc < 0 ? err_set(e, (enum exit_code)own.code, "%s", own.text) : 0;
}

static struct part part_of(const struct gate_run *r, bool composite)
{
    const struct gate_wish *w = r->wish;
    struct part p = {.name = composite ? "together" : "each",
                     .routes_n = w->routes_n,
                     .composite = composite,
                     .budget_s = composite ? w->budget_s : w->each_budget_s,
                     .seed = composite ? w->seed : w->seed % 1000000000000000 + 2};
    memcpy(p.routes, w->routes, sizeof p.routes);
    return p;
}

/* The base that can't be had says nothing of the build. */
static int no_base(struct gate_run *r, const char *why)
{
    gate_add(&r->gate, GATE_DUEL, GATE_INCONCLUSIVE, xstrdup("duel"),
             xasprintf("there is no base to measure against: %s", why));
    return 0;
}

static int try_base(struct gate_run *r, struct err *own)
{
    struct manifest m = {0};
    char *title = NULL;
    int rc = duel_contestant_make(&m, &title, &r->wish->side[DUEL_A], r->watch->on_stage,
                                  r->watch->arg, own);
    manifest_fini(&m);
    free(title);
    return rc;
}

int gate_run_duels(struct gate_run *r, struct err *e)
{
    struct err own = {0};
    bool failed = false;
    if (!r->wish->side[DUEL_A].what)
        return no_base(r, "none was given");
    if (try_base(r, &own) < 0)
        return own.code == EXIT_USAGE ? err_set(e, EXIT_USAGE, "%s", own.text)
                                      : no_base(r, own.text);
    struct part all = part_of(r, true), each = part_of(r, false);
    int rc = fight_and_confirm(r, &all, &failed, e);
    if (rc < 0 || failed || r->wish->routes_n < 2 || each.budget_s <= 0 || stop_asked())
        return rc;
    return fight_and_confirm(r, &each, &failed, e);
}
