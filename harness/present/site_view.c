/* site_view: see site_view.h. Lists what there is (servers, machines, routes, groups) from the
   newest run backwards, so that what is gone comes last. site_line.c makes the charts' lines. */
#include "present/site_view.h"

#include "base/alloc.h"
#include "present/site_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool lower;
} metrics[SITE_METRICS] = {
    [SITE_RATIO] = {"requests/s, relative", false},
    [SITE_CPU_RATIO] = {"CPU per request, relative", true},
    [SITE_RATE] = {"requests/s", false},
    [SITE_CPU] = {"CPU per request", true},
    [SITE_INSTRUCTIONS] = {"user instructions per request", true},
    [SITE_SYSTEM_CALLS] = {"system calls per request", true},
    [SITE_ALLOCATIONS] = {"allocations per request", true},
    [SITE_BYTES] = {"bytes of the answer", true},
};

const char *site_metric_name(enum site_metric m)
{
    return metrics[m].name;
}

bool site_metric_lower(enum site_metric m)
{
    return metrics[m].lower;
}

const char *site_group_title(const struct site_group *g)
{
    static char text[120];
    snprintf(text, sizeof text, "%.40s, %u connection%s%s", g->generator, g->connections,
             g->connections == 1 ? "" : "s", g->keepalive ? "" : ", close");
    return text;
}

size_t site_machine_of(const struct site *s, const struct history_run *run)
{
    for (size_t i = 0; i < s->machines_n; i++)
        if (strcmp(s->machines[i].machine->key, run->machine.key) == 0)
            return i;
    return SITE_NONE;
}

static struct site_page *find_page(const struct site *s, const char *route)
{
    for (size_t i = 0; i < s->pages_n; i++)
        if (strcmp(s->pages[i].route, route) == 0)
            return &s->pages[i];
    return NULL;
}

static void list_machine(struct site *s, size_t run)
{
    const struct history_run *r = &s->history->runs[run];
    size_t i = site_machine_of(s, r);
    if (i == SITE_NONE) {
        struct site_machine *m = xgrow(&s->machines, &s->machines_n, sizeof *m);
        *m = (struct site_machine){&r->machine, 0, run, run};
        i = s->machines_n - 1;
    }
    s->machines[i].runs++;
    s->machines[i].first = run; /* from the newest backwards */
}

static void list_group(struct site_page *p, const struct history_series *series)
{
    struct site_group g = {series->generator, series->connections, series->keepalive};
    for (size_t i = 0; i < p->groups_n; i++)
        if (site_group_has(&p->groups[i], series))
            return;
    *(struct site_group *)xgrow(&p->groups, &p->groups_n, sizeof g) = g;
}

static struct site_page *list_page(struct site *s, const char *route)
{
    struct site_page *p = find_page(s, route);
    if (!p) {
        p = xgrow(&s->pages, &s->pages_n, sizeof *p);
        p->route = route;
    }
    return p;
}

static void list_server(struct site *s, const char *name)
{
    if (!strings_has(&s->servers, name))
        strings_add(&s->servers, name);
}

static void list_run(struct site *s, size_t run)
{
    const struct history_run *r = &s->history->runs[run];
    list_machine(s, run);
    for (size_t i = 0; i < r->series_n; i++) {
        list_server(s, r->series[i].server);
        list_group(list_page(s, r->series[i].route), &r->series[i]);
    }
    for (size_t i = 0; i < r->counts_n; i++) {
        list_server(s, r->counts[i].server);
        list_page(s, r->counts[i].route);
    }
}

static bool has_route(const struct history_run *r, const char *route)
{
    for (size_t i = 0; i < r->series_n; i++)
        if (strcmp(r->series[i].route, route) == 0)
            return true;
    for (size_t i = 0; i < r->counts_n; i++)
        if (strcmp(r->counts[i].route, route) == 0)
            return true;
    return false;
}

static void list_runs(struct site_page *p, const struct history *h)
{
    p->runs = xcalloc(h->n + 1, sizeof *p->runs);
    for (size_t i = 0; i < h->n; i++)
        if (has_route(&h->runs[i], p->route))
            p->runs[p->runs_n++] = i;
}

/* volley measures in pairs, so it comes first; then by name, keep-alive before close, level. */
static int compare_groups(const void *one, const void *other)
{
    const struct site_group *a = one, *b = other;
    int paired = (strcmp(b->generator, "volley") == 0) - (strcmp(a->generator, "volley") == 0);
    int name = strcmp(a->generator, b->generator);
    if (paired || name)
        return paired ? paired : name;
    if (a->keepalive != b->keepalive)
        return a->keepalive ? -1 : 1;
    return (a->connections > b->connections) - (a->connections < b->connections);
}

void site_make(struct site *s, const struct history *h)
{
    *s = (struct site){.history = h};
    for (size_t i = h->n; i-- > 0;)
        list_run(s, i);
    for (size_t i = 0; i < s->pages_n; i++) {
        struct site_page *p = &s->pages[i];
        if (p->groups_n)
            qsort(p->groups, p->groups_n, sizeof *p->groups, compare_groups);
        list_runs(p, h);
        site_lines_make(s, p);
    }
}

static void fini_page(struct site_page *p)
{
    for (size_t i = 0; i < p->charts_n; i++) {
        for (size_t k = 0; k < p->charts[i].n; k++) {
            free(p->charts[i].lines[k].points);
            free(p->charts[i].lines[k].changes);
        }
        free(p->charts[i].lines);
    }
    free(p->charts);
    free(p->groups);
    free(p->runs);
}

void site_fini(struct site *s)
{
    for (size_t i = 0; i < s->pages_n; i++)
        fini_page(&s->pages[i]);
    free(s->pages);
    free(s->machines);
    strings_fini(&s->servers);
    *s = (struct site){0};
}

size_t site_group_main(const struct site_page *p)
{
    size_t n = 0;
    while (n < p->groups_n && strcmp(p->groups[n].generator, p->groups[0].generator) == 0 &&
           p->groups[n].keepalive == p->groups[0].keepalive)
        n++;
    return n ? (n - 1) / 2 : SITE_NONE;
}

const struct site_chart *site_chart_find(const struct site_page *p, enum site_metric m,
                                         size_t group, size_t machine)
{
    for (size_t i = 0; i < p->charts_n; i++)
        if (p->charts[i].metric == m && p->charts[i].group == group &&
            p->charts[i].machine == machine)
            return &p->charts[i];
    return NULL;
}
