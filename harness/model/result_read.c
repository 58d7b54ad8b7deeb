/* result_read: JSON text -> result. The inverse of result_json.c, for `parity report` and --resume.
   It needs nothing but the text: manifests and programs may be gone. Every key must be there, and
   what the file says twice must agree, for an edited file is no measurement. */
#include "model/result.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/json_field.h"
#include "model/trial_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct json_at key(const struct json_at *at, const char *name)
{
    return json_at_key(at, name);
}

static void read_facts(struct facts *f, const struct json_at *parent, const char *name)
{
    struct json_at at = field_object(parent, name);
    const char *fact;
    json_t *value;
    json_object_foreach(at.value, fact, value)
    {
        struct json_at one = key(&at, fact);
        if (json_is_string(value))
            facts_text(f, fact, json_string_value(value));
        else
            facts_number(f, fact, json_at_measure(&one));
    }
}

static void read_texts(struct strings *list, const struct json_at *parent, const char *name)
{
    struct json_at at = field_array(parent, name);
    json_at_strings(&at, list);
}

static size_t find_server(const struct plan *p, const char *name)
{
    size_t i = 0;
    while (i < p->servers_n && strcmp(p->servers[i].name, name) != 0)
        i++;
    return i;
}

static size_t server_index(const struct plan *p, const struct json_at *at)
{
    size_t i = find_server(p, json_at_text(at));
    if (i < p->servers_n)
        return i;
    json_at_refuse(at, "\"%s\" is none of the servers", json_at_text(at));
    return 0;
}

static void read_servers(struct plan *p, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at); i++) {
        struct json_at one = json_at_index(at, i), name = key(&one, "name");
        struct json_at title = key(&one, "title"), path = key(&one, "manifest");
        if (find_server(p, json_at_text(&name)) < p->servers_n)
            json_at_refuse(&name, "\"%s\" is there twice", json_at_text(&name));
        struct manifest *m = xgrow(&p->servers, &p->servers_n, sizeof *m);
        m->name = xstrdup(json_at_text(&name));
        m->title = xstrdup(json_at_text(&title));
        m->path = xstrdup(json_at_text(&path));
        m->dir = xstrdup(".");
        m->limit = json_at_key(&one, "limit").value && field_flag(&one, "limit");
        m->url = field_flag(&one, "running_already") ? xstrdup(m->path) : NULL;
    }
    if (p->servers_n == 0)
        json_at_refuse(at, "must name at least one server");
}

static size_t read_generator(const struct plan *p, const struct json_at *parent)
{
    struct json_at at = key(parent, "generator");
    const struct strings *tools = &p->suite.generators;
    for (size_t i = 0; i < tools->n; i++)
        if (strcmp(tools->item[i], json_at_text(&at)) == 0)
            return i;
    json_at_refuse(&at, "is none of the suite's generators");
    return 0;
}

static enum route_id read_route(const struct json_at *parent)
{
    struct json_at at = key(parent, "route");
    int id = route_find(json_at_text(&at));
    if (id < 0)
        json_at_refuse(&at, "is no route");
    return id < 0 ? ROUTE_HEALTH : (enum route_id)id;
}

static const char *mode_name(bool keepalive)
{
    return keepalive ? "keep-alive" : "close";
}

static bool read_mode(const struct json_at *parent)
{
    struct json_at at = key(parent, "mode");
    bool keepalive = strcmp(json_at_text(&at), mode_name(true)) == 0;
    if (!keepalive && strcmp(json_at_text(&at), mode_name(false)) != 0)
        json_at_refuse(&at, "is \"%s\"; modes are keep-alive and close", json_at_text(&at));
    return keepalive;
}

static void read_cell(struct plan *p, const struct json_at *at)
{
    struct json_at server = key(at, "server"), level = key(at, "connections");
    size_t index = p->cells_n;
    struct cell *c = xgrow(&p->cells, &p->cells_n, sizeof *c);
    field_agrees_number(at, "cell", (double)index);
    c->server = server_index(p, &server);
    c->route = read_route(at);
    c->generator = read_generator(p, at);
    c->connections = (unsigned)json_at_whole(&level, 1, 1000000);
    c->keepalive = read_mode(at);
    c->comparison = field_whole(at, "comparison", SIZE_MAX);
    if (trial_read_verdict(at) == VERDICT_SKIPPED)
        c->skipped = field_text(at, "note");
    if (trial_read_verdict(at) == VERDICT_SKIPPED && !c->skipped)
        json_at_refuse(at, "is skipped without a reason in its note");
}

/* A comparison's cells differ in their server alone. */
static bool fits(const struct plan *p, size_t index)
{
    const struct cell *c = &p->cells[index], *first = c - index % p->servers_n;
    return c->comparison == index / p->servers_n && c->server == index % p->servers_n &&
           c->route == first->route && c->generator == first->generator &&
           c->connections == first->connections && c->keepalive == first->keepalive;
}

