/* gate: may this build pass? Options make a wish; run/gate counts and measures, judge/gate decides,
   present/gate tells. */
#include "command/command.h"

#include "base/err.h"
#include "command/face.h"
#include "command/loss.h"
#include "command/options.h"
#include "command/routes.h"
#include "command/show.h"
#include "command/typed.h"
#include "lab/stop.h"
#include "present/gate.h"
#include "run/gate.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gate_options {
    const char *bin[DUEL_SIDES], *args[DUEL_SIDES];
    struct strings routes, tiers, renamed;
    const char *margin, *detect, *drop, *missing, *out, *server_cpus, *client_cpus;
    const char *baseline, *count_args, *result, *history;
    double budget_s, each_s, block_s, slice_s;
    uint64_t connections, workers, seed, last;
    bool accept, json;
};

#define AT(field) offsetof(struct gate_options, field)
static const struct option options[] = {
    {"tier", OPTION_LIST, AT(tiers), 0, 0, "NAME",
     "counts, duel, trend (all that there is something for)"},
    {"route", OPTION_LIST, AT(routes), 0, 0, "NAME,NAME",
     "health, json, small (default), echo, large"},
    {"accept", OPTION_FLAG, AT(accept), 0, 0, NULL,
     "count, and write the baseline: to be committed, saying why"},
    {"baseline", OPTION_TEXT, AT(baseline), 0, 0, "FILE",
     "of exact counts (results/baseline/NAME.json)"},
    {"count-args", OPTION_TEXT, AT(count_args), 0, 0, "TEXT",
     "more arguments for the server while it is counted (the baseline's)"},
    {"margin", OPTION_TEXT, AT(margin), 0, 0, "PCT%", "slowdown that is allowed, as 1% (1%)"},
    {"detect", OPTION_TEXT, AT(detect), 0, 0, "PCT%",
     "slowdown that a PASS must exclude (chosen from the noise)"},
    {"budget", OPTION_SECONDS, AT(budget_s), 1, 86400, "TIME",
     "of the duel over all routes together (60s)"},
    {"each-budget", OPTION_SECONDS, AT(each_s), 0, 86400, "TIME",
     "of the duel that tests each route (90s; 0s: none)"},
    {"block", OPTION_SECONDS, AT(block_s), 0.05, 60, "TIME",
     "slices in a block, each route (1s, or as the budget allows)"},
    {"slice", OPTION_SECONDS, AT(slice_s), 0.001, 5, "TIME", "a slice (a pilot chooses)"},
    {"result", OPTION_TEXT, AT(result), 0, 0, "FILE",
     "result.json of a run of this build with its references, for the trend"},
    {"history", OPTION_TEXT, AT(history), 0, 0, "FILE", "history.jsonl that it is compared with"},
    {"drop", OPTION_TEXT, AT(drop), 0, 0, "PCT%",
     "loss of a parity ratio against the best of the last runs that is allowed (20%)"},
    {"last", OPTION_WHOLE, AT(last), 1, 100000, "N",
     "how many runs that best is looked for in (20)"},
    {"rename", OPTION_LIST, AT(renamed), 0, 0, "OLD=NEW",
     "a series of the history that has a new name"},
    {"missing", OPTION_TEXT, AT(missing), 0, 0, "WORD",
     "fail (default) or warn when a series or route is gone"},
    {"connections", OPTION_WHOLE, AT(connections), 1, 1000000, "N", "to each server (64)"},
    {"workers", OPTION_WHOLE, AT(workers), 1, 1024, "N", "processes of each server (1)"},
    {"a-bin", OPTION_TEXT, AT(bin[DUEL_A]), 0, 0, "PATH", "program of A instead of its manifest's"},
    {"b-bin", OPTION_TEXT, AT(bin[DUEL_B]), 0, 0, "PATH", "program of B instead of its manifest's"},
    {"a-args", OPTION_TEXT, AT(args[DUEL_A]), 0, 0, "TEXT", "more arguments for A"},
    {"b-args", OPTION_TEXT, AT(args[DUEL_B]), 0, 0, "TEXT", "more arguments for B"},
    {"seed", OPTION_WHOLE, AT(seed), 1, 9e15, "N", "of all coins; drawn otherwise"},
    {"server-cpus", OPTION_TEXT, AT(server_cpus), 0, 0, "LIST", "CPUs of the servers (0-1,4)"},
    {"client-cpus", OPTION_TEXT, AT(client_cpus), 0, 0, "LIST", "CPUs of the generator"},
    {"out", OPTION_TEXT, AT(out), 0, 0, "DIR",
     "write gate.json, summary.md, counts.json and the duels there"},
    {"json", OPTION_FLAG, AT(json), 0, 0, NULL, "print the outcome as JSON on stdout"},
};

