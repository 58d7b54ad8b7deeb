/* panel: sorts a result's cells into panels and finds the ratios that belong to them. */
#include "present/panel.h"

#include "base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct panel *find_panel(struct panels *p, const struct cell *c)
{
    for (size_t i = 0; i < p->n; i++) {
        struct panel *q = &p->item[i];
        if (q->route == c->route && q->generator == c->generator && q->keepalive == c->keepalive)
            return q;
    }
    return NULL;
}

static void add_level(struct panel *p, unsigned connections)
{
    size_t at = 0;
    while (at < p->levels_n && p->levels[at] < connections)
        at++;
    if ((at < p->levels_n && p->levels[at] == connections) || p->levels_n == SUITE_LEVELS_MAX)
        return;
    for (size_t i = p->levels_n; i > at; i--)
        p->levels[i] = p->levels[i - 1];
    p->levels[at] = connections;
    p->levels_n++;
}

static void place_cells(struct panels *p, const struct plan *plan)
{
    for (size_t i = 0; i < p->n; i++) {
        struct panel *q = &p->item[i];
        size_t n = q->levels_n * q->servers_n;
        q->cells = xcalloc(n + 1, sizeof *q->cells);
        for (size_t k = 0; k < n; k++)
            q->cells[k] = PANEL_NONE;
    }
    for (size_t i = 0; i < plan->cells_n; i++) {
        const struct cell *c = &plan->cells[i];
        struct panel *q = find_panel(p, c);
        for (size_t level = 0; level < q->levels_n; level++)
            if (q->levels[level] == c->connections)
                q->cells[level * q->servers_n + c->server] = i;
    }
}

void panels_make(struct panels *p, const struct result *r)
{
    *p = (struct panels){0};
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        const struct cell *c = &r->plan.cells[i];
        struct panel *q = find_panel(p, c);
        if (!q) {
            q = xgrow(&p->item, &p->n, sizeof *p->item);
            q->route = c->route;
            q->generator = c->generator;
            q->keepalive = c->keepalive;
            q->servers_n = r->plan.servers_n;
        }
        add_level(q, c->connections);
    }
    place_cells(p, &r->plan);
}

void panels_fini(struct panels *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->item[i].cells);
    free(p->item);
    *p = (struct panels){0};
}

size_t panel_cell(const struct panel *p, size_t level, size_t server)
{
    return p->cells[level * p->servers_n + server];
}

const char *panel_title(const struct panel *p, const struct result *r)
{
    static char title[160];
    snprintf(title, sizeof title, "%s by %s, %s", route_get(p->route)->name,
             r->plan.suite.generators.item[p->generator],
             p->keepalive ? "keep-alive" : "a connection per request");
    return title;
}

const char *panel_slug(const struct panel *p, const struct result *r)
{
    static char slug[160];
    snprintf(slug, sizeof slug, "%s-%s%s", route_get(p->route)->name,
             r->plan.suite.generators.item[p->generator], p->keepalive ? "" : "-close");
    for (char *s = slug; *s; s++)
        if (!isalnum((unsigned char)*s))
            *s = '-';
    return slug;
}

const struct ratio *panel_ratio(const struct result *r, size_t cell, enum metric metric)
{
    const struct cell *c = &r->plan.cells[cell];
    if (c->server == r->plan.reference)
        return NULL;
    for (size_t i = 0; i < r->ratios_n; i++) {
        const struct ratio *q = &r->ratios[i];
        if (q->comparison == c->comparison && q->server == c->server && q->metric == metric)
            return q;
    }
    return NULL;
}

/* CPU per request stays right when the generator was the limit. */
static bool usable(const struct trial *t, enum metric metric)
{
    return t->verdict == VERDICT_VALID ||
           (metric == METRIC_CPU && t->verdict == VERDICT_CLIENT_BOUND);
}

static const struct trial *reference_trial(const struct result *r, const struct ratio *ratio,
                                           unsigned block)
{
    for (size_t i = 0; i < r->trials_n; i++) {
        const struct trial *t = &r->trials[i];
        const struct cell *c = &r->plan.cells[t->cell];
        if (c->comparison == ratio->comparison && c->server == r->plan.reference &&
            t->block == block)
            return t;
    }
    return NULL;
}

size_t panel_block_ratios(const struct result *r, const struct ratio *ratio, double *to, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < r->trials_n && n < max; i++) {
        const struct trial *t = &r->trials[i];
        const struct cell *c = &r->plan.cells[t->cell];
        if (c->comparison != ratio->comparison || c->server != ratio->server)
            continue;
        const struct trial *reference = reference_trial(r, ratio, t->block);
        if (!reference || !usable(t, ratio->metric) || !usable(reference, ratio->metric))
            continue;
        double value = exp(trial_log_ratio(t, reference, ratio->metric));
        if (isfinite(value))
            to[n++] = value;
    }
    return n;
}
