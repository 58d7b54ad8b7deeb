/* result_json: result -> JSON text. One function an object; what was not measured becomes null, so
   that no key ever disappears and no NaN is written (jansson refuses NaN: see real()). */
#include "model/result.h"

#include "base/alloc.h"
#include "model/trial_read.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *whole(int64_t v)
{
    return v < 0 ? json_null() : json_integer(v);
}

/* Text of any origin (logs, tools): bytes that aren't UTF-8 become '?', so that no key is lost. */
static json_t *text(const char *s)
{
    if (!s)
        return json_null();
    json_t *v = json_string(s);
    if (v)
        return v;
    char *copy = xstrdup(s);
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    v = json_string(copy);
    free(copy);
    assert(v);
    return v;
}

static void put(json_t *object, const char *key, json_t *value)
{
    int rc = json_object_set_new(object, key, value);
    assert(rc == 0);
}

static json_t *list(const struct strings *s)
{
    json_t *a = json_array();
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(a, text(s->item[i]));
    return a;
}

static json_t *facts_json(const struct facts *f)
{
    json_t *o = json_object();
    for (size_t i = 0; i < f->n; i++)
        put(o, f->item[i].key, f->item[i].text ? text(f->item[i].text) : real(f->item[i].number));
    return o;
}

static json_t *blocks_of_json(const struct suite *s)
{
    json_t *o = json_object();
    for (size_t i = 0; i < s->generators.n; i++)
        if (suite_blocks(s, i) != s->blocks)
            put(o, s->generators.item[i], json_integer(suite_blocks(s, i)));
    return o;
}

static json_t *duration_of_json(const struct suite *s)
{
    json_t *o = json_object();
    for (size_t i = 0; i < s->generators.n; i++)
        if (suite_duration(s, i) != s->duration_s)
            put(o, s->generators.item[i], real(suite_duration(s, i)));
    return o;
}

static json_t *suite_json(const struct suite *s)
{
    json_t *o = json_object(), *routes = json_array(), *levels = json_array(),
           *modes = json_array();
    for (size_t i = 0; i < s->routes_n; i++)
        json_array_append_new(routes, text(route_get(s->routes[i])->name));
    for (size_t i = 0; i < s->connections_n; i++)
        json_array_append_new(levels, json_integer(s->connections[i]));
    if (s->keepalive)
        json_array_append_new(modes, json_string("keep-alive"));
    if (s->close)
        json_array_append_new(modes, json_string("close"));
    put(o, "schema", json_string("parity/suite"));
    put(o, "schema_version", json_integer(1));
    put(o, "name", text(s->name));
    put(o, "title", text(s->title));
    put(o, "servers", list(&s->servers));
    put(o, "reference", text(s->reference));
    put(o, "routes", routes);
    put(o, "generators", list(&s->generators));
    put(o, "connections", levels);
    put(o, "modes", modes);
    put(o, "workers", json_integer(s->workers));
    put(o, "blocks", json_integer(s->blocks));
    put(o, "blocks_of", blocks_of_json(s));
    put(o, "duration_s", real(s->duration_s));
    put(o, "duration_of", duration_of_json(s));
    put(o, "requests", json_integer((json_int_t)s->requests));
    put(o, "warmup_s", real(s->warmup_s));
    put(o, "seed", json_integer((json_int_t)s->seed));
    return o;
}

