/* trend_site: parity trend site OUT: writes the static site of a history into a folder. */
#include "command/trend.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "base/home.h"
#include "command/options.h"
#include "model/history.h"
#include "model/strings.h"
#include "present/figure.h"
#include "present/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct site_options {
    const char *history, *title, *uplot;
    struct strings renames;
};

#define AT(field) offsetof(struct site_options, field)
static const struct option options[] = {
    {"history", OPTION_TEXT, AT(history), 0, 0, "FILE", "the history (" TREND_HISTORY ")"},
    {"title", OPTION_TEXT, AT(title), 0, 0, "TEXT", "of the site (Parity trends)"},
    {"rename", OPTION_LIST, AT(renames), 0, 0, "OLD=NEW",
     "a server, route or generator that is called otherwise now"},
    {"uplot", OPTION_TEXT, AT(uplot), 0, 0, "DIR", "where scripts/uplot put it (build/uplot)"},
};

static const struct option_set set = {
    .usage = "parity trend site OUT [options]",
    .about =
        "Writes the history as pages into the folder OUT: index.html and one a route, with ratios\n"
        "and their intervals over commits, absolute figures by kind of machine, CPU per request,\n"
        "counts, and change points. They open from disk and need no network. A run's report is\n"
        "linked when OUT/runs/RUN/report.html is there. Other files in OUT stay.",
    .option = options,
    .n = sizeof options / sizeof options[0],
    .positional_max = 1,
};

static int write_file(const char *dir, const char *name, const char *text, size_t len,
                      struct err *e)
{
    char *path = xasprintf("%s/%s", dir, name);
    int rc = file_replace(path, text, len, e);
    free(path);
    return rc;
}

static int write_page(const char *dir, const struct site *s, const struct site_look *look,
                      size_t page, struct err *e)
{
    char *text = NULL,
         *name = page == SITE_NONE ? xstrdup("index.html") : site_file(&s->pages[page]);
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (page == SITE_NONE)
        site_index(to, s, look);
    else
        site_route(to, s, look, page);
    fclose(to);
    int rc = write_file(dir, name, text, size, e);
    free(text);
    free(name);
    return rc;
}

/* Reports that were published beside the pages. */
static void link_reports(struct history *h, const char *dir)
{
    for (size_t i = 0; i < h->n; i++) {
        char *path = xasprintf("%s/runs/%s/report.html", dir, h->runs[i].id);
        if (!strchr(h->runs[i].id, '/') && access(path, R_OK) == 0) {
            free(h->runs[i].report);
            h->runs[i].report = xasprintf("runs/%s/report.html", h->runs[i].id);
        }
        free(path);
    }
}

/* The library's files, or *script NULL when they aren't there and weren't asked for. */
static int read_library(const char *asked, char **script, char **style, struct err *e)
{
    char *dir = asked ? xstrdup(asked) : home_path("build/uplot");
    char *js = xasprintf("%s/uPlot.iife.min.js", dir), *css = xasprintf("%s/uPlot.min.css", dir);
    bool there = access(js, R_OK) == 0;
    int rc = 0;
    *script = *style = NULL;
    if (there || asked) {
        *script = file_read(js, NULL, e);
        *style = *script ? file_read(css, NULL, e) : NULL;
        rc = *style ? 0 : -1;
    } else {
        fputs("note: no uPlot (scripts/uplot fetches it): the charts are still pictures\n", stderr);
    }
    free(css);
    free(js);
    free(dir);
    return rc;
}

static int write_scripts(const char *dir, const char *library, struct err *e)
{
    if (!library)
        return 0;
    return write_file(dir, SITE_LIBRARY, library, strlen(library), e) < 0 ||
                   write_file(dir, SITE_SCRIPT, site_script, strlen(site_script), e) < 0
               ? -1
               : 0;
}

/* The pages' own copy of what they show, unless that is the history itself. */
static int copy_history(const char *path, const char *dir, struct err *e)
{
    size_t len = 0;
    char *text = file_read(path, &len, e);
    int rc = text ? write_file(dir, "history.jsonl", text, len, e) : -1;
    free(text);
    return rc;
}

static bool is_same_file(const char *path, const char *dir)
{
    char *other = xasprintf("%s/history.jsonl", dir);
    char *a = realpath(path, NULL), *b = realpath(other, NULL);
    bool same = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    free(other);
    return same;
}

static int write_site(struct history *h, const struct site_options *o, const char *dir,
                      struct err *e)
{
    char *script, *style;
    struct site s = {0};
    link_reports(h, dir);
    int rc = read_library(o->uplot, &script, &style, e);
    if (rc == 0) {
        struct site_look look = {.title = o->title, .chart_style = style};
        site_make(&s, h);
        rc = write_scripts(dir, script, e);
        for (size_t i = 0; rc == 0 && i < s.pages_n; i++)
            rc = write_page(dir, &s, &look, i, e);
        rc = rc == 0 ? write_page(dir, &s, &look, SITE_NONE, e) : rc;
        fprintf(stderr, "site: %s/index.html: %s, %s\n", dir, figure_many(h->n, "run").text,
                figure_many(s.pages_n, "route").text);
    }
    site_fini(&s);
    free(script);
    free(style);
    return rc;
}

static int build(const struct site_options *o, const char *dir, struct err *e)
{
    struct history h;
    int rc = trend_load(&h, o->history, &o->renames, e);
    if (rc == 0)
        rc = file_make_dir(dir, e);
    if (rc == 0)
        rc = write_site(&h, o, dir, e);
    if (rc == 0 && !is_same_file(o->history, dir))
        rc = copy_history(o->history, dir, e);
    history_fini(&h);
    return rc;
}

int trend_site(char **argv, struct err *e)
{
    struct site_options o = {.history = TREND_HISTORY, .title = "Parity trends"};
    struct strings dirs = {0};
    int helped, rc = options_parse(&set, argv, &o, &dirs, &helped, e);
    if (rc == 0 && !helped)
        rc = dirs.n ? build(&o, dirs.item[0], e)
                    : err_set(e, EXIT_USAGE, "into which folder? usage: %s", set.usage);
    strings_fini(&o.renames);
    strings_fini(&dirs);
    return rc;
}
