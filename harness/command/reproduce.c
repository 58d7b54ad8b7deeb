/* reproduce: a published comparison, row by row: what was published, what this machine gives, and
   whether the ratio holds. */
#include "command/command.h"

#include "base/alloc.h"
#include "base/err.h"
#include "command/options.h"
#include "command/show.h"
#include "command/typed.h"
#include "lab/stop.h"
#include "model/strings.h"
#include "present/reproduce.h"
#include "run/reproduce.h"
#include "run/reproduce_draw.h"
#include "run/run.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct reproduce_options {
    const char *out, *server_cpus, *client_cpus;
    uint64_t seed;
    bool quick, json, dry_run;
};

#define AT(field) offsetof(struct reproduce_options, field)
static const struct option options[] = {
    {"quick", OPTION_FLAG, AT(quick), 0, 0, NULL,
     "short trials and few blocks: all comparisons in five minutes"},
    {"out", OPTION_TEXT, AT(out), 0, 0, "DIR", "result folder (results/STAMP-NAME)"},
    {"seed", OPTION_WHOLE, AT(seed), 1, 9e18, "N",
     "of the random order; drawn and printed otherwise"},
    {"server-cpus", OPTION_TEXT, AT(server_cpus), 0, 0, "LIST", "CPUs of the servers (0-1,4)"},
    {"client-cpus", OPTION_TEXT, AT(client_cpus), 0, 0, "LIST", "CPUs of the generators"},
    {"dry-run", OPTION_FLAG, AT(dry_run), 0, 0, NULL,
     "say what would be run, adapted and missing, and how long it takes"},
    {"json", OPTION_FLAG, AT(json), 0, 0, NULL, "print the outcome as JSON on stdout"},
};

static const struct option_set set = {
    .usage = "parity reproduce leantea|luajit|lear|FILE [options]",
    .about =
        "Measures what others published: each table's generator with its flags, once, and volley\n"
        "in blocks for the ratio. Prints every published row with what this machine gives, both\n"
        "ratios to the table's reference, and a word: holds, differs, can't tell, can't run here.\n"
        "Only the ratio can hold across machines.",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 1,
    .more =
        "The words: the ratio's 95 % interval here against the published ratio widened by 20 %,\n"
        "the spread of the authors' own repetitions; inside it holds, outside it differs.\n"
        "Exit codes: 0 done, whatever the words are; 2 usage, 3 nothing could be measured,\n"
        "4 a tool or the machine failed, 128+n on a signal.",
};

static void on_part(void *arg, struct run *run)
{
    show_open(arg, &run->result.plan);
    show_start(arg, run);
}

static void on_end(void *arg, const char *failed)
{
    struct show *show = arg;
    show_close(show);
    if (failed)
        show_note(show, failed);
}

static bool anything_measured(const struct published_outcome *o)
{
    for (size_t i = 0; i < o->document->rows_n; i++)
        if (isfinite(o->rows[i].requests_per_s) || isfinite(o->rows[i].throughput.estimate))
            return true;
    return false;
}

static int finish(const struct reproduce *r, const struct reproduce_options *o, struct show *show,
                  struct err *e)
{
    char warning[500];
    if (reproduce_draw(&r->outcome, r->out, warning, sizeof warning, e) < 0)
        return -1;
    if (warning[0])
        show_note(show, warning);
    if (o->json) {
        char *json = published_outcome_json(&r->outcome);
        puts(json);
        free(json);
    } else {
        reproduce_write_table(stdout, &r->outcome, show_width(), show_color());
        fflush(stdout); /* before what follows on stderr */
    }
    fprintf(stderr, "report: %s/report.html\nresult: %s/reproduce.json\n", r->out, r->out);
    if (stop_asked())
        return 128 + stop_asked();
    return anything_measured(&r->outcome) ? EXIT_DONE : EXIT_INCONCLUSIVE;
}

static int execute(struct reproduce *r, const struct reproduce_options *o, struct err *e)
{
    struct show show = {0};
    const struct reproduce_watch watch = {.arg = &show,
                                          .on_part = on_part,
                                          .on_server = show_server,
                                          .on_event = show_event,
                                          .on_end = on_end};
    reproduce_write_plan(o->dry_run ? stdout : stderr, &r->outcome, reproduce_seconds(r),
                         show_width());
    if (o->dry_run)
        return EXIT_DONE;
    stop_catch();
    int rc = reproduce_run(r, &watch, e);
    show_close(&show);
    return rc < 0 ? -1 : finish(r, o, &show, e);
}

int command_reproduce(char **argv, struct err *e)
{
    struct reproduce_options o = {0};
    struct strings names = {0};
    struct reproduce r = {0};
    int helped;
    int rc = options_parse(&set, argv, &o, &names, &helped, e);
    if (rc == 0 && !helped && !names.n)
        rc = err_set(e, EXIT_USAGE, "which comparison? usage: %s", set.usage);
    if (rc == 0 && !helped) {
        char *typed = typed_command(argv);
        struct reproduce_wish wish = {.name = names.item[0],
                                      .out = o.out,
                                      .command = typed,
                                      .server_cpus = o.server_cpus,
                                      .client_cpus = o.client_cpus,
                                      .quick = o.quick,
                                      .seed = o.seed};
        rc = reproduce_open(&r, &wish, e);
        if (rc == 0)
            rc = execute(&r, &o, e);
        reproduce_close(&r);
        free(typed);
    }
    strings_fini(&names);
    return rc;
}
