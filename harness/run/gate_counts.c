/* gate_counts: the gate's exact tier. The baseline is a committed file; where it was made with
   another compiler or library the base is counted here instead, and that is said. See gate.h. */
#include "run/gate.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "base/home.h"
#include "judge/gate.h"
#include "lab/launch.h"
#include "lab/program.h"
#include "lab/stop.h"
#include "run/gate_count.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TRIES = 3,       /* of a count that differs: a busy machine can disturb one */
    NEAR_TRIES = 10, /* where it differs by less than NEAR resolutions: a pass of the server's loop
                        that a clock asked for, and on a stolen CPU nearly every run has one */
    NEAR = 4,
    ACCEPT_TRIES = 5 /* until two counts in a row agree */
};

/* A plan of one server and nothing to load: the run gives it folders, CPUs and a user. */
static int make_plan(const struct gate_run *r, enum duel_who who, struct plan *plan, char **title,
                     struct err *e)
{
    const struct gate_wish *w = r->wish;
    *plan = (struct plan){.reference = 0};
    plan->suite = (struct suite){.name = xstrdup("counts"),
                                 .title = xstrdup("counts"),
                                 .path = xstrdup(""),
                                 .keepalive = true,
                                 .workers = w->workers,
                                 .blocks = 1,
                                 .duration_s = 1,
                                 .seed = w->seed,
                                 .connections = {w->connections},
                                 .connections_n = 1};
    struct manifest *m = xgrow(&plan->servers, &plan->servers_n, sizeof *m);
    return duel_contestant_make(m, title, &w->side[who], r->watch->on_stage, r->watch->arg, e);
}

/* The file that is run, for what its instructions depend on; NULL when it isn't there. */
static char *program_of(const struct manifest *m, const struct server_setup *setup)
{
    struct launch_values values;
    struct strings first = {0};
    char *program = NULL;
    launch_fill(&values, m, setup, "", 0);
    if (launch_argv(&first, m, &m->start, "start", &values, NULL) == 0)
        program = program_find(first.item[0]);
    strings_fini(&first);
    return program;
}

int gate_run_count_side(struct gate_run *r, enum duel_who who, const char *arguments,
                        struct counts *c, struct err *e)
{
    struct plan plan = {0};
    struct run run = {.lock_fd = -1};
    char *title = NULL;
    struct run_wish wish = {.server_cpus = r->wish->server_cpus,
                            .client_cpus = r->wish->client_cpus,
                            .keep_no_files = true};
    *c = (struct counts){0};
    int rc = make_plan(r, who, &plan, &title, e);
    if (rc == 0)
        rc = run_open(&run, &plan, &wish, e);
    if (rc == 0) {
        const struct manifest *m = &run.result.plan.servers[0];
        struct server_setup setup = run_setup(&run, m);
        struct gate_count_wish count = {.manifest = m,
                                        .setup = &setup,
                                        .routes = r->wish->routes,
                                        .routes_n = r->wish->routes_n,
                                        .arguments = arguments,
                                        .on_stage = r->watch->on_stage,
                                        .arg = r->watch->arg};
        char *program = program_of(m, &setup);
        rc = gate_count(c, &count, e);
        gate_count_key(c, program ? program : "");
        free(program);
    }
    if (run.result.plan.servers)
        run_close(&run);
    plan_fini(&plan);
    free(title);
    return rc;
}

char *gate_run_baseline(const struct gate_run *r, struct err *e)
{
    struct manifest m = {0};
    char *title = NULL, *path = NULL;
    if (r->wish->baseline)
        return xstrdup(r->wish->baseline);
    if (duel_contestant_make(&m, &title, &r->wish->side[DUEL_B], r->watch->on_stage, r->watch->arg,
                             e) == 0) {
        char *below = xasprintf("results/baseline/%s.json", m.name);
        path = home_path(below);
        free(below);
    }
    manifest_fini(&m);
    free(title);
    return path;
}

