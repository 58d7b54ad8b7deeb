/* trend_export: parity trend export OUT --format FORMAT: the history for other tools. */
#include "command/trend.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "command/options.h"
#include "model/history.h"
#include "model/strings.h"
#include "present/export.h"
#include "present/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct export_options {
    const char *history, *format;
    struct strings renames;
};

#define AT(field) offsetof(struct export_options, field)
static const struct option options[] = {
    {"format", OPTION_TEXT, AT(format), 0, 0, "NAME", "github-action-benchmark, bmf or otava"},
    {"history", OPTION_TEXT, AT(history), 0, 0, "FILE", "the history (" TREND_HISTORY ")"},
    {"rename", OPTION_LIST, AT(renames), 0, 0, "OLD=NEW",
     "a server, route or generator that is called otherwise now"},
};

static const struct option_set set = {
    .usage = "parity trend export OUT --format NAME [options]",
    .about = "Writes files for other tools into the folder OUT; cells that aren't valid are left "
             "out.",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 1,
    .more =
        "github-action-benchmark  bigger.json and smaller.json, of the newest run, for its tools\n"
        "                         customBiggerIsBetter and customSmallerIsBetter; data.js, of\n"
        "                         all runs, for its page\n"
        "bmf                      bmf.json, of the newest run: bencher run --adapter json --file\n"
        "otava                    otava.yaml and a CSV a series, of all runs",
};

struct folder {
    const char *dir;
    struct err *e;
    size_t files;
};

static int write_file(void *folder, const char *name, const char *text)
{
    struct folder *f = folder;
    char *path = xasprintf("%s/%s", f->dir, name);
    int rc = file_replace(path, text, strlen(text), f->e);
    f->files++;
    free(path);
    return rc;
}

static int write_taken(struct folder *f, const char *name, char *text)
{
    int rc = write_file(f, name, text);
    free(text);
    return rc;
}

static int write_action(struct folder *f, const struct history *h)
{
    const struct history_run *last = &h->runs[h->n - 1];
    return write_taken(f, "bigger.json", export_action_list(last, true)) < 0 ||
                   write_taken(f, "smaller.json", export_action_list(last, false)) < 0
               ? -1
               : write_taken(f, "data.js", export_action_data(h));
}

static int write_bmf(struct folder *f, const struct history *h)
{
    return write_taken(f, "bmf.json", export_bmf(&h->runs[h->n - 1]));
}

static int write_otava(struct folder *f, const struct history *h)
{
    return export_otava(h, write_file, f);
}

static const struct {
    const char *name;
    int (*write)(struct folder *f, const struct history *h);
} formats[] = {
    {"github-action-benchmark", write_action}, {"bmf", write_bmf}, {"otava", write_otava}};

enum {
    FORMATS = sizeof formats / sizeof formats[0]
};

static size_t find_format(const char *name)
{
    size_t i = 0;
    while (i < FORMATS && strcmp(formats[i].name, name) != 0)
        i++;
    return i;
}

static int write_all(const struct export_options *o, const char *dir, struct err *e)
{
    struct history h;
    struct folder f = {dir, e, 0};
    size_t format = find_format(o->format ? o->format : "");
    if (format == FORMATS)
        return err_set(e, EXIT_USAGE,
                       "--format %s: it must be github-action-benchmark, bmf or otava",
                       o->format ? o->format : "is missing");
    int rc = trend_load(&h, o->history, &o->renames, e);
    if (rc == 0 && h.n == 0)
        rc = err_set(e, EXIT_INCONCLUSIVE, "%s has no run yet", o->history);
    if (rc == 0)
        rc = file_make_dir(dir, e);
    if (rc == 0)
        rc = formats[format].write(&f, &h);
    if (rc == 0)
        fprintf(stderr, "%s: %s of %s\n", dir, figure_many(f.files, "file").text,
                figure_many(h.n, "run").text);
    history_fini(&h);
    return rc;
}

int trend_export(char **argv, struct err *e)
{
    struct export_options o = {.history = TREND_HISTORY};
    struct strings dirs = {0};
    int helped, rc = options_parse(&set, argv, &o, &dirs, &helped, e);
    if (rc == 0 && !helped)
        rc = dirs.n ? write_all(&o, dirs.item[0], e)
                    : err_set(e, EXIT_USAGE, "into which folder? usage: %s", set.usage);
    strings_fini(&o.renames);
    strings_fini(&dirs);
    return rc;
}
