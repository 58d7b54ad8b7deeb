/* draw: runs gnuplot on the charts that present/ wrote, and puts the pictures into the page.
   gnuplot is run in the charts' folder with plain file names, so that no path needs quoting. */
#include "run/draw.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/process.h"
#include "present/chart.h"
#include "present/page.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GNUPLOT_MS = 60000
};

static int put(const char *dir, const char *name, const char *extension, const char *text,
               struct err *e)
{
    char *path = xasprintf("%s/%s.%s", dir, name, extension);
    int rc = file_replace(path, text, strlen(text), e);
    free(path);
    return rc;
}

/* One picture by one terminal. Returns 0, or -1 with gnuplot's words in err. */
static int plot(const char *dir, const struct chart *c, const struct chart_terminal *t,
                struct err *e)
{
    char *settings = chart_settings(c, t), *script = xasprintf("%s.gp", c->name);
    char *log = xasprintf("%s/%s.log", dir, c->name);
    char *argv[] = {"gnuplot", "-e", settings, script, NULL};
    /* Points in numbers, and UTF-8, which gnuplot can't encode its degree sign in under plain C. */
    const char *const env[] = {"LC_ALL=C.UTF-8", NULL};
    struct process_spec spec = {.argv = argv, .cwd = dir, .out_path = log, .env = env};
    struct process p;
    int rc = process_start(&p, &spec, e);
    if (rc == 0) {
        bool ended = process_wait(&p, GNUPLOT_MS);
        int status = p.status;
        process_stop(&p, SIGTERM, 1000, NULL);
        char *said = file_read(log, NULL, NULL);
        if (!ended || status != 0)
            rc = err_set(e, EXIT_MACHINE, "gnuplot: %.200s",
                         ended ? (said && *said ? said : "failed") : "took too long");
        free(said);
        unlink(log);
    }
    free(settings);
    free(script);
    free(log);
    return rc;
}

/* An SVG for the page and a PNG, each by the first terminal that works here. */
static int plot_all(const char *dir, const struct chart *c, struct err *e)
{
    size_t n;
    const struct chart_terminal *t = chart_terminals(&n);
    const char *drawn = "";
    struct err last = {0};
    for (size_t i = 0; i < n; i++) {
        if (strcmp(t[i].extension, drawn) == 0)
            continue;
        struct err own = {0};
        if (plot(dir, c, &t[i], &own) == 0)
            drawn = t[i].extension;
        else
            last = own;
        bool last_of_kind = i + 1 == n || strcmp(t[i + 1].extension, t[i].extension) != 0;
        if (last_of_kind && strcmp(drawn, t[i].extension) != 0)
            return err_set(e, EXIT_MACHINE, "no %s: %.300s", t[i].extension, last.text);
    }
    return 0;
}

int draw_chart(const struct chart *c, const char *dir, struct err *e)
{
    if (!c->script)
        return 0;
    if (put(dir, c->name, "gp", c->script, e) < 0 || put(dir, c->name, "dat", c->data, e) < 0)
        return -1;
    return plot_all(dir, c, e);
}

static int draw_charts(struct charts *charts, struct page_chart *pages, const char *dir,
                       char *warning, size_t size, struct err *e)
{
    bool works = true;
    for (size_t i = 0; i < charts->n; i++) {
        struct chart *c = &charts->item[i];
        struct err own = {0};
        pages[i] = (struct page_chart){.name = c->name, .title = c->title, .note = c->note};
        if (!c->script)
            continue;
        if (put(dir, c->name, "gp", c->script, e) < 0 || put(dir, c->name, "dat", c->data, e) < 0)
            return -1;
        if (works && plot_all(dir, c, &own) < 0) {
            works = false;
            snprintf(warning, size,
                     "charts are not all drawn: %s; their scripts and data are in "
                     "charts/",
                     own.text);
        }
        char *path = xasprintf("%s/%s.svg", dir, c->name);
        if (access(path, R_OK) == 0)
            pages[i].svg = file_read(path, NULL, NULL);
        free(path);
    }
    return 0;
}

static int write_page(const struct result *r, const char *dir, const struct page_chart *pages,
                      size_t n, struct err *e)
{
    char *text = NULL, *path = xasprintf("%s/report.html", dir);
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    if (!to)
        err_set(e, EXIT_MACHINE, "cannot write the page: %s", strerror(errno));
    int rc = to ? 0 : -1;
    if (to) {
        page_write(to, r, pages, n);
        fclose(to);
        rc = file_replace(path, text, len, e);
    }
    free(text);
    free(path);
    return rc;
}

int draw_result(const struct result *r, const char *dir, char *warning, size_t size, struct err *e)
{
    struct charts charts = {0};
    char *charts_dir = xasprintf("%s/charts", dir);
    if (size)
        warning[0] = '\0';
    charts_make(&charts, r);
    struct page_chart *pages = xcalloc(charts.n, sizeof *pages);
    int rc = file_make_dir(charts_dir, e);
    if (rc == 0)
        rc = draw_charts(&charts, pages, charts_dir, warning, size, e);
    if (rc == 0)
        rc = write_page(r, dir, pages, charts.n, e);
    for (size_t i = 0; i < charts.n; i++)
        free((char *)pages[i].svg);
    free(pages);
    charts_fini(&charts);
    free(charts_dir);
    return rc;
}
