/* reproduce: the flow. What can't run here is found out before anything starts, server by server;
   everything else is an ordinary run (run.h, contracts.h, schedule.h). See reproduce.h. */
#include "run/reproduce.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "judge/reproduce.h"
#include "lab/cpus.h"
#include "lab/host.h"
#include "lab/server.h"
#include "lab/stop.h"
#include "run/contracts.h"
#include "run/draw.h"
#include "run/reproduce_memory.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Why a server can't run here; NULL when it can (caller frees). */
static char *why_missing(const char *name)
{
    struct manifest m;
    struct err e = {0};
    char *why = manifest_resolve(&m, name, &e) < 0 ? xstrdup(e.text) : server_missing(&m);
    manifest_fini(&m);
    return why;
}

static void take_server(struct reproduce *r, size_t part, const char *name)
{
    if (strings_has(&r->servers[part], name) || facts_find(&r->outcome.missing, name))
        return;
    char *why = why_missing(name);
    if (why)
        facts_text(&r->outcome.missing, name, why);
    else
        strings_add(&r->servers[part], name);
    free(why);
}

/* The bases of rows come first: the first of all is what slices are paired with. */
static void find_servers(struct reproduce *r)
{
    const struct published *p = &r->document;
    for (size_t i = 0; i < p->rows_n; i++)
        take_server(r, r->plan.part_of_row[i], p->rows[p->rows[i].base].cell.server);
    for (size_t i = 0; i < r->plan.parts_n; i++)
        for (size_t k = 0; k < r->plan.parts[i].cells_n; k++)
            take_server(r, i, r->plan.parts[i].cells[k].server);
}

static unsigned generator_cpus(const struct reproduce_wish *w)
{
    struct cpus_split split;
    struct err e = {0};
    return cpus_plan(&split, 1, w->server_cpus, w->client_cpus, "/sys", &e) == 0 ? split.client_n
                                                                                 : 1;
}

int reproduce_open(struct reproduce *r, const struct reproduce_wish *wish, struct err *e)
{
    *r = (struct reproduce){.wish = *wish};
    if (published_resolve(&r->document, wish->name, e) < 0)
        return -1;
    r->wish.seed = wish->seed ? wish->seed : run_draw_seed();
    published_plan_make(&r->plan, &r->document, wish->quick, generator_cpus(wish));
    published_outcome_init(&r->outcome, &r->plan);
    r->results = xcalloc(r->plan.parts_n, sizeof *r->results);
    r->servers = xcalloc(r->plan.parts_n, sizeof *r->servers);
    r->outcome.seed = r->wish.seed;
    r->outcome.command = wish->command ? xstrdup(wish->command) : NULL;
    find_servers(r);
    return 0;
}

void reproduce_close(struct reproduce *r)
{
    for (size_t i = 0; i < r->plan.parts_n; i++) {
        result_fini(&r->results[i]);
        strings_fini(&r->servers[i]);
    }
    free(r->results);
    free(r->servers);
    free(r->out);
    published_outcome_fini(&r->outcome);
    published_plan_fini(&r->plan);
    published_fini(&r->document);
    *r = (struct reproduce){0};
}

/* The plan of one part, without what nobody published. */
static int plan_part(const struct reproduce *r, size_t part, struct plan *plan, struct err *e)
{
    struct suite suite;
    if (!r->servers[part].n) {
        *plan = (struct plan){0};
        return err_set(e, EXIT_MACHINE, "none of its servers can run here");
    }
    published_plan_suite(&r->plan, part, &r->servers[part], r->wish.seed, &suite);
    int rc = plan_make(plan, &suite, e);
    suite_fini(&suite);
    if (rc < 0)
        return -1;
    published_plan_skip(&r->plan, part, plan);
    plan_schedule(plan);
    return 0;
}

double reproduce_seconds(const struct reproduce *r)
{
    double s = 0;
    for (size_t i = 0; i < r->plan.parts_n; i++) {
        struct plan plan;
        if (plan_part(r, i, &plan, NULL) == 0)
            s += plan_seconds(&plan);
        plan_fini(&plan);
    }
    return s;
}

static bool is_weighed(const struct published_outcome *o, const char *server)
{
    for (size_t i = 0; i < o->memory_n; i++)
        if (strcmp(o->memory[i].server, server) == 0)
            return true;
    return false;
}