/* Comparisons are as many cells as there are servers, in order. */
static void read_cells(struct plan *p, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at) && !at->in->e->code; i++) {
        struct json_at one = json_at_index(at, i);
        read_cell(p, &one);
        if (!fits(p, i))
            json_at_refuse(&one, "is out of order: one cell per server and comparison is expected");
        if (i % p->servers_n == 0) {
            struct comparison *c = xgrow(&p->comparisons, &p->comparisons_n, sizeof *c);
            *c = (struct comparison){.first = i, .n = p->servers_n};
        }
    }
    if (p->servers_n == 0 || p->cells_n % p->servers_n != 0)
        json_at_refuse(at, "must have one cell per server and comparison");
}

static void read_cell_result(struct cell_result *c, const struct json_at *at)
{
    struct json_at l = field_object(at, "latency_us");
    c->verdict = trial_read_verdict(at);
    field_copy(at, "note", c->note, sizeof c->note);
    c->trials = (unsigned)field_whole(at, "trials", UINT32_MAX);
    c->valid = (unsigned)field_whole(at, "valid_trials", c->trials);
    c->requests_per_s = field_measure(at, "requests_per_s");
    c->requests_per_s_low = field_measure(at, "requests_per_s_min");
    c->requests_per_s_high = field_measure(at, "requests_per_s_max");
    for (int i = 0; i < LATENCY_N; i++)
        c->latency[i] = field_measure(&l, latency_keys[i]);
    c->latency_mean = field_measure(&l, "mean");
    c->latency_resolution = field_measure(&l, "resolution");
    c->latency_corrected = field_flag(&l, "corrected");
    c->latency_censored = field_flag(&l, "censored");
    c->cpu_ns_per_request = field_measure(at, "cpu_ns_per_request");
    c->client_cpu_ns_per_request = field_measure(at, "client_cpu_ns_per_request");
    c->server_busy = field_measure(at, "server_busy");
    c->client_busy = field_measure(at, "client_busy");
    c->peak_rss_kib = field_measure(at, "peak_rss_kib");
}

/* Trials and ratios repeat their cell's place for readers of the file. */
static void check_place(const struct json_at *at, const struct plan *p, size_t index)
{
    const struct cell *c = &p->cells[index];
    field_agrees(at, "server", p->servers[c->server].name);
    field_agrees(at, "route", route_get(c->route)->name);
    field_agrees(at, "generator", p->suite.generators.item[c->generator]);
    field_agrees_number(at, "connections", c->connections);
    field_agrees(at, "mode", mode_name(c->keepalive));
}

/* Elements that refer to cells can't be there without any. */
static size_t count_with_cells(const struct json_at *at, const struct plan *p)
{
    if (p->cells_n == 0 && json_at_count(at) > 0)
        json_at_refuse(at, "must be empty, for there are no cells");
    return at->in->e->code ? 0 : json_at_count(at);
}

static void read_trials(struct result *r, const struct json_at *at)
{
    size_t n = count_with_cells(at, &r->plan);
    for (size_t i = 0; i < n && !at->in->e->code; i++) {
        struct json_at one = json_at_index(at, i);
        struct trial *t = xgrow(&r->trials, &r->trials_n, sizeof *t);
        trial_read(t, &one, suite_blocks_most(&r->plan.suite), r->plan.servers_n);
        t->cell = field_whole(&one, "cell", r->plan.cells_n - 1);
        check_place(&one, &r->plan, t->cell);
    }
}

static enum metric read_metric(const struct json_at *parent)
{
    struct json_at at = key(parent, "metric");
    for (int m = 0; m < METRIC_COUNT; m++)
        if (strcmp(json_at_text(&at), metric_name((enum metric)m)) == 0)
            return (enum metric)m;
    json_at_refuse(&at, "is no metric");
    return METRIC_THROUGHPUT;
}

static void read_ratios(struct result *r, const struct json_at *at)
{
    const struct plan *p = &r->plan;
    size_t n = count_with_cells(at, p);
    for (size_t i = 0; i < n && !at->in->e->code; i++) {
        struct json_at one = json_at_index(at, i), server = key(&one, "server");
        struct ratio *x = xgrow(&r->ratios, &r->ratios_n, sizeof *x);
        x->comparison = field_whole(&one, "comparison", p->comparisons_n - 1);
        x->server = server_index(p, &server);
        x->metric = read_metric(&one);
        x->value.estimate = field_measure(&one, "estimate");
        x->value.low = field_measure(&one, "low");
        x->value.high = field_measure(&one, "high");
        x->value.confidence = field_measure(&one, "confidence");
        x->value.n = field_whole(&one, "blocks", suite_blocks_most(&p->suite));
        x->paired = field_flag(&one, "paired");
        field_copy(&one, "note", x->note, sizeof x->note);
        size_t cell = p->comparisons[x->comparison].first + x->server;
        field_agrees_number(&one, "cell", (double)cell);
        field_agrees(&one, "reference", p->servers[p->reference].name);
        check_place(&one, p, cell);
    }
}

