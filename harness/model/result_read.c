/* result_read: JSON text -> result. The inverse of result_json.c, for `parity report` and --resume.
   It needs nothing but the text: manifests and programs may be gone. */
#include "model/result.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/json_in.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_at key(const struct json_at *at, const char *name)
{
    return json_at_key(at, name);
}

static bool is_null(const struct json_at *at)
{
    return json_is_null(at->value);
}

static char *copy_or_null(const struct json_at *at)
{
    return is_null(at) ? NULL : xstrdup(json_at_text(at));
}

static void copy_text(char *to, size_t size, const struct json_at *parent, const char *name)
{
    struct json_at at = key(parent, name);
    snprintf(to, size, "%s", is_null(&at) ? "" : json_at_text(&at));
}

static double measure(const struct json_at *parent, const char *name)
{
    struct json_at at = key(parent, name);
    return json_at_measure(&at);
}

static int64_t count(const struct json_at *parent, const char *name)
{
    struct json_at at = key(parent, name);
    return is_null(&at) ? -1 : (int64_t)json_at_whole(&at, 0, INT64_MAX);
}

/* An index below n; 0 and a refusal otherwise. */
static size_t index_below(const struct json_at *parent, const char *name, size_t n)
{
    struct json_at at = key(parent, name);
    return (size_t)json_at_whole(&at, 0, n ? n - 1 : 0);
}

static void read_facts(struct facts *f, const struct json_at *at)
{
    const char *name;
    json_t *value;
    json_object_foreach(at->value, name, value)
    {
        if (json_is_string(value))
            facts_text(f, name, json_string_value(value));
        else
            facts_number(f, name, json_is_number(value) ? json_number_value(value) : NAN);
    }
}

static void read_servers(struct plan *p, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at); i++) {
        struct json_at one = json_at_index(at, i), name = key(&one, "name");
        struct json_at title = key(&one, "title"), path = key(&one, "manifest");
        struct json_at running = key(&one, "running_already");
        struct manifest *m = xgrow(&p->servers, &p->servers_n, sizeof *m);
        m->name = xstrdup(json_at_text(&name));
        m->title = xstrdup(json_at_text(&title));
        m->path = xstrdup(json_at_text(&path));
        m->dir = xstrdup(".");
        m->url = json_at_bool_or(&running, false) ? xstrdup(m->path) : NULL;
    }
    if (p->servers_n == 0)
        json_at_refuse(at, "must name at least one server");
}

static size_t server_index(const struct plan *p, const struct json_at *at)
{
    const char *name = json_at_text(at);
    for (size_t i = 0; i < p->servers_n; i++)
        if (strcmp(p->servers[i].name, name) == 0)
            return i;
    json_at_refuse(at, "\"%s\" is none of the servers", name);
    return 0;
}

static void read_cell(struct plan *p, const struct json_at *at)
{
    struct json_at server = key(at, "server"), route = key(at, "route"),
                   tool = key(at, "generator");
    struct json_at level = key(at, "connections"), mode = key(at, "mode"), note = key(at, "note");
    struct json_at verdict = key(at, "verdict");
    struct cell *c = xgrow(&p->cells, &p->cells_n, sizeof *c);
    int id = route_find(json_at_text(&route));
    c->server = server_index(p, &server);
    c->route = id < 0 ? ROUTE_HEALTH : (enum route_id)id;
    c->connections = (unsigned)json_at_whole(&level, 1, 1000000);
    c->keepalive = strcmp(json_at_text(&mode), "keep-alive") == 0;
    c->comparison = (size_t)count(at, "comparison");
    if (strcmp(json_at_text(&verdict), verdict_name(VERDICT_SKIPPED)) == 0)
        c->skipped = xstrdup(json_at_text(&note));
    const struct strings *tools = &p->suite.generators;
    while (c->generator < tools->n && strcmp(tools->item[c->generator], json_at_text(&tool)) != 0)
        c->generator++;
    if (id < 0)
        json_at_refuse(&route, "is no route");
    if (c->generator >= tools->n)
        json_at_refuse(&tool, "is none of the suite's generators");
}

/* Comparisons are as many cells as there are servers, in order. */
static void read_cells(struct plan *p, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at) && !at->in->e->code; i++) {
        struct json_at one = json_at_index(at, i);
        read_cell(p, &one);
        size_t want = i / p->servers_n;
        if (p->cells[i].comparison != want || p->cells[i].server != i % p->servers_n) {
            json_at_refuse(&one, "is out of order: one cell per server and comparison is expected");
            return;
        }
        if (i % p->servers_n == 0) {
            struct comparison *c = xgrow(&p->comparisons, &p->comparisons_n, sizeof *c);
            *c = (struct comparison){.first = i, .n = p->servers_n};
        }
    }
    if (p->servers_n == 0 || p->cells_n % p->servers_n != 0)
        json_at_refuse(at, "must have one cell per server and comparison");
}