static json_t *servers_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        const struct manifest *m = &r->plan.servers[i];
        json_t *o = json_object();
        put(o, "name", text(m->name));
        put(o, "title", text(m->title));
        put(o, "manifest",
            text(m->url                  ? m->url
                 : strrchr(m->path, '/') ? strrchr(m->path, '/') + 1
                                         : m->path));
        put(o, "running_already", json_boolean(m->url));
        if (m->limit)
            put(o, "limit", json_true());
        put(o, "facts", facts_json(&r->servers[i].facts));
        put(o, "conf", list(&r->servers[i].conf));
        put(o, "failed", text(r->servers[i].failed));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *fairness_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->fairness_n; i++) {
        const struct fairness_item *item = &r->fairness[i];
        json_t *o = json_object(), *values = json_object(), *reasons = json_object();
        for (size_t s = 0; s < r->plan.servers_n; s++) {
            put(values, r->plan.servers[s].name, text(item->value[s]));
            if (item->reason[s])
                put(reasons, r->plan.servers[s].name, text(item->reason[s]));
        }
        put(o, "item", text(item->name));
        put(o, "broken", json_boolean(item->broken));
        put(o, "values", values);
        put(o, "reasons", reasons);
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *latency_json(const double *p, double mean, double resolution, bool corrected,
                            bool censored)
{
    json_t *o = json_object();
    put(o, "mean", real(mean));
    for (int i = 0; i < LATENCY_N; i++)
        put(o, latency_keys[i], real(p[i]));
    put(o, "resolution", real(resolution));
    put(o, "corrected", json_boolean(corrected));
    put(o, "censored", json_boolean(censored));
    return o;
}

static void put_cell(json_t *o, const struct result *r, size_t index)
{
    const struct cell *c = &r->plan.cells[index];
    put(o, "cell", json_integer((json_int_t)index));
    put(o, "server", text(r->plan.servers[c->server].name));
    put(o, "route", text(route_get(c->route)->name));
    put(o, "generator", text(r->plan.suite.generators.item[c->generator]));
    put(o, "connections", json_integer(c->connections));
    put(o, "mode", json_string(c->keepalive ? "keep-alive" : "close"));
}

static json_t *cells_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        const struct cell_result *c = &r->cells[i];
        json_t *o = json_object();
        put_cell(o, r, i);
        put(o, "comparison", json_integer((json_int_t)r->plan.cells[i].comparison));
        const char *skipped = r->plan.cells[i].skipped; /* known before anything is judged */
        put(o, "verdict", json_string(verdict_name(skipped ? VERDICT_SKIPPED : c->verdict)));
        put(o, "note", text(skipped ? skipped : c->note));
        put(o, "trials", json_integer(c->trials));
        put(o, "valid_trials", json_integer(c->valid));
        put(o, "requests_per_s", real(c->requests_per_s));
        put(o, "requests_per_s_min", real(c->requests_per_s_low));
        put(o, "requests_per_s_max", real(c->requests_per_s_high));
        put(o, "latency_us",
            latency_json(c->latency, c->latency_mean, c->latency_resolution, c->latency_corrected,
                         c->latency_censored));
        put(o, "cpu_ns_per_request", real(c->cpu_ns_per_request));
        put(o, "client_cpu_ns_per_request", real(c->client_cpu_ns_per_request));
        put(o, "server_busy", real(c->server_busy));
        put(o, "client_busy", real(c->client_busy));
        put(o, "peak_rss_kib", real(c->peak_rss_kib));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *tally_json(const struct tally *t)
{
    json_t *o = json_object(), *errors = json_object();
    for (int i = 0; i < ERROR_KINDS; i++)
        put(errors, error_kind_name((enum error_kind)i), whole(t->errors[i]));
    const struct latency *l = &t->latency;
    json_t *latency = latency_json(l->p, l->mean, l->resolution, l->corrected, l->censored);
    put(latency, "stdev", real(l->stdev));
    put(latency, "min", real(l->min));
    put(latency, "max", real(l->max));
    put(o, "duration_s", real(t->duration_s));
    put(o, "requests", whole(t->requests));
    put(o, "ok", whole(t->ok));
    put(o, "errors", errors);
    put(o, "threads", whole(t->threads));
    put(o, "connections", whole(t->connections));
    put(o, "reconnects", whole(t->reconnects));
    put(o, "bytes", whole(t->bytes));
    put(o, "reported_per_s", real(t->reported_per_s));
    put(o, "latency_us", latency);
    return o;
}

static json_t *usage_json(const struct usage *u)
{
    json_t *o = json_object();
    put(o, "wall_s", real(u->wall_s));
    put(o, "server_cpu_s", real(u->server_cpu_s));
    put(o, "client_cpu_s", real(u->client_cpu_s));
    put(o, "server_peak_rss_kib", real(u->server_peak_rss_kib));
    put(o, "server_switches", real(u->server_switches));
    put(o, "steal_share", real(u->steal_share));
    put(o, "neighbour_share", real(u->neighbour_share));
    put(o, "tcp_opens", real(u->tcp_opens));
    put(o, "tcp_retransmits", real(u->tcp_retransmits));
    put(o, "listen_overflows", real(u->listen_overflows));
    put(o, "time_wait_before", real(u->time_wait_before));
    put(o, "server_connections", real(u->server_connections));
    put(o, "server_requests", real(u->server_requests));
    put(o, "throttled_s", real(u->throttled_s));
    return o;
}

static json_t *metrics_json(const double *value)
{
    json_t *o = json_object();
    for (int m = 0; m < METRIC_COUNT; m++)
        put(o, metric_name((enum metric)m), real(value[m]));
    return o;
}

static json_t *trials_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->trials_n; i++) {
        const struct trial *t = &r->trials[i];
        json_t *o = json_object();
        put_cell(o, r, t->cell);
        put(o, "block", json_integer(t->block));
        put(o, "position", json_integer(t->position));
        put(o, "started", text(t->started));
        put(o, "verdict", json_string(verdict_name(t->verdict)));
        put(o, "note", text(t->note));
        put(o, "raw", text(t->raw));
        put(o, "requests_per_s", real(trial_requests_per_s(t)));
        put(o, "cpu_ns_per_request", real(trial_server_cpu_ns(t)));
        put(o, "client_cpu_ns_per_request", real(trial_client_cpu_ns(t)));
        put(o, "tally", tally_json(&t->tally));
        put(o, "usage", usage_json(&t->usage));
        put(o, "paired_log_ratio", metrics_json(t->paired_log_ratio));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *ratios_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->ratios_n; i++) {
        const struct ratio *x = &r->ratios[i];
        const struct comparison *c = &r->plan.comparisons[x->comparison];
        json_t *o = json_object();
        put_cell(o, r, c->first + x->server);
        put(o, "comparison", json_integer((json_int_t)x->comparison));
        put(o, "reference", text(r->plan.servers[r->plan.reference].name));
        put(o, "metric", json_string(metric_name(x->metric)));
        put(o, "estimate", real(x->value.estimate));
        put(o, "low", real(x->value.low));
        put(o, "high", real(x->value.high));
        put(o, "confidence", real(x->value.confidence));
        put(o, "paired", json_boolean(x->paired));
        put(o, "blocks", json_integer((json_int_t)x->value.n));
        put(o, "note", text(x->note));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *witnesses_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->witnesses_n; i++) {
        const struct witness *w = &r->witnesses[i];
        const struct ratio *x = &r->ratios[w->ratio], *by = &r->ratios[w->by];
        json_t *o = json_object();
        put_cell(o, r, r->plan.comparisons[by->comparison].first + by->server);
        put(o, "metric", json_string(metric_name(x->metric)));
        put(o, "ratio", json_integer((json_int_t)w->ratio));
        put(o, "by", json_integer((json_int_t)w->by));
        put(o, "agrees",
            w->agrees == AGREEMENT_OPEN ? json_null() : json_boolean(w->agrees == AGREEMENT_YES));
        put(o, "low", real(w->low));
        put(o, "high", real(w->high));
        put(o, "is_range", json_boolean(w->is_range));
        json_array_append_new(a, o);
    }
    return a;
}

char *result_to_json(const struct result *r)
{
    json_t *o = json_object();
    put(o, "schema", json_string("parity/result"));
    put(o, "schema_version", json_integer(1));
    put(o, "state", json_string(run_state_name(r->state)));
    put(o, "started", text(r->started));
    put(o, "ended", r->ended[0] ? text(r->ended) : json_null());
    put(o, "command", text(r->command));
    put(o, "fingerprint", text(r->fingerprint));
    put(o, "reference", text(r->plan.servers[r->plan.reference].name));
    put(o, "environment", facts_json(&r->environment));
    put(o, "warnings", list(&r->warnings));
    put(o, "suite", suite_json(&r->plan.suite));
    put(o, "servers", servers_json(r));
    put(o, "cells", cells_json(r));
    put(o, "ratios", ratios_json(r));
    put(o, "witnesses", witnesses_json(r));
    put(o, "fairness", fairness_json(r));
    put(o, "trials", trials_json(r));
    char *out = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(o);
    assert(out);
    return out;
}