static const struct option_set set = {
    .usage = "parity gate [A] B [options]",
    .about =
        "Says whether build B may pass: exact counts a request against a committed baseline, a\n"
        "duel against A (what is), parity ratios against their history. A FAIL of the duel is\n"
        "measured once more on fresh processes before it counts; nothing is repeated until it\n"
        "passes. A and B are names, paths of a server.json, or reactor@REVISION (built from git).",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 2,
    .more = "For example: parity gate reactor@main reactor@HEAD --out gate\n"
            "             parity gate reactor --accept\n"
            "Exit codes: 0 PASS, 1 FAIL, 3 INCONCLUSIVE, 2 usage, 4 a tool or the machine failed,\n"
            "128+n on a signal.",
};

static int take_losses(struct gate_wish *w, const struct gate_options *o, struct err *e)
{
    w->margin_percent = 1;
    w->detect_percent = NAN;
    w->drop_percent = 20;
    if ((o->margin && loss_parse("margin", o->margin, &w->margin_percent, e) < 0) ||
        (o->detect && loss_parse("detect", o->detect, &w->detect_percent, e) < 0) ||
        (o->drop && loss_parse("drop", o->drop, &w->drop_percent, e) < 0))
        return -1;
    if (o->detect && !(w->detect_percent >= w->margin_percent + 0.05))
        return err_set(e, EXIT_USAGE,
                       "--detect %s must be above the margin (%g%%) by 0.05%% at least: a PASS "
                       "excludes it",
                       o->detect, w->margin_percent);
    return 0;
}

static int take_routes(struct gate_wish *w, const struct strings *names, struct err *e)
{
    static const enum route_id usual[] = {ROUTE_HEALTH, ROUTE_JSON, ROUTE_SMALL};
    w->routes_chosen = names->n > 0;
    for (size_t i = 0; !names->n && i < sizeof usual / sizeof usual[0]; i++)
        w->routes[w->routes_n++] = usual[i];
    return routes_parse(names, w->routes, &w->routes_n, e);
}

/* Named tiers, or all that there is something for. */
static int take_tiers(struct gate_wish *w, const struct gate_options *o, struct err *e)
{
    w->tier[GATE_COUNTS] = !o->tiers.n;
    w->tier[GATE_DUEL] = !o->tiers.n && w->side[DUEL_A].what;
    w->tier[GATE_TREND] = !o->tiers.n && o->result;
    for (size_t i = 0; i < o->tiers.n; i++) {
        int t = 0;
        while (t < GATE_TIERS && strcmp(o->tiers.item[i], gate_tier_name((enum gate_tier)t)) != 0)
            t++;
        if (t == GATE_TIERS)
            return err_set(e, EXIT_USAGE, "--tier %s: tiers are counts, duel and trend",
                           o->tiers.item[i]);
        w->tier[t] = true;
    }
    if (w->tier[GATE_DUEL] && !w->side[DUEL_A].what)
        return err_set(e, EXIT_USAGE,
                       "the tier duel needs a base; for example: parity gate reactor@main reactor");
    if (w->tier[GATE_TREND] && !o->result)
        return err_set(e, EXIT_USAGE,
                       "the tier trend needs --result FILE, of a run with the references "
                       "(parity run gate)");
    if (o->history && !o->result)
        return err_set(e, EXIT_USAGE, "--history goes with --result");
    return 0;
}

static int take_rest(struct gate_wish *w, struct gate_options *o, struct err *e)
{
    for (size_t i = 0; i < o->renamed.n; i++) {
        const char *equals = strchr(o->renamed.item[i], '=');
        if (!equals || equals == o->renamed.item[i] || !equals[1])
            return err_set(e, EXIT_USAGE,
                           "--rename %s: write OLD=NEW, as in --rename 'health wrk c=64 "
                           "keep-alive reactor=health volley c=64 keep-alive reactor'",
                           o->renamed.item[i]);
    }
    if (o->missing && strcmp(o->missing, "fail") != 0 && strcmp(o->missing, "warn") != 0)
        return err_set(e, EXIT_USAGE, "--missing %s: it is fail or warn", o->missing);
    w->missing_warns = o->missing && strcmp(o->missing, "warn") == 0;
    w->renamed = o->renamed;
    if (o->slice_s > 0 && o->block_s > 0 && o->block_s < 8 * o->slice_s)
        return err_set(e, EXIT_USAGE,
                       "--block %gs holds less than 8 slices of %gs: too few to pair", o->block_s,
                       o->slice_s);
    return 0;
}

