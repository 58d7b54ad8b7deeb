/* trend: the history of runs: adding to it, drawing it, handing it to other tools. */
#include "command/trend.h"

#include "base/alloc.h"
#include "base/err.h"
#include "command/command.h"
#include "command/trend_store.h"
#include "model/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command verbs[] = {
    {"add", "appends a run to the history: one line of JSON", trend_add},
    {"site", "builds the static site: ratios, figures and change points over commits", trend_site},
    {"export", "writes the history for other tools (see --format)", trend_export},
};

enum {
    VERBS = sizeof verbs / sizeof verbs[0]
};

static void print_help(void)
{
    puts("Usage: parity trend add RESULT | site OUT | export OUT --format FORMAT\n\n"
         "Keeps runs as a history, so that one sees where performance went over commits.\n");
    for (size_t i = 0; i < VERBS; i++)
        printf("  %-8s %s\n", verbs[i].name, verbs[i].summary);
    puts("\nparity trend VERB --help tells more.");
}

int command_trend(char **argv, struct err *e)
{
    const char *verb = argv[1];
    if (!verb)
        return err_set(e, EXIT_USAGE, "add, site or export? see: parity trend --help");
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
        print_help();
        return EXIT_DONE;
    }
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verb, verbs[i].name) == 0)
            return verbs[i].run(argv + 1, e);
    return err_set(e, EXIT_USAGE, "there is no \"%s\"; there are add, site and export", verb);
}

static void rename_one(char **name, const char *rule)
{
    size_t n = strcspn(rule, "=");
    if (strlen(*name) != n || strncmp(*name, rule, n) != 0)
        return;
    free(*name);
    *name = xstrdup(rule + n + 1);
}

static void rename_run(struct history_run *run, const char *rule)
{
    rename_one(&run->reference, rule);
    for (size_t i = 0; i < run->series_n; i++) {
        rename_one(&run->series[i].server, rule);
        rename_one(&run->series[i].route, rule);
        rename_one(&run->series[i].generator, rule);
    }
    for (size_t i = 0; i < run->counts_n; i++) {
        rename_one(&run->counts[i].server, rule);
        rename_one(&run->counts[i].route, rule);
    }
}

int trend_load(struct history *h, const char *path, const struct strings *renames, struct err *e)
{
    if (trend_store_load(h, path, e) < 0)
        return -1;
    if (h->torn)
        fprintf(stderr,
                "note: %s ends with %zu bytes of a line that was never finished; they are "
                "left out\n",
                path, h->torn);
    for (size_t i = 0; i < renames->n; i++) {
        const char *equals = strchr(renames->item[i], '=');
        if (!equals || equals == renames->item[i] || !equals[1])
            return err_set(e, EXIT_USAGE, "--rename %s: it must be OLD=NEW, as in nginx1=nginx",
                           renames->item[i]);
        for (size_t k = 0; k < h->n; k++)
            rename_run(&h->runs[k], renames->item[i]);
    }
    return 0;
}
