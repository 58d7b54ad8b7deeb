/* run: compares servers. Options and suite make a plan; the rest is run/'s. Prints the table, says
   where the report is. */
#include "command/command.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "command/options.h"
#include "command/routes.h"
#include "command/show.h"
#include "command/typed.h"
#include "judge/cells.h"
#include "lab/stop.h"
#include "present/table.h"
#include "run/contracts.h"
#include "run/draw.h"
#include "run/resume.h"
#include "run/run.h"
#include "run/schedule.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_options {
    struct strings servers, routes, generators, connections, modes;
    const char *reference, *out, *resume, *server_cpus, *client_cpus;
    double duration_s, warmup_s;
    uint64_t blocks, seed, workers;
    bool dry_run, json;
};

#define AT(field) offsetof(struct run_options, field)
static const struct option options[] = {
    {"server", OPTION_LIST, AT(servers), 0, 0, "NAME|PATH|URL",
     "instead of the suite's servers; repeat for more (the reference joins)"},
    {"reference", OPTION_TEXT, AT(reference), 0, 0, "NAME",
     "the server that ratios are taken against"},
    {"route", OPTION_LIST, AT(routes), 0, 0, "NAME", "health, json, echo, small, large"},
    {"generator", OPTION_LIST, AT(generators), 0, 0, "NAME", "volley, wrk, ab"},
    {"connections", OPTION_LIST, AT(connections), 0, 0, "N,N", "connection levels"},
    {"mode", OPTION_LIST, AT(modes), 0, 0, "MODE", "keep-alive, close"},
    {"duration", OPTION_SECONDS, AT(duration_s), 0.1, 3600, "TIME", "measured time of a trial"},
    {"warmup", OPTION_SECONDS, AT(warmup_s), 0, 600, "TIME", "load before it that is discarded"},
    {"blocks", OPTION_WHOLE, AT(blocks), 1, 1000, "N", "passes over each comparison"},
    {"seed", OPTION_WHOLE, AT(seed), 1, 9e18, "N",
     "of the random order; drawn and printed otherwise"},
    {"workers", OPTION_WHOLE, AT(workers), 1, 1024, "N", "worker processes of each server"},
    {"server-cpus", OPTION_TEXT, AT(server_cpus), 0, 0, "LIST", "CPUs of the servers (0-1,4)"},
    {"client-cpus", OPTION_TEXT, AT(client_cpus), 0, 0, "LIST", "CPUs of the generators"},
    {"out", OPTION_TEXT, AT(out), 0, 0, "DIR", "result folder (results/STAMP-SUITE)"},
    {"resume", OPTION_TEXT, AT(resume), 0, 0, "DIR", "go on with a run that was stopped"},
    {"dry-run", OPTION_FLAG, AT(dry_run), 0, 0, NULL, "print the plan and its time, run nothing"},
    {"json", OPTION_FLAG, AT(json), 0, 0, NULL, "print the result as JSON on stdout"},
};

static const struct option_set set = {
    .usage = "parity run [SUITE] [options]",
    .about =
        "Compares servers: boots each freshly, checks that they do the same work, loads them in\n"
        "interleaved blocks, judges every figure, writes a report. SUITE is a name (see: parity "
        "list)\nor a file; quick without one. Options replace what the suite says.",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 1,
    .more = "Exit codes: 0 done, 1 a server broke a contract, died or sent errors, 2 usage,\n"
            "3 nothing valid measured, 4 a tool or the machine failed, 128+n on a signal.",
};

static void replace(struct strings *of_suite, struct strings *given)
{
    if (!given->n)
        return;
    strings_fini(of_suite);
    *of_suite = *given;
    *given = (struct strings){0};
}

static int apply_routes(struct suite *s, const struct strings *names, struct err *e)
{
    s->routes_n = names->n ? 0 : s->routes_n;
    return routes_parse(names, s->routes, &s->routes_n, e);
}

static int apply_levels(struct suite *s, const struct strings *levels, struct err *e)
{
    s->connections_n = levels->n ? 0 : s->connections_n;
    for (size_t i = 0; i < levels->n; i++) {
        char *end;
        unsigned long v = strtoul(levels->item[i], &end, 10);
        if (*end || levels->item[i][0] == '-' || v < 1 || v > 1000000 || i >= SUITE_LEVELS_MAX)
            return err_set(
                e, EXIT_USAGE,
                "--connections %s: it must be at most %d whole numbers from 1 to 1000000",
                levels->item[i], SUITE_LEVELS_MAX);
        s->connections[s->connections_n++] = (unsigned)v;
    }
    return 0;
}

