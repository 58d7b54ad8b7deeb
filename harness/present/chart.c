/* chart: which charts a result has; chart_draft.c thinks each one through and chart_script.c writes
   it for gnuplot. */
#include "present/chart.h"

#include "base/alloc.h"
#include "present/chart_draft.h"
#include "present/figure.h"

#include <stdlib.h>

/* Why there is nothing to draw. */
static char *empty_note(const struct draft *d)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fputs("no valid point", to);
    if (d->remarks.n) {
        fputs(": ", to);
        remarks_write(to, &d->remarks, false, d->panel, d->r);
    }
    fclose(to);
    return text;
}

static char *written(void (*write)(FILE *, const struct draft *), const struct draft *d)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    write(to, d);
    fclose(to);
    return text;
}

static void add_chart(struct charts *c, const struct result *r, const struct panel *p,
                      enum chart_kind kind)
{
    struct draft d;
    struct chart *chart = xgrow(&c->item, &c->n, sizeof *chart);
    draft_make(&d, r, p, kind);
    chart->name = xstrdup(d.name);
    chart->title = xstrdup(d.title);
    if (draft_points(&d) == 0) {
        chart->note = empty_note(&d);
    } else {
        chart->data = written(draft_write_data, &d);
        chart->script = written(draft_write_script, &d);
        chart->note = xstrdup("");
    }
    draft_fini(&d);
}

void charts_make(struct charts *c, const struct result *r)
{
    struct panels panels;
    locale_t before = figure_locale_begin();
    *c = (struct charts){0};
    panels_make(&panels, r);
    for (size_t i = 0; i < panels.n; i++)
        for (int kind = 0; kind < CHART_KINDS; kind++) {
            bool parity = kind == CHART_PARITY || kind == CHART_PARITY_CPU;
            if (!parity || r->plan.servers_n > 1)
                add_chart(c, r, &panels.item[i], (enum chart_kind)kind);
        }
    panels_fini(&panels);
    figure_locale_end(before);
}

void charts_fini(struct charts *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->item[i].name);
        free(c->item[i].title);
        free(c->item[i].script);
        free(c->item[i].data);
        free(c->item[i].note);
    }
    free(c->item);
    *c = (struct charts){0};
}

const struct chart_terminal *chart_terminals(size_t *n)
{
    static const struct chart_terminal terminals[] = {{"svg", "svg size 760,500 font \"Arial,16\""},
                                                      {"png", "pngcairo size 760,500"},
                                                      {"png", "png size 760,500"}};
    *n = sizeof terminals / sizeof *terminals;
    return terminals;
}

char *chart_settings(const struct chart *c, const struct chart_terminal *t)
{
    return xasprintf("term='%s'; output='%s.%s'", t->term, c->name, t->extension);
}
