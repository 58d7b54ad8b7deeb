/* trend_add: parity trend add RESULT: what trends need of a result, appended to the history. */
#include "command/trend.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "command/options.h"
#include "command/trend_store.h"
#include "lab/sha256.h"
#include "model/counts.h"
#include "model/json_field.h"
#include "model/result.h"
#include "model/strings.h"
#include "present/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct add_options {
    const char *history, *commit, *parent, *branch, *subject, *author, *commit_time, *commit_url,
        *report, *counts, *gate;
    uint64_t keep, max_mib;
    bool json;
};

#define AT(field) offsetof(struct add_options, field)
static const struct option options[] = {
    {"history", OPTION_TEXT, AT(history), 0, 0, "FILE", "the history (" TREND_HISTORY ")"},
    {"commit", OPTION_TEXT, AT(commit), 0, 0, "HASH", "what was measured"},
    {"parent", OPTION_TEXT, AT(parent), 0, 0, "HASH", "the commit before it"},
    {"branch", OPTION_TEXT, AT(branch), 0, 0, "NAME", "where it was committed"},
    {"subject", OPTION_TEXT, AT(subject), 0, 0, "TEXT", "first line of its message"},
    {"author", OPTION_TEXT, AT(author), 0, 0, "NAME", "who wrote it"},
    {"commit-time", OPTION_TEXT, AT(commit_time), 0, 0, "TIME", "when, as 2026-01-31T12:00:00Z"},
    {"commit-url", OPTION_TEXT, AT(commit_url), 0, 0, "URL", "where people can look at it"},
    {"report", OPTION_TEXT, AT(report), 0, 0, "URL", "where this run's report is"},
    {"counts", OPTION_TEXT, AT(counts), 0, 0, "FILE", "counts a request, as the gate writes them"},
    {"gate", OPTION_TEXT, AT(gate), 0, 0, "FILE", "gate.json: its verdict is kept with the run"},
    {"keep", OPTION_WHOLE, AT(keep), 1, 1e9, "N", "runs of one kind of machine (5000)"},
    {"max-size", OPTION_WHOLE, AT(max_mib), 1, 4096, "MIB", "size of the file (16)"},
    {"json", OPTION_FLAG, AT(json), 0, 0, NULL, "print what was done as JSON"},
};

static const struct option_set set = {
    .usage = "parity trend add RESULT [options]",
    .about =
        "Appends a run (its folder or its result.json) to the history: one line of JSON, which\n"
        "says the kind of machine, since absolute figures of different kinds are never compared.\n"
        "Any number of writers may add at once; a run that is there already is not added again.\n"
        "When a limit (--keep, --max-size) is passed the oldest runs go, never the newest.",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 1,
};

static char *result_path(const char *given)
{
    struct stat st;
    bool folder = stat(given, &st) == 0 && S_ISDIR(st.st_mode);
    return folder ? xasprintf("%s/result.json", given) : xstrdup(given);
}

static void sum_of(const char *text, char hex[SHA256_HEX])
{
    struct sha256 s;
    sha256_init(&s);
    sha256_add(&s, text, strlen(text));
    sha256_hex(&s, hex);
}

static int read_result(struct history_run *run, const char *given, struct err *e)
{
    struct result r = {0};
    char hex[SHA256_HEX], *path = result_path(given), *text = file_read(path, NULL, e);
    int rc = text ? result_from_json(&r, text, path, e) : -1;
    if (rc == 0) {
        sum_of(text, hex);
        rc = history_run_of_result(run, &r, hex, e);
    }
    result_fini(&r);
    free(text);
    free(path);
    return rc;
}

