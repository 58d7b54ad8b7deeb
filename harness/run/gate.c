/* gate: see run/gate.h. The tiers in the order of what they cost; what was found is on disk after
   each. */
#include "run/gate.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "judge/gate.h"
#include "lab/host.h"
#include "lab/stop.h"
#include "present/gate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void gate_run_stage(const struct gate_run *r, const char *text)
{
    if (r->watch->on_stage)
        r->watch->on_stage(r->watch->arg, text);
}

void gate_run_note(struct gate_run *r, const char *text)
{
    strings_add(&r->gate.notes, text);
    if (r->watch->on_note)
        r->watch->on_note(r->watch->arg, text);
}

static int open_out(struct gate_run *r, struct err *e)
{
    if (!r->wish->out)
        return 0;
    char *old = xasprintf("%s/gate.json", r->wish->out);
    int rc =
        access(old, F_OK) == 0
            ? err_set(e, EXIT_USAGE, "%s holds a gate already; choose another folder", r->wish->out)
            : file_make_dir(r->wish->out, e);
    free(old);
    if (rc == 0 && !(r->out = realpath(r->wish->out, NULL)))
        rc =
            err_set(e, EXIT_MACHINE, "cannot use the folder %s: %s", r->wish->out, strerror(errno));
    return rc;
}

static int save_text(const struct gate_run *r, const char *name, const char *text, struct err *e)
{
    char *path = xasprintf("%s/%s", r->out, name);
    int rc = file_replace(path, text, strlen(text), e);
    free(path);
    return rc;
}

static int save(struct gate_run *r, struct err *e)
{
    r->gate.elapsed_s = (double)(clock_ns() - r->start_ns) / 1e9;
    if (!r->out)
        return 0;
    char *json = gate_to_json(&r->gate), *summary = gate_summary(&r->gate);
    int rc = save_text(r, "gate.json", json, e);
    if (rc == 0)
        rc = save_text(r, "summary.md", summary, e);
    free(json);
    free(summary);
    if (rc == 0 && r->counts.server) {
        char *counts = counts_to_json(&r->counts);
        rc = save_text(r, "counts.json", counts, e);
        free(counts);
    }
    return rc;
}

/* Names a side with its commit: builds it where that has to be done. */
static int name_side(struct gate_run *r, enum duel_who who, char **title, struct err *e)
{
    struct manifest m = {0};
    int rc =
        duel_contestant_make(&m, title, &r->wish->side[who], r->watch->on_stage, r->watch->arg, e);
    manifest_fini(&m);
    return rc;
}

static int name_sides(struct gate_run *r, struct err *e)
{
    struct err own = {0};
    if (r->wish->side[DUEL_B].what && name_side(r, DUEL_B, &r->gate.head, e) < 0)
        return err_prefix(e, "the build under test");
    if (!r->wish->side[DUEL_A].what)
        return 0;
    if (name_side(r, DUEL_A, &r->gate.base, &own) < 0) {
        if (own.code == EXIT_USAGE)
            return err_set(e, EXIT_USAGE, "the base: %s", own.text);
        r->gate.base = xstrdup(r->wish->side[DUEL_A].what); /* its tier says what is wrong */
    }
    return 0;
}

static int run_tiers(struct gate_run *r, struct err *e)
{
    static int (*const tiers[GATE_TIERS])(struct gate_run *, struct err *) = {
        gate_run_counts, gate_run_duels, gate_run_trend};
    int rc = 0;
    for (int t = 0; t < GATE_TIERS && rc == 0 && !stop_asked(); t++) {
        if (!r->wish->tier[t])
            continue;
        rc = tiers[t](r, e);
        if (rc == 0)
            rc = save(r, e);
    }
    return rc;
}

int gate_run(struct gate_run *r, const struct gate_wish *wish, const struct gate_watch *watch,
             struct err *e)
{
    *r = (struct gate_run){.wish = wish, .watch = watch, .start_ns = clock_ns()};
    clock_stamp_iso(r->gate.started, sizeof r->gate.started);
    r->gate.command = wish->command ? xstrdup(wish->command) : NULL;
    memcpy(r->gate.asked, wish->tier, sizeof r->gate.asked);
    host_facts(&r->gate.environment);
    if (open_out(r, e) < 0)
        return -1;
    int rc = name_sides(r, e);
    if (rc == 0)
        rc = run_tiers(r, e);
    r->gate.interrupted = stop_asked() != 0;
    if (rc < 0 && !stop_asked())
        return -1;
    gate_decide(&r->gate, !wish->missing_warns);
    return save(r, e);
}

void gate_run_close(struct gate_run *r)
{
    gate_fini(&r->gate);
    counts_fini(&r->counts);
    free(r->out);
    *r = (struct gate_run){0};
}