/* Of the part's servers that were checked and keep connections. */
static void weigh_servers(struct reproduce *r, struct run *run)
{
    const struct published_claim *claim = NULL;
    struct published_outcome *o = &r->outcome;
    for (size_t i = 0; i < r->document.claims_n; i++)
        if (r->document.claims[i].kind == CLAIM_MEMORY)
            claim = &r->document.claims[i];
    for (size_t i = 0; claim && i < run->result.plan.servers_n && !stop_asked(); i++) {
        const struct manifest *m = &run->result.plan.servers[i];
        bool kept = false;
        for (size_t c = 0; c < run->result.plan.cells_n; c++) {
            const struct cell *cell = &run->result.plan.cells[c];
            kept |= cell->server == i && cell->keepalive && cell->route == claim->of.route &&
                    !cell->skipped && !run->blocked[c];
        }
        if (!kept || m->workers || is_weighed(o, m->name) ||
            strcmp(m->name, PUBLISHED_CEILING) == 0)
            continue;
        struct published_memory *weight = xgrow(&o->memory, &o->memory_n, sizeof *weight);
        weight->server = xstrdup(m->name);
        reproduce_memory(run, m, claim->of.route, weight);
    }
}

/* Boot, check, load; then the part's own result and report are written. */
static int conduct(struct reproduce *r, struct run *run, const struct reproduce_watch *watch,
                   struct err *e)
{
    char warning[500];
    int rc = contracts_check(run, watch->on_server, watch->arg, e);
    if (rc == 0)
        rc = schedule_run(run, watch->on_event, watch->arg, e);
    if (rc == 0)
        weigh_servers(r, run);
    run_judge(run);
    run_end(run, stop_asked() ? RUN_INTERRUPTED : rc < 0 ? RUN_FAILED : RUN_COMPLETE);
    struct err second = {0};
    if (run_save(run, rc < 0 ? &second : e) < 0)
        rc = -1;
    if (rc == 0)
        rc = draw_result(&run->result, run->out, warning, sizeof warning, e);
    return rc;
}

static void keep_result(struct reproduce *r, size_t part, struct run *run)
{
    struct published_outcome *o = &r->outcome;
    r->results[part] = run->result;
    run->result = (struct result){0};
    o->runs[part].cpus = xstrdup(run->cpus.text);
    if (!o->server_cpus || run->cpus.server_n < o->server_cpus)
        o->server_cpus = run->cpus.server_n;
}

static int run_part(struct reproduce *r, size_t part, const struct reproduce_watch *watch,
                    struct err *e)
{
    struct plan plan;
    struct run run;
    struct err own = {0};
    char *out = xasprintf("%s/%s", r->out, r->plan.parts[part].name);
    struct run_wish wish = {.out = out,
                            .command = r->wish.command,
                            .server_cpus = r->wish.server_cpus,
                            .client_cpus = r->wish.client_cpus};
    int rc = plan_part(r, part, &plan, &own);
    if (rc == 0) {
        rc = run_open(&run, &plan, &wish, &own);
        if (rc == 0) {
            if (watch->on_part)
                watch->on_part(watch->arg, &run);
            rc = conduct(r, &run, watch, e);
            keep_result(r, part, &run);
        }
        run_close(&run);
    }
    if (own.code)
        r->outcome.runs[part].failed = xstrdup(own.text);
    if (watch->on_end)
        watch->on_end(watch->arg, own.code ? own.text : NULL);
    plan_fini(&plan);
    free(out);
    return own.code ? 0 : rc;
}

static int open_out(struct reproduce *r, struct err *e)
{
    char stamp[32];
    clock_stamp_name(stamp, sizeof stamp);
    char *dir =
        r->wish.out ? xstrdup(r->wish.out) : xasprintf("results/%s-%s", stamp, r->document.id);
    char *old = xasprintf("%s/reproduce.json", dir);
    int rc =
        access(old, F_OK) == 0
            ? err_set(e, EXIT_USAGE, "%s holds a reproduction already; choose another folder", dir)
            : file_make_dir(dir, e);
    if (rc == 0 && !(r->out = realpath(dir, NULL)))
        rc = err_set(e, EXIT_MACHINE, "cannot use the folder %s: %s", dir, strerror(errno));
    free(old);
    free(dir);
    return rc;
}

static int save(const struct reproduce *r, struct err *e)
{
    char *path = xasprintf("%s/reproduce.json", r->out),
         *json = published_outcome_json(&r->outcome);
    int rc = file_replace(path, json, strlen(json), e);
    free(json);
    free(path);
    return rc;
}

int reproduce_run(struct reproduce *r, const struct reproduce_watch *watch, struct err *e)
{
    struct published_outcome *o = &r->outcome;
    const struct result **results = xcalloc(r->plan.parts_n, sizeof(const struct result *));
    clock_stamp_iso(o->started, sizeof o->started);
    host_facts(&o->environment);
    int rc = open_out(r, e);
    for (size_t i = 0; i < r->plan.parts_n && rc == 0; i++) {
        if (stop_asked())
            o->runs[i].failed = xstrdup("stopped before it was measured");
        else
            rc = run_part(r, i, watch, e);
        results[i] = o->runs[i].failed ? NULL : &r->results[i];
    }
    if (rc == 0) {
        o->interrupted = stop_asked() != 0;
        clock_stamp_iso(o->ended, sizeof o->ended);
        reproduce_judge(o, results);
        rc = save(r, e);
    }
    free(results);
    return rc;
}