static void read_witnesses(struct result *r, const struct json_at *at)
{
    size_t n = r->ratios_n ? json_at_count(at) : 0;
    if (!r->ratios_n && json_at_count(at) > 0)
        json_at_refuse(at, "must be empty, for there are no ratios");
    for (size_t i = 0; i < n && !at->in->e->code; i++) {
        struct json_at one = json_at_index(at, i), agrees = key(&one, "agrees");
        struct witness *w = xgrow(&r->witnesses, &r->witnesses_n, sizeof *w);
        w->ratio = field_whole(&one, "ratio", r->ratios_n - 1);
        w->by = field_whole(&one, "by", r->ratios_n - 1);
        w->agrees = json_is_null(agrees.value) ? AGREEMENT_OPEN
                    : json_at_bool(&agrees)    ? AGREEMENT_YES
                                               : AGREEMENT_NO;
        w->low = field_measure(&one, "low");
        w->high = field_measure(&one, "high");
        w->is_range = field_flag(&one, "is_range");
        const struct ratio *by = &r->ratios[w->by];
        size_t cell = r->plan.comparisons[by->comparison].first + by->server;
        field_agrees(&one, "metric", metric_name(by->metric));
        field_agrees_number(&one, "cell", (double)cell);
        check_place(&one, &r->plan, cell);
    }
}

static void read_fairness(struct result *r, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at); i++) {
        struct json_at one = json_at_index(at, i), name = key(&one, "item");
        struct json_at values = field_object(&one, "values");
        struct json_at reasons = field_object(&one, "reasons");
        struct fairness_item *item = xgrow(&r->fairness, &r->fairness_n, sizeof *item);
        item->name = xstrdup(json_at_text(&name));
        item->broken = field_flag(&one, "broken");
        item->value = xcalloc(r->plan.servers_n, sizeof *item->value);
        item->reason = xcalloc(r->plan.servers_n, sizeof *item->reason);
        for (size_t s = 0; s < r->plan.servers_n; s++) {
            const char *server = r->plan.servers[s].name;
            struct json_at reason = key(&reasons, server); /* not there when equal */
            item->value[s] = field_text(&values, server);
            item->reason[s] = reason.value ? xstrdup(json_at_text(&reason)) : NULL;
        }
    }
}

static void read_server_results(struct result *r, const struct json_at *at)
{
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        struct json_at one = json_at_index(at, i);
        read_facts(&r->servers[i].facts, &one, "facts");
        read_texts(&r->servers[i].conf, &one, "conf");
        r->servers[i].failed = field_text(&one, "failed");
    }
}

static enum run_state read_state(const struct json_at *parent)
{
    struct json_at at = key(parent, "state");
    for (int s = RUN_RUNNING; s <= RUN_FAILED; s++)
        if (strcmp(json_at_text(&at), run_state_name((enum run_state)s)) == 0)
            return (enum run_state)s;
    json_at_refuse(&at, "is no state of a run");
    return RUN_FAILED;
}

/* The plan first, for everything else refers to it. */
static void read_plan(struct plan *p, const struct json_at *root)
{
    struct json_at suite = key(root, "suite"), reference = key(root, "reference");
    struct json_at servers = field_array(root, "servers"), cells = field_array(root, "cells");
    suite_read(&p->suite, &suite);
    read_servers(p, &servers);
    if (!root->in->e->code)
        p->reference = server_index(p, &reference);
    if (!root->in->e->code)
        read_cells(p, &cells);
}

static void read_rest(struct result *r, const struct json_at *root)
{
    struct json_at servers = field_array(root, "servers"), cells = field_array(root, "cells");
    struct json_at ratios = field_array(root, "ratios"), trials = field_array(root, "trials");
    struct json_at fairness = field_array(root, "fairness");
    struct json_at witnesses = field_array(root, "witnesses");
    r->state = read_state(root);
    field_copy(root, "started", r->started, sizeof r->started);
    field_copy(root, "ended", r->ended, sizeof r->ended);
    r->command = field_text(root, "command");
    r->fingerprint = field_text(root, "fingerprint");
    read_facts(&r->environment, root, "environment");
    read_texts(&r->warnings, root, "warnings");
    read_server_results(r, &servers);
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        struct json_at one = json_at_index(&cells, i);
        read_cell_result(&r->cells[i], &one);
    }
    read_ratios(r, &ratios);
    read_witnesses(r, &witnesses);
    read_fairness(r, &fairness);
    read_trials(r, &trials);
}

int result_from_json(struct result *r, const char *text, const char *path, struct err *e)
{
    struct json_in in;
    struct err own = {0};
    struct plan plan = {0};
    *r = (struct result){0};
    if (json_in_text(&in, text, path, &own) == 0) {
        struct json_at root = json_in_root(&in);
        json_at_schema(&root, "parity/result", 1);
        if (!own.code)
            read_plan(&plan, &root);
        if (!own.code) {
            result_init(r, &plan);
            read_rest(r, &root);
        }
    }
    plan_fini(&plan);
    json_in_close(&in);
    return own.code ? err_set(e, own.code, "%s", own.text) : 0;
}
