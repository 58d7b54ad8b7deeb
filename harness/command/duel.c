/* duel: is B slower than A? Options make a wish; run/duel measures, judge/duel decides. */
#include "command/command.h"

#include "base/alloc.h"
#include "base/err.h"
#include "command/duel_session.h"
#include "command/loss.h"
#include "command/options.h"
#include "command/routes.h"
#include "command/typed.h"
#include "lab/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct duel_options {
    const char *bin[DUEL_SIDES], *args[DUEL_SIDES];
    struct strings routes, metrics;
    const char *margin, *detect, *out, *server_cpus, *client_cpus;
    double budget_s, block_s, slice_s;
    uint64_t connections, workers, seed;
    bool composite, anytime, json, self_test, quick;
};

#define AT(field) offsetof(struct duel_options, field)
static const struct option options[] = {
    {"route", OPTION_LIST, AT(routes), 0, 0, "NAME,NAME",
     "health (default), json, echo, small, large; each is tested"},
    {"composite", OPTION_FLAG, AT(composite), 0, 0, NULL,
     "test the mean over the routes at full strength, not each one"},
    {"metric", OPTION_LIST, AT(metrics), 0, 0, "NAME", "throughput, cpu (both)"},
    {"margin", OPTION_TEXT, AT(margin), 0, 0, "PCT%", "loss that is allowed, as 1% (1%)"},
    {"detect", OPTION_TEXT, AT(detect), 0, 0, "PCT%",
     "loss that a PASS must exclude (chosen from the noise)"},
    {"budget", OPTION_SECONDS, AT(budget_s), 1, 86400, "TIME",
     "time for pilot and blocks (48 blocks; open-ended: 10m)"},
    {"block", OPTION_SECONDS, AT(block_s), 0.05, 60, "TIME",
     "slices in a block, each route (1s, or as the budget allows)"},
    {"slice", OPTION_SECONDS, AT(slice_s), 0.001, 5, "TIME", "a slice (a pilot chooses)"},
    {"connections", OPTION_WHOLE, AT(connections), 1, 1000000, "N", "to each server (64)"},
    {"workers", OPTION_WHOLE, AT(workers), 1, 1024, "N", "processes of each server (1)"},
    {"a-bin", OPTION_TEXT, AT(bin[DUEL_A]), 0, 0, "PATH", "program of A instead of its manifest's"},
    {"b-bin", OPTION_TEXT, AT(bin[DUEL_B]), 0, 0, "PATH", "program of B instead of its manifest's"},
    {"a-args", OPTION_TEXT, AT(args[DUEL_A]), 0, 0, "TEXT", "more arguments for A"},
    {"b-args", OPTION_TEXT, AT(args[DUEL_B]), 0, 0, "TEXT", "more arguments for B"},
    {"anytime", OPTION_FLAG, AT(anytime), 0, 0, NULL,
     "no planned end: a test that may be looked at after every block"},
    {"seed", OPTION_WHOLE, AT(seed), 1, 9e15, "N", "of all coins; drawn and printed otherwise"},
    {"server-cpus", OPTION_TEXT, AT(server_cpus), 0, 0, "LIST", "CPUs of the servers (0-1,4)"},
    {"client-cpus", OPTION_TEXT, AT(client_cpus), 0, 0, "LIST", "CPUs of the generator"},
    {"out", OPTION_TEXT, AT(out), 0, 0, "DIR", "write duel.json, charts/ and raw slices there"},
    {"json", OPTION_FLAG, AT(json), 0, 0, NULL, "print the result as JSON on stdout"},
    {"self-test", OPTION_FLAG, AT(self_test), 0, 0, NULL,
     "A against itself, and against itself with a handicap: both verdicts must come"},
    {"quick", OPTION_FLAG, AT(quick), 0, 0, NULL, "the self-test's short form, for CI"},
};

static const struct option_set set = {
    .usage = "parity duel A B [options]",
    .about =
        "Says whether B is slower than A by more than a margin: PASS, FAIL or INCONCLUSIVE, with "
        "a\n"
        "false alarm in at most 1 of 100 runs whatever the machine's noise does. Both are started\n"
        "anew for each block and loaded in turn, a few milliseconds each.\n"
        "A and B are names, paths of a server.json, or reactor@REVISION (built from git).",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 2,
    .more =
        "For example: parity duel reactor@main reactor --route health,json --budget 60s\n"
        "Exit codes: 0 PASS, 1 FAIL, 3 INCONCLUSIVE, 2 usage, 4 the machine failed, 128+n on a\n"
        "signal.",
};