static int add_counts(struct history_run *run, const char *path, struct err *e)
{
    struct counts c;
    int rc = counts_load(&c, path, e);
    for (int route = 0; rc == 0 && route < ROUTE_COUNT; route++) {
        if (!c.counted[route])
            continue;
        struct history_counts *to = xgrow(&run->counts, &run->counts_n, sizeof *to);
        *to = (struct history_counts){.server = xstrdup(c.server),
                                      .route = xstrdup(route_get((enum route_id)route)->name),
                                      .instructions = c.per_request[route][COUNT_INSTRUCTIONS],
                                      .system_calls = c.per_request[route][COUNT_SYSTEM_CALLS],
                                      .allocations = c.per_request[route][COUNT_ALLOCATIONS],
                                      .response_bytes = c.per_request[route][COUNT_BYTES]};
    }
    counts_fini(&c);
    return rc;
}

/* Of gate.json only the verdict and its reason. */
static int add_gate(struct history_run *run, const char *path, struct err *e)
{
    struct json_in in;
    struct err own = {0};
    if (json_in_open(&in, path, &own) == 0) {
        struct json_at root = json_in_root(&in);
        json_at_schema(&root, "parity/gate", 1);
        run->gate = field_text(&root, "verdict");
        run->gate_reason = field_text(&root, "reason");
    }
    json_in_close(&in);
    return own.code ? err_set(e, own.code, "%s", own.text) : 0;
}

static char *copy(const char *text)
{
    return text && *text ? xstrdup(text) : NULL; /* CI passes what it doesn't know as "" */
}

static int describe(struct history_run *run, const struct add_options *o, struct err *e)
{
    run->commit = copy(o->commit);
    run->parent = copy(o->parent);
    run->branch = copy(o->branch);
    run->subject = copy(o->subject);
    run->author = copy(o->author);
    run->commit_time = copy(o->commit_time);
    run->commit_url = copy(o->commit_url);
    run->report = copy(o->report);
    if (run->commit && strspn(run->commit, "0123456789abcdef") != strlen(run->commit))
        return err_set(e, EXIT_USAGE,
                       "--commit %s: it must be a hash as git rev-parse HEAD says it", run->commit);
    if (o->counts && add_counts(run, o->counts, e) < 0)
        return -1;
    return o->gate ? add_gate(run, o->gate, e) : 0;
}

static void say(const struct add_options *o, const struct history_run *run,
                const struct trend_added *added)
{
    if (added->torn)
        fprintf(stderr, "note: cut off %zu bytes that a stopped writer had left\n", added->torn);
    if (added->dropped)
        fprintf(stderr, "note: dropped the oldest %s (--keep, --max-size)\n",
                figure_many(added->dropped, "run").text);
    if (o->json) {
        printf("{\"schema\": \"parity/trend-add\", \"schema_version\": 1, \"run\": \"%s\", "
               "\"machine\": \"%s\", \"added\": %s, \"dropped\": %zu, \"runs\": %zu}\n",
               run->id, run->machine.key, added->there ? "false" : "true", added->dropped,
               added->runs);
        return;
    }
    printf("%s: %s %s; %s; %s on %s\n", o->history,
           added->there   ? "has already"
           : added->began ? "began with"
                          : "added",
           run->id, figure_many(run->series_n, "cell").text, figure_many(added->runs, "run").text,
           machine_title(&run->machine));
}

static int add(const struct add_options *o, const char *given, struct err *e)
{
    struct history_run run = {0};
    struct trend_added added;
    struct trend_limits limits = {.keep = o->keep, .bytes = o->max_mib << 20};
    int rc = read_result(&run, given, e) < 0 || describe(&run, o, e) < 0
                 ? -1
                 : trend_store_add(o->history, &run, &limits, &added, e);
    if (rc == 0)
        say(o, &run, &added);
    history_run_fini(&run);
    return rc;
}

int trend_add(char **argv, struct err *e)
{
    struct add_options o = {.history = TREND_HISTORY, .keep = 5000, .max_mib = 16};
    struct strings results = {0};
    int helped, rc = options_parse(&set, argv, &o, &results, &helped, e);
    if (rc == 0 && !helped)
        rc = results.n ? add(&o, results.item[0], e)
                       : err_set(e, EXIT_USAGE, "which result? usage: %s", set.usage);
    strings_fini(&results);
    return rc;
}
