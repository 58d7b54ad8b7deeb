/* reproduce_draw: see reproduce_draw.h. */
#include "run/reproduce_draw.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "present/reproduce.h"
#include "run/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draw_one(const struct chart *c, const char *dir, struct page_chart *page, char *warning,
                     size_t size)
{
    struct err own = {0};
    *page = (struct page_chart){.name = c->name, .title = c->title, .note = c->note};
    if (!c->script)
        return;
    if (draw_chart(c, dir, &own) < 0)
        snprintf(warning, size,
                 "charts are not all drawn: %s; their scripts and data are in charts/", own.text);
    char *path = xasprintf("%s/%s.svg", dir, c->name);
    page->svg = file_read(path, NULL, NULL);
    free(path);
}

static int write_page(const struct published_outcome *o, const char *dir,
                      const struct page_chart *pages, size_t n, struct err *e)
{
    char *text = NULL, *path = xasprintf("%s/report.html", dir);
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    int rc = to ? 0 : err_set(e, EXIT_MACHINE, "cannot write the page: %s", strerror(errno));
    if (to) {
        reproduce_write_page(to, o, pages, n);
        fclose(to);
        rc = file_replace(path, text, len, e);
    }
    free(text);
    free(path);
    return rc;
}

int reproduce_draw(const struct published_outcome *o, const char *dir, char *warning, size_t size,
                   struct err *e)
{
    struct charts charts;
    char *charts_dir = xasprintf("%s/charts", dir);
    if (size)
        warning[0] = '\0';
    reproduce_charts_make(&charts, o);
    struct page_chart *pages = xcalloc(charts.n, sizeof *pages);
    int rc = file_make_dir(charts_dir, e);
    for (size_t i = 0; rc == 0 && i < charts.n; i++)
        draw_one(&charts.item[i], charts_dir, &pages[i], warning, size);
    if (rc == 0)
        rc = write_page(o, dir, pages, charts.n, e);
    for (size_t i = 0; i < charts.n; i++)
        free((char *)pages[i].svg);
    free(pages);
    charts_fini(&charts);
    free(charts_dir);
    return rc;
}