static const char *const percentiles[LATENCY_N] = {"p50", "p75", "p90", "p99", "p99_9", "p99_99"};

static enum verdict read_verdict(const struct json_at *parent)
{
    struct json_at at = key(parent, "verdict");
    int v = verdict_find(json_at_text(&at));
    if (v < 0)
        json_at_refuse(&at, "is no verdict");
    return v < 0 ? VERDICT_NOT_RUN : (enum verdict)v;
}

static bool flag(const struct json_at *parent, const char *name)
{
    struct json_at at = key(parent, name);
    return json_at_bool_or(&at, false);
}

static void read_cell_result(struct cell_result *c, const struct json_at *at)
{
    struct json_at l = key(at, "latency_us");
    c->verdict = read_verdict(at);
    copy_text(c->note, sizeof c->note, at, "note");
    c->trials = (unsigned)count(at, "trials");
    c->valid = (unsigned)count(at, "valid_trials");
    c->requests_per_s = measure(at, "requests_per_s");
    c->requests_per_s_low = measure(at, "requests_per_s_min");
    c->requests_per_s_high = measure(at, "requests_per_s_max");
    for (int i = 0; i < LATENCY_N; i++)
        c->latency[i] = measure(&l, percentiles[i]);
    c->latency_mean = measure(&l, "mean");
    c->latency_resolution = measure(&l, "resolution");
    c->latency_corrected = flag(&l, "corrected");
    c->latency_censored = flag(&l, "censored");
    c->cpu_ns_per_request = measure(at, "cpu_ns_per_request");
    c->client_cpu_ns_per_request = measure(at, "client_cpu_ns_per_request");
    c->server_busy = measure(at, "server_busy");
    c->client_busy = measure(at, "client_busy");
    c->peak_rss_kib = measure(at, "peak_rss_kib");
}

static void read_tally(struct tally *t, const struct json_at *at)
{
    struct json_at errors = key(at, "errors"), l = key(at, "latency_us");
    t->duration_s = measure(at, "duration_s");
    t->requests = count(at, "requests");
    t->ok = count(at, "ok");
    for (int i = 0; i < ERROR_KINDS; i++)
        t->errors[i] = count(&errors, error_kind_name((enum error_kind)i));
    t->threads = count(at, "threads");
    t->connections = count(at, "connections");
    t->reconnects = count(at, "reconnects");
    t->bytes = count(at, "bytes");
    t->reported_per_s = measure(at, "reported_per_s");
    t->latency.mean = measure(&l, "mean");
    t->latency.stdev = measure(&l, "stdev");
    t->latency.min = measure(&l, "min");
    t->latency.max = measure(&l, "max");
    for (int i = 0; i < LATENCY_N; i++)
        t->latency.p[i] = measure(&l, percentiles[i]);
    t->latency.resolution = measure(&l, "resolution");
    t->latency.corrected = flag(&l, "corrected");
    t->latency.censored = flag(&l, "censored");
}

static void read_usage(struct usage *u, const struct json_at *at)
{
    u->wall_s = measure(at, "wall_s");
    u->server_cpu_s = measure(at, "server_cpu_s");
    u->client_cpu_s = measure(at, "client_cpu_s");
    u->server_peak_rss_kib = measure(at, "server_peak_rss_kib");
    u->server_switches = measure(at, "server_switches");
    u->steal_share = measure(at, "steal_share");
    u->neighbour_share = measure(at, "neighbour_share");
    u->tcp_opens = measure(at, "tcp_opens");
    u->tcp_retransmits = measure(at, "tcp_retransmits");
    u->listen_overflows = measure(at, "listen_overflows");
    u->time_wait_before = measure(at, "time_wait_before");
    u->throttled_s = measure(at, "throttled_s");
}