/* How messages call it: below the project's folder, without that. */
static const char *short_name(const char *path)
{
    size_t len = strlen(home_dir());
    return strncmp(path, home_dir(), len) == 0 && path[len] == '/' ? path + len + 1 : path;
}

/* Of two counts of the same thing the one that is nearer to what is wanted: what disturbs a count
   doesn't do so twice alike, and a real difference stays in every count. Returns how far the
   farthest is then, in resolutions of its kind: from 1 on it differs. */
static double take_nearer(struct counts *c, const struct counts *again, const struct counts *wanted)
{
    double farthest = 0;
    for (int route = 0; route < ROUTE_COUNT; route++)
        for (enum count k = 0; k < COUNT_KINDS; k++) {
            double target = wanted->per_request[route][k];
            double *now = &c->per_request[route][k], other = again->per_request[route][k];
            if (!c->counted[route] || !wanted->counted[route])
                continue;
            if (fabs(other - target) < fabs(*now - target))
                *now = other;
            farthest = fmax(farthest, fabs(*now - target) / count_resolution(k));
        }
    return farthest;
}

static int recount(struct gate_run *r, enum duel_who who, struct counts *c,
                   const struct counts *wanted, double *distance, struct err *e)
{
    struct counts again;
    int rc = gate_run_count_side(r, who, c->arguments, &again, e);
    if (rc == 0)
        *distance = take_nearer(c, &again, wanted);
    counts_fini(&again);
    return rc;
}

/* Counts what differs once more; the base too when it was counted here. */
static int settle(struct gate_run *r, struct counts *before, bool here, struct err *e)
{
    double distance = take_nearer(&r->counts, &r->counts, before);
    int rc = 0;
    for (int i = 1; i < (distance < NEAR ? NEAR_TRIES : TRIES) && distance >= 1 && rc == 0; i++) {
        rc = recount(r, DUEL_B, &r->counts, before, &distance, e);
        if (rc == 0 && distance >= 1 && here)
            rc = recount(r, DUEL_A, before, &r->counts, &distance, e);
    }
    return rc;
}

static void judge(struct gate_run *r, const struct counts *before, const char *source,
                  const char *differ, bool renewable)
{
    struct gate_counts_input in = {.now = &r->counts,
                                   .before = before,
                                   .source = source,
                                   .instructions_differ = differ,
                                   .renewable = renewable,
                                   .routes_chosen = r->wish->routes_chosen};
    gate_judge_counts(&r->gate, &in);
}

/* Against the base, counted here and now. */
static int against_base(struct gate_run *r, struct err *e)
{
    struct counts base;
    struct err own = {0};
    int rc = gate_run_count_side(r, DUEL_A, r->counts.arguments, &base, &own);
    if (rc < 0 && !stop_asked()) { /* a base that can't be counted says nothing of the build */
        gate_add(&r->gate, GATE_COUNTS, GATE_NOT_COMPARED, xstrdup("counts"),
                 xasprintf("the base could not be counted: %s", own.text));
        counts_fini(&base);
        return 0;
    }
    if (rc == 0)
        rc = settle(r, &base, true, e);
    else
        err_set(e, (enum exit_code)own.code, "%s", own.text);
    if (rc == 0)
        judge(r, &base, "the base", NULL, false);
    counts_fini(&base);
    return rc;
}

static void without_baseline(struct gate_run *r, const char *path, bool has_base)
{
    char *text = xasprintf("there is no baseline %s%s; parity gate --accept makes one",
                           short_name(path), has_base ? ": the base was counted here instead" : "");
    gate_run_note(r, text);
    if (has_base)
        free(text);
    else
        gate_add(&r->gate, GATE_COUNTS, GATE_NEW, xstrdup("counts"), text);
}

