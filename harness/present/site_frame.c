/* site_frame: head, navigation and foot of the trend site's pages, and the pieces of text that they
   share. */
#include "present/site_parts.h"

#include "base/alloc.h"
#include "present/figure.h"
#include "present/html.h"
#include "present/page_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

char *site_file(const struct site_page *p)
{
    char *name = xasprintf("route-%s.html", p->route);
    for (char *c = name + 6; c < name + strlen(name) - 5; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
            *c = '_';
    return name;
}

static void write_nav(FILE *to, const struct site *s, size_t here)
{
    fputs("<nav aria-label=\"Pages\">", to);
    fputs(here == SITE_NONE ? "<a href=\"index.html\" aria-current=\"page\">All routes</a>"
                            : "<a href=\"index.html\">All routes</a>",
          to);
    for (size_t i = 0; i < s->pages_n; i++) {
        char *file = site_file(&s->pages[i]);
        html_write(
            to, i == here ? "<a href=\"%s\" aria-current=\"page\">%s</a>" : "<a href=\"%s\">%s</a>",
            file, s->pages[i].route);
        free(file);
    }
    fputs("</nav>", to);
}

void site_begin(FILE *to, const struct site *s, const struct site_look *look, size_t here)
{
    const char *route = here == SITE_NONE ? NULL : s->pages[here].route;
    html_write(to,
               "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "img-src data:; style-src 'unsafe-inline'; script-src 'self'\">"
               "<title>%s%s%s</title><style>",
               route ? route : "", route ? ": " : "", look->title);
    fputs(page_style, to);
    if (look->chart_style)
        fputs(look->chart_style, to); /* of a library of ours, not of a user */
    fputs(site_style, to);
    html_write(to, "</style></head><body>\n<header><p class=\"kind\">%s</p><h1>%s%s</h1>",
               look->title, route ? route : "Performance over commits",
               route ? ": performance over commits" : "");
    write_nav(to, s, here);
}

void site_end(FILE *to, const struct site_look *look)
{
    fprintf(to,
            "</main><footer>Made by parity from history.jsonl; this page loads nothing from "
            "elsewhere.%s</footer>%s</body></html>\n",
            look->chart_style ? "" : " It was built without uPlot, so charts can't be zoomed.",
            look->chart_style ? "<script src=\"" SITE_LIBRARY
                                "\"></script><script src=\"" SITE_SCRIPT "\"></script>"
                              : "");
}

const char *site_link(const char *url)
{
    if (!url || !*url)
        return NULL;
    bool web = strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
    bool below = !strchr(url, ':') && url[0] != '/' && url[0] != '\\';
    return web || below ? url : NULL;
}

void site_commit(FILE *to, const struct history_run *run)
{
    const char *url = site_link(run->commit_url);
    char text[12];
    snprintf(text, sizeof text, "%.7s", run->commit ? run->commit : "");
    if (!run->commit)
        fputs("&ndash;", to);
    else if (url)
        html_write(to, "<a href=\"%s\"><code>%s</code></a>", url, text);
    else
        html_write(to, "<code>%s</code>", text);
}

void site_day(FILE *to, const struct history_run *run)
{
    fprintf(to, "%.10s", run->time);
}

void site_report(FILE *to, const struct history_run *run)
{
    const char *url = site_link(run->report);
    html_write(to, url ? "<a href=\"%s\">report</a>" : "\xe2\x80\x93", url);
}

const char *site_figure(enum site_metric m, double y)
{
    static char slots[4][48];
    static unsigned slot;
    char *to = slots[slot++ % 4];
    if (m == SITE_RATE)
        snprintf(to, sizeof slots[0], "%s", figure_rate(y).text);
    else if (m == SITE_CPU)
        snprintf(to, sizeof slots[0], "%s", figure_time(y, " ").text);
    else if (m <= SITE_CPU_RATIO)
        snprintf(to, sizeof slots[0], "%.*f", fabs(y) < 10 ? 3 : 1, y);
    else
        snprintf(to, sizeof slots[0], "%.10g", round(y * 100) / 100);
    return to;
}

const char *site_change(const struct changepoint *c)
{
    static char text[40];
    double percent = (c->after / c->before - 1) * 100;
    if (!isfinite(percent))
        snprintf(text, sizeof text, "new");
    else
        snprintf(text, sizeof text, "%s%.*f %%", percent < 0 ? "\xe2\x88\x92" : "+",
                 fabs(percent) < 10 ? 1 : 0, fabs(percent));
    return text;
}

const char *site_change_class(enum site_metric m, const struct changepoint *c)
{
    return (c->after < c->before) == site_metric_lower(m) ? "better" : "worse";
}