static int apply_modes(struct suite *s, const struct strings *modes, struct err *e)
{
    if (!modes->n)
        return 0;
    s->keepalive = strings_has(modes, "keep-alive");
    s->close = strings_has(modes, "close");
    for (size_t i = 0; i < modes->n; i++)
        if (strcmp(modes->item[i], "keep-alive") != 0 && strcmp(modes->item[i], "close") != 0)
            return err_set(e, EXIT_USAGE, "--mode %s: modes are keep-alive and close",
                           modes->item[i]);
    return 0;
}

/* What was given replaces what the suite says. */
static int apply(struct suite *s, struct run_options *o, struct err *e)
{
    replace(&s->servers, &o->servers);
    replace(&s->generators, &o->generators);
    if (o->reference) {
        free(s->reference);
        s->reference = xstrdup(o->reference);
    }
    if (o->duration_s > 0)
        suite_set_duration(s, o->duration_s);
    if (o->warmup_s >= 0)
        s->warmup_s = o->warmup_s;
    if (o->blocks)
        suite_set_blocks(s, (unsigned)o->blocks);
    if (o->workers)
        s->workers = (unsigned)o->workers;
    if (o->seed || !s->seed)
        s->seed = o->seed ? o->seed : run_draw_seed();
    if (apply_routes(s, &o->routes, e) < 0 || apply_levels(s, &o->connections, e) < 0 ||
        apply_modes(s, &o->modes, e) < 0)
        return -1;
    if (!s->generators.n)
        return err_set(e, EXIT_USAGE, "--generator: at least one is needed");
    return suite_check(s, e);
}

/* Boot, check, load; a wish to stop ends it early with what there is. */
static int conduct(struct run *run, struct show *show, struct err *e)
{
    int rc = contracts_check(run, show_server, show, e);
    if (rc == 0) {
        plan_schedule(&run->result.plan);
        rc = schedule_run(run, show_event, show, e);
    }
    run_judge(run);
    run_end(run, stop_asked() ? RUN_INTERRUPTED : rc < 0 ? RUN_FAILED : RUN_COMPLETE);
    struct err second = {0};
    if (run_save(run, rc < 0 ? &second : e) < 0)
        rc = -1;
    return rc;
}

static int finish(struct run *run, const struct run_options *o, struct show *show, struct err *e)
{
    char warning[500];
    if (draw_result(&run->result, run->out, warning, sizeof warning, e) < 0)
        return -1;
    if (warning[0])
        show_note(show, warning);
    if (o->json) {
        char *json = result_to_json(&run->result);
        puts(json);
        free(json);
    } else {
        table_result(stdout, &run->result, show_width(), show_color());
        fflush(stdout); /* before what follows on stderr */
    }
    show_paths(show, run->out);
    return stop_asked() ? 128 + stop_asked() : cells_exit_code(&run->result);
}

static int execute(struct plan *plan, const struct run_options *o, const char *typed, struct err *e)
{
    struct run run;
    struct show show;
    struct run_wish wish = {.out = o->resume ? o->resume : o->out,
                            .resume = o->resume != NULL,
                            .server_cpus = o->server_cpus,
                            .client_cpus = o->client_cpus,
                            .command = typed};
    stop_catch();
    show_open(&show, plan);
    int rc = run_open(&run, plan, &wish, e);
    if (rc == 0) {
        show_start(&show, &run);
        rc = conduct(&run, &show, e);
    }
    show_close(&show);
    if (rc == 0)
        rc = finish(&run, o, &show, e);
    run_close(&run);
    return rc;
}

static int plan_and_run(struct run_options *o, const struct strings *suite_name, char **argv,
                        struct err *e)
{
    struct suite suite = {0};
    struct plan plan = {0};
    char *typed = typed_command(argv);
    int rc = o->resume ? resume_suite(&suite, o->resume, e)
                       : suite_resolve(&suite, suite_name->n ? suite_name->item[0] : "quick", e);
    if (rc == 0)
        rc = apply(&suite, o, e);
    if (rc == 0)
        rc = plan_make(&plan, &suite, e);
    if (rc == 0) {
        plan_schedule(&plan);
        if (o->dry_run)
            show_plan(&plan);
        else
            rc = execute(&plan, o, typed, e);
    }
    plan_fini(&plan);
    suite_fini(&suite);
    free(typed);
    return rc;
}

int command_run(char **argv, struct err *e)
{
    struct run_options o = {.warmup_s = -1};
    struct strings names = {0};
    int helped;
    int rc = options_parse(&set, argv, &o, &names, &helped, e);
    if (rc == 0 && !helped)
        rc = plan_and_run(&o, &names, argv, e);
    strings_fini(&o.servers);
    strings_fini(&o.routes);
    strings_fini(&o.generators);
    strings_fini(&o.connections);
    strings_fini(&o.modes);
    strings_fini(&names);
    return rc;
}