static int against_baseline(struct gate_run *r, struct counts *baseline, const char *path,
                            struct err *e)
{
    bool has_base = r->wish->side[DUEL_A].what != NULL;
    char *differ = counts_differ(&r->counts, baseline);
    int rc = 0;
    if (differ && has_base) {
        char *text = xasprintf("%s was counted elsewhere (%s): not compared, the base was counted "
                               "here instead",
                               short_name(path), differ);
        gate_run_note(r, text);
        free(text);
        rc = against_base(r, e);
    } else {
        rc = differ ? 0 : settle(r, baseline, false, e);
        if (rc == 0)
            judge(r, baseline, short_name(path), differ, true);
    }
    free(differ);
    return rc;
}

/* Arguments that make a count steady are part of the baseline. */
static const char *arguments(const struct gate_run *r, const struct counts *baseline)
{
    return r->wish->count_arguments ? r->wish->count_arguments : baseline->arguments;
}

int gate_run_counts(struct gate_run *r, struct err *e)
{
    struct counts baseline = {0};
    char *path = gate_run_baseline(r, e);
    bool is_there = path && access(path, F_OK) == 0, has_base = r->wish->side[DUEL_A].what != NULL;
    int rc = !path ? -1 : is_there ? counts_load(&baseline, path, e) : 0;
    if (rc == 0) {
        struct err own = {0};
        rc = gate_run_count_side(r, DUEL_B, arguments(r, &baseline), &r->counts, &own);
        if (rc < 0 && own.code == EXIT_FAIL && !stop_asked()) {
            gate_add(&r->gate, GATE_COUNTS, GATE_FAIL, xstrdup("counts"), xstrdup(own.text));
            free(path);
            counts_fini(&baseline);
            return 0;
        }
        if (rc < 0)
            err_set(e, (enum exit_code)own.code, "%s", own.text);
    }
    if (rc == 0 && is_there) {
        rc = against_baseline(r, &baseline, path, e);
    } else if (rc == 0) {
        without_baseline(r, path, has_base);
        rc = has_base ? against_base(r, e) : 0;
    }
    counts_fini(&baseline);
    free(path);
    return rc;
}

/* Counts until two in a row agree. */
static int count_steady(struct gate_run *r, const char *args, struct err *e)
{
    bool differs = true;
    int rc = gate_run_count_side(r, DUEL_B, args, &r->counts, e);
    for (int i = 1; i < ACCEPT_TRIES && rc == 0 && differs; i++) {
        struct counts again;
        rc = gate_run_count_side(r, DUEL_B, args, &again, e);
        if (rc == 0) {
            differs = take_nearer(&r->counts, &r->counts, &again) >= 1;
            counts_fini(&r->counts);
            r->counts = again;
        } else {
            counts_fini(&again);
        }
    }
    if (rc == 0 && differs)
        rc = err_set(e, EXIT_MACHINE,
                     "no two of %d counts in a row agree: is the machine busy, or does the server "
                     "do work by the clock? see --count-args",
                     ACCEPT_TRIES);
    return rc;
}

int gate_run_accept(struct gate_run *r, const struct gate_wish *wish,
                    const struct gate_watch *watch, char **path, struct err *e)
{
    struct counts old = {0};
    *r = (struct gate_run){.wish = wish, .watch = watch};
    *path = gate_run_baseline(r, e);
    int rc = !*path ? -1 : access(*path, F_OK) == 0 ? counts_load(&old, *path, e) : 0;
    if (rc == 0)
        rc = count_steady(r, arguments(r, &old), e);
    for (int k = 0; k < COUNT_KINDS && rc == 0; k++)
        if (r->counts.why_not[k])
            rc = err_set(e, EXIT_MACHINE, "a baseline has all counts, and %s can't be had: %s",
                         count_title((enum count)k), r->counts.why_not[k]);
    if (rc == 0) {
        char *slash = strrchr(*path, '/'), *json = counts_to_json(&r->counts);
        char *dir = slash ? xstrndup(*path, (size_t)(slash - *path)) : xstrdup(".");
        char *text = xasprintf("%s\n", json);
        rc = file_make_dir(dir, e) < 0 ? -1 : file_replace(*path, text, strlen(text), e);
        free(text);
        free(json);
        free(dir);
    }
    counts_fini(&old);
    return rc;
}
