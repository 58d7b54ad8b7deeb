/* history: a result -> the run that trends keep of it, and looking things up. history_json.c writes
   and reads the lines. */
#include "model/history.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "2026-01-31T12:00:00Z" and "1a2b..." -> "20260131T120000Z-1a2b3c4d5e6f" */
static char *make_id(const char *time, const char *sum)
{
    char plain[40];
    size_t n = 0;
    for (const char *p = time; *p && n + 1 < sizeof plain; p++)
        if (*p != '-' && *p != ':')
            plain[n++] = *p;
    plain[n] = '\0';
    return xasprintf("%s-%.12s", plain, sum);
}

static void add_versions(struct history_run *run, const struct result *r)
{
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        const struct fact *version = facts_find(&r->servers[i].facts, "version");
        facts_text(&run->versions, r->plan.servers[i].name, version ? version->text : NULL);
    }
}

static void add_ratios(struct history_series *s, const struct result *r, const struct cell *c)
{
    for (size_t i = 0; i < r->ratios_n; i++)
        if (r->ratios[i].comparison == c->comparison && r->ratios[i].server == c->server)
            s->ratio[r->ratios[i].metric] = r->ratios[i].value;
}

static void add_series(struct history_run *run, const struct result *r, size_t cell)
{
    const struct cell *c = &r->plan.cells[cell];
    const struct cell_result *found = &r->cells[cell];
    struct history_series *s = xgrow(&run->series, &run->series_n, sizeof *s);
    s->server = xstrdup(r->plan.servers[c->server].name);
    s->route = xstrdup(route_get(c->route)->name);
    s->generator = xstrdup(r->plan.suite.generators.item[c->generator]);
    s->connections = c->connections;
    s->keepalive = c->keepalive;
    s->verdict = found->verdict;
    s->requests_per_s = found->requests_per_s;
    s->cpu_ns_per_request = found->cpu_ns_per_request;
    s->latency_p99_us = found->latency[LATENCY_P99];
    for (int m = 0; m < METRIC_COUNT; m++)
        s->ratio[m] = (struct interval){.estimate = NAN, .low = NAN, .high = NAN};
    add_ratios(s, r, c);
}

int history_run_of_result(struct history_run *run, const struct result *r, const char *sum,
                          struct err *e)
{
    *run = (struct history_run){0};
    if (r->state != RUN_COMPLETE)
        return err_set(e, EXIT_USAGE,
                       "the run is %s: a part of a run is no point of a history; finish it with "
                       "parity run --resume, or run it again",
                       run_state_name(r->state));
    snprintf(run->time, sizeof run->time, "%s", r->started);
    run->id = make_id(run->time, sum);
    run->suite = xstrdup(r->plan.suite.name);
    run->reference = xstrdup(r->plan.servers[r->plan.reference].name);
    machine_of(&run->machine, &r->environment);
    add_versions(run, r);
    for (size_t i = 0; i < r->plan.cells_n; i++)
        add_series(run, r, i);
    return 0;
}

static void fini_series(struct history_run *run)
{
    for (size_t i = 0; i < run->series_n; i++) {
        free(run->series[i].server);
        free(run->series[i].route);
        free(run->series[i].generator);
    }
    free(run->series);
    for (size_t i = 0; i < run->counts_n; i++) {
        free(run->counts[i].server);
        free(run->counts[i].route);
    }
    free(run->counts);
}

void history_run_fini(struct history_run *run)
{
    char *texts[] = {run->id,        run->commit,      run->parent,     run->branch, run->subject,
                     run->author,    run->commit_time, run->commit_url, run->report, run->suite,
                     run->reference, run->gate,        run->gate_reason};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    machine_fini(&run->machine);
    facts_fini(&run->versions);
    fini_series(run);
    *run = (struct history_run){0};
}

void history_fini(struct history *h)
{
    for (size_t i = 0; i < h->n; i++)
        history_run_fini(&h->runs[i]);
    free(h->runs);
    *h = (struct history){0};
}

bool history_has(const struct history *h, const char *id)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->runs[i].id, id) == 0)
            return true;
    return false;
}

bool history_same(const struct history_series *a, const struct history_series *b)
{
    return a->connections == b->connections && a->keepalive == b->keepalive &&
           strcmp(a->server, b->server) == 0 && strcmp(a->route, b->route) == 0 &&
           strcmp(a->generator, b->generator) == 0;
}

const struct history_series *history_find(const struct history_run *run,
                                          const struct history_series *like)
{
    for (size_t i = 0; i < run->series_n; i++)
        if (history_same(&run->series[i], like))
            return &run->series[i];
    return NULL;
}

const struct history_counts *history_counts_find(const struct history_run *run,
                                                 const struct history_series *like)
{
    for (size_t i = 0; i < run->counts_n; i++)
        if (strcmp(run->counts[i].server, like->server) == 0 &&
            strcmp(run->counts[i].route, like->route) == 0)
            return &run->counts[i];
    return NULL;
}

const char *history_series_name(const struct history_series *s)
{
    static char text[200];
    snprintf(text, sizeof text, "%.60s %.30s c=%u %s %.60s", s->route, s->generator, s->connections,
             s->keepalive ? "keep-alive" : "close", s->server);
    return text;
}
