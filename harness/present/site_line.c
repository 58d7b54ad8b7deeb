/* site_line: see site_line.h. A line holds only what was valid: of a cell whose generator was the
   limit the rate is left out and the CPU time stays, as in the report. */
#include "present/site_line.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool site_group_has(const struct site_group *g, const struct history_series *s)
{
    return g->connections == s->connections && g->keepalive == s->keepalive &&
           strcmp(g->generator, s->generator) == 0;
}

static bool is_count(enum site_metric m)
{
    return m >= SITE_INSTRUCTIONS;
}

/* The point of one cell, or y NaN when there is none to show. */
static struct site_point point_of(const struct history_series *s, enum site_metric m)
{
    struct site_point p = {.y = NAN, .low = NAN, .high = NAN};
    bool cpu = m == SITE_CPU || m == SITE_CPU_RATIO;
    if (s->verdict != VERDICT_VALID && !(cpu && s->verdict == VERDICT_CLIENT_BOUND))
        return p;
    if (m == SITE_RATE || m == SITE_CPU) {
        p.y = m == SITE_RATE ? s->requests_per_s : s->cpu_ns_per_request / 1000;
        return p;
    }
    const struct interval *v = &s->ratio[m == SITE_RATIO ? METRIC_THROUGHPUT : METRIC_CPU];
    p.y = v->estimate;
    p.low = v->low;
    p.high = v->high;
    return p;
}

static struct site_point count_of(const struct history_counts *c, enum site_metric m)
{
    struct site_point p = {.y = NAN, .low = NAN, .high = NAN};
    p.y = m == SITE_INSTRUCTIONS   ? c->instructions
          : m == SITE_SYSTEM_CALLS ? c->system_calls
          : m == SITE_ALLOCATIONS  ? c->allocations
                                   : c->response_bytes;
    return p;
}

static struct site_line *line_of(struct site_chart *c, size_t server, size_t machine)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->lines[i].server == server && c->lines[i].machine == machine)
            return &c->lines[i];
    struct site_line *line = xgrow(&c->lines, &c->n, sizeof *line);
    line->server = server;
    line->machine = machine;
    return line;
}

static size_t server_of(const struct site *s, const char *name)
{
    size_t i = 0;
    while (i < s->servers.n && strcmp(s->servers.item[i], name) != 0)
        i++;
    return i;
}

static void add_point(const struct site *s, struct site_chart *c, const char *server,
                      size_t machine, const struct site_point *p)
{
    if (!isfinite(p->y) || (!is_count(c->metric) && !(p->y > 0)))
        return;
    struct site_line *line = line_of(c, server_of(s, server), machine);
    *(struct site_point *)xgrow(&line->points, &line->n, sizeof *p) = *p;
}

static void add_run(const struct site *s, const struct site_page *page, struct site_chart *c,
                    size_t at)
{
    const struct history_run *run = &s->history->runs[page->runs[at]];
    size_t machine = site_machine_of(s, run);
    if (c->machine != SITE_NONE && c->machine != machine)
        return;
    for (size_t i = 0; c->group != SITE_NONE && i < run->series_n; i++) {
        const struct history_series *one = &run->series[i];
        if (!site_group_has(&page->groups[c->group], one) || strcmp(one->route, page->route) != 0)
            continue;
        struct site_point p = point_of(one, c->metric);
        p.at = at;
        add_point(s, c, one->server, machine, &p);
    }
    for (size_t i = 0; c->group == SITE_NONE && i < run->counts_n; i++) {
        if (strcmp(run->counts[i].route, page->route) != 0)
            continue;
        struct site_point p = count_of(&run->counts[i], c->metric);
        p.at = at;
        add_point(s, c, run->counts[i].server, 0, &p);
    }
}

/* Counts are exact, so each is compared with the one before; less is a clock's tick. */
static void find_steps(struct site_line *line, double tick)
{
    for (size_t i = 1; i < line->n; i++) {
        double before = line->points[i - 1].y, after = line->points[i].y;
        if (fabs(after - before) <= tick)
            continue;
        struct changepoint *c = xgrow(&line->changes, &line->changes_n, sizeof *c);
        *c = (struct changepoint){i, before, after, 0};
    }
}

static void find_changes(struct site_line *line)
{
    double *x = xcalloc(line->n, sizeof *x);
    for (size_t i = 0; i < line->n; i++)
        x[i] = log(line->points[i].y);
    size_t max = line->n / CHANGEPOINT_SIDE_MIN + 1;
    line->changes = xcalloc(max, sizeof *line->changes);
    line->changes_n = changepoint_find(x, line->n, &changepoint_rule_default, line->changes, max);
    for (size_t i = 0; i < line->changes_n; i++) {
        line->changes[i].before = exp(line->changes[i].before);
        line->changes[i].after = exp(line->changes[i].after);
    }
    free(x);
}

static void make_chart(const struct site *s, struct site_page *p, enum site_metric m, size_t group,
                       size_t machine)
{
    struct site_chart c = {.metric = m, .group = group, .machine = machine};
    for (size_t i = 0; i < p->runs_n; i++)
        add_run(s, p, &c, i);
    for (size_t i = 0; i < c.n; i++)
        if (is_count(m))
            find_steps(&c.lines[i], m == SITE_INSTRUCTIONS ? 0.5 : 0.01);
        else
            find_changes(&c.lines[i]);
    if (c.n)
        *(struct site_chart *)xgrow(&p->charts, &p->charts_n, sizeof c) = c;
}

void site_lines_make(const struct site *s, struct site_page *p)
{
    for (int m = SITE_RATIO; m <= SITE_CPU_RATIO; m++)
        for (size_t group = 0; group < p->groups_n; group++)
            make_chart(s, p, (enum site_metric)m, group, SITE_NONE);
    for (size_t machine = 0; machine < s->machines_n; machine++)
        for (int m = SITE_RATE; m <= SITE_CPU; m++)
            for (size_t group = 0; group < p->groups_n; group++)
                make_chart(s, p, (enum site_metric)m, group, machine);
    for (int m = SITE_INSTRUCTIONS; m < SITE_METRICS; m++)
        make_chart(s, p, (enum site_metric)m, SITE_NONE, SITE_NONE);
}