static int take_losses(struct duel_wish *w, const struct duel_options *o, struct err *e)
{
    w->margin_percent = 1;
    w->detect_percent = NAN;
    if ((o->margin && loss_parse("margin", o->margin, &w->margin_percent, e) < 0) ||
        (o->detect && loss_parse("detect", o->detect, &w->detect_percent, e) < 0))
        return -1;
    if (o->detect && !(w->detect_percent >= w->margin_percent + 0.05))
        return err_set(e, EXIT_USAGE,
                       "--detect %s must be above the margin (%g%%) by 0.05%% at least: a PASS "
                       "excludes it",
                       o->detect, w->margin_percent);
    return 0;
}

static int take_routes(struct duel_wish *w, const struct strings *names, struct err *e)
{
    if (!names->n)
        w->routes[w->routes_n++] = ROUTE_HEALTH;
    return routes_parse(names, w->routes, &w->routes_n, e);
}

static int take_metrics(struct duel_wish *w, const struct strings *names, struct err *e)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        w->metric[m] = names->n == 0;
    for (size_t i = 0; i < names->n; i++) {
        bool throughput = strcmp(names->item[i], "throughput") == 0;
        if (!throughput && strcmp(names->item[i], "cpu") != 0)
            return err_set(e, EXIT_USAGE, "--metric %s: metrics are throughput and cpu",
                           names->item[i]);
        w->metric[throughput ? METRIC_THROUGHPUT : METRIC_CPU] = true;
    }
    return 0;
}

static int check_together(const struct duel_options *o, const struct strings *names, struct err *e)
{
    if (o->quick && !o->self_test)
        return err_set(e, EXIT_USAGE, "--quick belongs to --self-test");
    if (o->self_test && (names->n || o->bin[0] || o->bin[1] || o->args[0] || o->args[1] ||
                         o->margin || o->detect || o->json || o->out || o->anytime))
        return err_set(e, EXIT_USAGE,
                       "--self-test chooses contestants, margin and output itself; with it go "
                       "--quick, --route, --connections, --seed and the CPU lists");
    if (!o->self_test && names->n != 2)
        return err_set(
            e, EXIT_USAGE,
            "a duel needs two contestants, A (what is) and B (what is new); for example: "
            "parity duel nginx reactor");
    if (o->slice_s > 0 && o->block_s > 0 && o->block_s < 8 * o->slice_s)
        return err_set(e, EXIT_USAGE,
                       "--block %gs holds less than 8 slices of %gs: too few to pair", o->block_s,
                       o->slice_s);
    return 0;
}

static int make_wish(struct duel_wish *w, const struct duel_options *o, const struct strings *names,
                     struct err *e)
{
    *w = (struct duel_wish){.connections = (unsigned)o->connections,
                            .workers = (unsigned)o->workers,
                            .budget_s = o->budget_s > 0 ? o->budget_s
                                        : o->anytime    ? 600
                                                        : NAN,
                            .block_s = o->block_s > 0 ? o->block_s : NAN,
                            .slice_s = o->slice_s > 0 ? o->slice_s : NAN,
                            .composite = o->composite,
                            .anytime = o->anytime,
                            .seed = o->seed ? o->seed : run_draw_seed(),
                            .out = o->out,
                            .server_cpus = o->server_cpus,
                            .client_cpus = o->client_cpus};
    for (int i = 0; i < DUEL_SIDES; i++)
        w->side[i] = (struct duel_contestant_wish){
            .what = names->n == 2 ? names->item[i] : NULL, .bin = o->bin[i], .args = o->args[i]};
    if (check_together(o, names, e) < 0 || take_losses(w, o, e) < 0 ||
        take_routes(w, &o->routes, e) < 0)
        return -1;
    return take_metrics(w, &o->metrics, e);
}

int command_duel(char **argv, struct err *e)
{
    struct duel_options o = {.connections = 64, .workers = 1};
    struct strings names = {0};
    struct duel_wish wish;
    int helped;
    int rc = options_parse(&set, argv, &o, &names, &helped, e);
    if (rc == 0 && !helped)
        rc = make_wish(&wish, &o, &names, e);
    if (rc == 0 && !helped) {
        char *typed = typed_command(argv);
        wish.command = typed;
        stop_catch();
        rc = o.self_test ? duel_self_test(&wish, o.quick, e) : duel_session(&wish, o.json, NULL, e);
        free(typed);
    }
    strings_fini(&o.routes);
    strings_fini(&o.metrics);
    strings_fini(&names);
    return rc;
}