static void read_trials(struct result *r, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at) && !at->in->e->code; i++) {
        struct json_at one = json_at_index(at, i), tally = key(&one, "tally");
        struct json_at usage = key(&one, "usage");
        struct trial *t = xgrow(&r->trials, &r->trials_n, sizeof *t);
        trial_init(t);
        t->cell = index_below(&one, "cell", r->plan.cells_n);
        t->block = (unsigned)count(&one, "block");
        t->position = (unsigned)count(&one, "position");
        t->verdict = read_verdict(&one);
        copy_text(t->note, sizeof t->note, &one, "note");
        copy_text(t->started, sizeof t->started, &one, "started");
        copy_text(t->raw, sizeof t->raw, &one, "raw");
        read_tally(&t->tally, &tally);
        read_usage(&t->usage, &usage);
    }
}

static void read_ratios(struct result *r, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at); i++) {
        struct json_at one = json_at_index(at, i), server = key(&one, "server");
        struct json_at metric = key(&one, "metric");
        struct ratio *x = xgrow(&r->ratios, &r->ratios_n, sizeof *x);
        x->comparison = index_below(&one, "comparison", r->plan.comparisons_n);
        x->server = server_index(&r->plan, &server);
        x->metric = strcmp(json_at_text(&metric), metric_name(METRIC_CPU)) == 0 ? METRIC_CPU
                                                                                : METRIC_THROUGHPUT;
        x->value.estimate = measure(&one, "estimate");
        x->value.low = measure(&one, "low");
        x->value.high = measure(&one, "high");
        x->value.confidence = measure(&one, "confidence");
        x->value.n = (size_t)count(&one, "blocks");
        copy_text(x->note, sizeof x->note, &one, "note");
    }
}

static void read_fairness(struct result *r, const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at); i++) {
        struct json_at one = json_at_index(at, i), name = key(&one, "item");
        struct json_at values = key(&one, "values"), reasons = key(&one, "reasons");
        struct fairness_item *item = xgrow(&r->fairness, &r->fairness_n, sizeof *item);
        item->name = xstrdup(json_at_text(&name));
        item->broken = flag(&one, "broken");
        item->value = xcalloc(r->plan.servers_n, sizeof *item->value);
        item->reason = xcalloc(r->plan.servers_n, sizeof *item->reason);
        for (size_t s = 0; s < r->plan.servers_n; s++) {
            struct json_at value = key(&values, r->plan.servers[s].name);
            struct json_at reason = key(&reasons, r->plan.servers[s].name);
            item->value[s] = copy_or_null(&value);
            item->reason[s] = reason.value ? copy_or_null(&reason) : NULL;
        }
    }
}

static void read_server_results(struct result *r, const struct json_at *at)
{
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        struct json_at one = json_at_index(at, i), facts = key(&one, "facts");
        struct json_at conf = key(&one, "conf"), failed = key(&one, "failed");
        read_facts(&r->servers[i].facts, &facts);
        json_at_strings(&conf, &r->servers[i].conf);
        r->servers[i].failed = copy_or_null(&failed);
    }
}

static enum run_state read_state(const struct json_at *at)
{
    for (int s = RUN_RUNNING; s <= RUN_FAILED; s++)
        if (strcmp(json_at_text(at), run_state_name((enum run_state)s)) == 0)
            return (enum run_state)s;
    json_at_refuse(at, "is no state of a run");
    return RUN_FAILED;
}

/* The plan first, for everything else refers to it. */
static void read_plan(struct plan *p, const struct json_at *root)
{
    struct json_at suite = key(root, "suite"), servers = key(root, "servers");
    struct json_at cells = key(root, "cells"), reference = key(root, "reference");
    suite_read(&p->suite, &suite);
    read_servers(p, &servers);
    if (!root->in->e->code)
        p->reference = server_index(p, &reference);
    if (!root->in->e->code)
        read_cells(p, &cells);
}

static void read_rest(struct result *r, const struct json_at *root)
{
    struct json_at state = key(root, "state"), command = key(root, "command");
    struct json_at print = key(root, "fingerprint"), env = key(root, "environment");
    struct json_at warnings = key(root, "warnings"), servers = key(root, "servers");
    struct json_at cells = key(root, "cells"), ratios = key(root, "ratios");
    struct json_at fairness = key(root, "fairness"), trials = key(root, "trials");
    r->state = read_state(&state);
    copy_text(r->started, sizeof r->started, root, "started");
    copy_text(r->ended, sizeof r->ended, root, "ended");
    r->command = copy_or_null(&command);
    r->fingerprint = copy_or_null(&print);
    read_facts(&r->environment, &env);
    json_at_strings(&warnings, &r->warnings);
    read_server_results(r, &servers);
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        struct json_at one = json_at_index(&cells, i);
        read_cell_result(&r->cells[i], &one);
    }
    read_ratios(r, &ratios);
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