static int make_wish(struct gate_wish *w, struct gate_options *o, const struct strings *names,
                     struct err *e)
{
    size_t b = names->n ? names->n - 1 : 0;
    *w = (struct gate_wish){.connections = (unsigned)o->connections,
                            .workers = (unsigned)o->workers,
                            .budget_s = o->budget_s,
                            .each_budget_s = o->each_s,
                            .block_s = o->block_s > 0 ? o->block_s : NAN,
                            .slice_s = o->slice_s > 0 ? o->slice_s : NAN,
                            .baseline = o->baseline,
                            .count_arguments = o->count_args,
                            .result = o->result,
                            .history = o->history,
                            .last = o->last,
                            .seed = o->seed ? o->seed : run_draw_seed(),
                            .out = o->out,
                            .server_cpus = o->server_cpus,
                            .client_cpus = o->client_cpus};
    if (!names->n)
        return err_set(e, EXIT_USAGE, "which build? for example: parity gate reactor@main reactor");
    w->side[DUEL_A] = (struct duel_contestant_wish){
        .what = b ? names->item[0] : NULL, .bin = o->bin[DUEL_A], .args = o->args[DUEL_A]};
    w->side[DUEL_B] = (struct duel_contestant_wish){
        .what = names->item[b], .bin = o->bin[DUEL_B], .args = o->args[DUEL_B]};
    if (!b && (o->bin[DUEL_A] || o->args[DUEL_A]))
        return err_set(e, EXIT_USAGE, "--a-bin and --a-args change A, and only B was given");
    if (take_losses(w, o, e) < 0 || take_routes(w, &o->routes, e) < 0 || take_rest(w, o, e) < 0)
        return -1;
    return o->accept ? 0 : take_tiers(w, o, e);
}

static int exit_code(const struct gate *g)
{
    if (stop_asked())
        return 128 + stop_asked();
    return g->verdict == GATE_VERDICT_PASS   ? EXIT_DONE
           : g->verdict == GATE_VERDICT_FAIL ? EXIT_FAIL
                                             : EXIT_INCONCLUSIVE;
}

static void print(const struct gate *g, bool json)
{
    if (json) {
        char *text = gate_to_json(g);
        puts(text);
        free(text);
    } else {
        gate_write(stdout, g, show_width(), show_color());
    }
    fflush(stdout);
}

static int decide(struct gate_run *r, const struct gate_wish *w, const struct gate_watch *watch,
                  bool json, struct err *e)
{
    int rc = gate_run(r, w, watch, e);
    face_end_line(watch->arg);
    if (rc < 0)
        return stop_asked() ? 128 + stop_asked() : -1;
    print(&r->gate, json);
    if (r->out)
        fprintf(stderr, "summary: %s/summary.md\n", r->out);
    return exit_code(&r->gate);
}

static int accept_counts(struct gate_run *r, const struct gate_wish *w,
                         const struct gate_watch *watch, struct err *e)
{
    char *path = NULL;
    int rc = gate_run_accept(r, w, watch, &path, e);
    face_end_line(watch->arg);
    if (rc < 0 && stop_asked())
        rc = 128 + stop_asked();
    if (rc == 0)
        printf("%s: the new baseline; read its difference (git diff) and commit it, saying why\n",
               path);
    free(path);
    return rc;
}

int command_gate(char **argv, struct err *e)
{
    struct gate_options o = {
        .connections = 64, .workers = 1, .budget_s = 60, .each_s = 90, .last = 20};
    struct strings names = {0};
    struct gate_wish wish;
    int helped;
    int rc = options_parse(&set, argv, &o, &names, &helped, e);
    if (rc == 0 && !helped)
        rc = make_wish(&wish, &o, &names, e);
    if (rc == 0 && !helped) {
        char *typed = typed_command(argv);
        struct face face = face_open();
        struct gate_watch watch = {
            .arg = &face, .on_stage = face_stage, .on_block = face_block, .on_note = face_note};
        struct gate_run r = {0};
        wish.command = typed;
        stop_catch();
        rc = o.accept ? accept_counts(&r, &wish, &watch, e) : decide(&r, &wish, &watch, o.json, e);
        gate_run_close(&r);
        free(typed);
    }
    strings_fini(&o.routes);
    strings_fini(&o.tiers);
    strings_fini(&o.renamed);
    strings_fini(&names);
    return rc;
}
