/* check: proves contracts and fairness without timing anything. */
#include "command/command.h"

#include "base/alloc.h"
#include "base/err.h"
#include "command/options.h"
#include "command/show.h"
#include "lab/stop.h"
#include "present/table.h"
#include "run/contracts.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct check_options {
    const char *reference;
    uint64_t workers, connections;
    bool json;
};

#define AT(field) offsetof(struct check_options, field)
static const struct option options[] = {
    {"reference", OPTION_TEXT, AT(reference), 0, 0, "NAME",
     "what the others are held against (nginx)"},
    {"workers", OPTION_WHOLE, AT(workers), 1, 1024, "N", "worker processes of each server (1)"},
    {"connections", OPTION_WHOLE, AT(connections), 1, 1000000, "N",
     "connections that each must be set up for (256)"},
    {"json", OPTION_FLAG, AT(json), 0, 0, NULL, "print the findings as JSON"},
};

static const struct option_set set = {
    .usage = "parity check [SERVER...] [options]",
    .about =
        "Boots each server and proves over raw sockets that it does what the routes ask, and that\n"
        "all are set up alike. SERVER is a name, a manifest's path or a URL; reactor, nginx and\n"
        "lighttpd without one. Prints a row an item: = where a server equals the reference.",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 64,
    .more = "Exit codes: 0 all contracts hold, 1 one is broken, 2 usage, 4 the machine failed.",
};

static void make_suite(struct suite *s, const struct check_options *o, struct strings *servers)
{
    *s = (struct suite){.name = xstrdup("check"),
                        .title = xstrdup("contracts and fairness"),
                        .path = xstrdup(""),
                        .reference = xstrdup(o->reference ? o->reference : "nginx"),
                        .contracts_only = true,
                        .keepalive = true,
                        .workers = (unsigned)o->workers,
                        .blocks = 1,
                        .duration_s = 1,
                        .seed = 1,
                        .connections = {(unsigned)o->connections},
                        .connections_n = 1};
    for (int i = 0; i < ROUTE_COUNT; i++)
        s->routes[s->routes_n++] = (enum route_id)i;
    if (!servers->n) {
        strings_add(servers, "reactor");
        strings_add(servers, "nginx");
        strings_add(servers, "lighttpd");
    }
    s->servers = *servers;
    *servers = (struct strings){0};
}

static bool anything_broken(const struct result *r)
{
    for (size_t i = 0; i < r->plan.servers_n; i++)
        if (r->servers[i].failed)
            return true;
    for (size_t i = 0; i < r->fairness_n; i++)
        if (r->fairness[i].broken)
            return true;
    return false;
}

static int finish(struct run *run, const struct check_options *o)
{
    if (o->json) {
        char *json = result_to_json(&run->result);
        puts(json);
        free(json);
    } else {
        table_fairness(stdout, &run->result, show_width(), show_color());
    }
    if (stop_asked())
        return 128 + stop_asked();
    return anything_broken(&run->result) ? EXIT_FAIL : EXIT_DONE;
}

static int execute(struct plan *plan, const struct check_options *o, struct err *e)
{
    struct run run;
    struct show show;
    struct run_wish wish = {.keep_no_files = true};
    stop_catch();
    show_open(&show, plan);
    int rc = run_open(&run, plan, &wish, e);
    if (rc == 0)
        rc = contracts_check(&run, show_server, &show, e);
    show_close(&show);
    run_end(&run, stop_asked() ? RUN_INTERRUPTED : rc < 0 ? RUN_FAILED : RUN_COMPLETE);
    if (rc == 0)
        rc = finish(&run, o);
    run_close(&run);
    return rc;
}

int command_check(char **argv, struct err *e)
{
    struct check_options o = {.workers = 1, .connections = 256};
    struct strings servers = {0};
    struct suite suite = {0};
    struct plan plan = {0};
    int helped;
    int rc = options_parse(&set, argv, &o, &servers, &helped, e);
    if (rc == 0 && !helped) {
        make_suite(&suite, &o, &servers);
        rc = plan_make(&plan, &suite, e);
        if (rc == 0)
            rc = execute(&plan, &o, e);
    }
    plan_fini(&plan);
    strings_fini(&servers);
    return rc;
}
