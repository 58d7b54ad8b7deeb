/* result_json: result -> JSON text. One function an object; what was not measured becomes null, so
   that no key ever disappears and no NaN is written (jansson refuses NaN: see json_out_real()). */
#include "model/result.h"

#include "base/alloc.h"
#include "model/json_out.h"
#include "model/trial_read.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *whole(int64_t v)
{
    return v < 0 ? json_null() : json_integer(v);
}

static json_t *blocks_of_json(const struct suite *s)
{
    json_t *o = json_object();
    for (size_t i = 0; i < s->generators.n; i++)
        if (suite_blocks(s, i) != s->blocks)
            json_out_put(o, s->generators.item[i], json_integer(suite_blocks(s, i)));
    return o;
}

static json_t *duration_of_json(const struct suite *s)
{
    json_t *o = json_object();
    for (size_t i = 0; i < s->generators.n; i++)
        if (suite_duration(s, i) != s->duration_s)
            json_out_put(o, s->generators.item[i], json_out_real(suite_duration(s, i)));
    return o;
}

static json_t *suite_json(const struct suite *s)
{
    json_t *o = json_object(), *routes = json_array(), *levels = json_array(),
           *modes = json_array();
    for (size_t i = 0; i < s->routes_n; i++)
        json_array_append_new(routes, json_out_text(route_get(s->routes[i])->name));
    for (size_t i = 0; i < s->connections_n; i++)
        json_array_append_new(levels, json_integer(s->connections[i]));
    if (s->keepalive)
        json_array_append_new(modes, json_string("keep-alive"));
    if (s->close)
        json_array_append_new(modes, json_string("close"));
    json_out_put(o, "schema", json_string("parity/suite"));
    json_out_put(o, "schema_version", json_integer(1));
    json_out_put(o, "name", json_out_text(s->name));
    json_out_put(o, "title", json_out_text(s->title));
    json_out_put(o, "servers", json_out_list(&s->servers));
    json_out_put(o, "reference", json_out_text(s->reference));
    json_out_put(o, "routes", routes);
    json_out_put(o, "generators", json_out_list(&s->generators));
    json_out_put(o, "connections", levels);
    json_out_put(o, "modes", modes);
    json_out_put(o, "workers", json_integer(s->workers));
    json_out_put(o, "blocks", json_integer(s->blocks));
    json_out_put(o, "blocks_of", blocks_of_json(s));
    json_out_put(o, "duration_s", json_out_real(s->duration_s));
    json_out_put(o, "duration_of", duration_of_json(s));
    json_out_put(o, "requests", json_integer((json_int_t)s->requests));
    json_out_put(o, "warmup_s", json_out_real(s->warmup_s));
    json_out_put(o, "seed", json_integer((json_int_t)s->seed));
    return o;
}

static json_t *servers_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        const struct manifest *m = &r->plan.servers[i];
        json_t *o = json_object();
        json_out_put(o, "name", json_out_text(m->name));
        json_out_put(o, "title", json_out_text(m->title));
        json_out_put(o, "manifest",
                     json_out_text(m->url                  ? m->url
                                   : strrchr(m->path, '/') ? strrchr(m->path, '/') + 1
                                                           : m->path));
        json_out_put(o, "running_already", json_boolean(m->url));
        if (m->limit)
            json_out_put(o, "limit", json_true());
        json_out_put(o, "facts", json_out_facts(&r->servers[i].facts));
        json_out_put(o, "conf", json_out_list(&r->servers[i].conf));
        json_out_put(o, "failed", json_out_text(r->servers[i].failed));
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
            json_out_put(values, r->plan.servers[s].name, json_out_text(item->value[s]));
            if (item->reason[s])
                json_out_put(reasons, r->plan.servers[s].name, json_out_text(item->reason[s]));
        }
        json_out_put(o, "item", json_out_text(item->name));
        json_out_put(o, "broken", json_boolean(item->broken));
        json_out_put(o, "values", values);
        json_out_put(o, "reasons", reasons);
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *latency_json(const double *p, double mean, double resolution, bool corrected,
                            bool censored)
{
    json_t *o = json_object();
    json_out_put(o, "mean", json_out_real(mean));
    for (int i = 0; i < LATENCY_N; i++)
        json_out_put(o, latency_keys[i], json_out_real(p[i]));
    json_out_put(o, "resolution", json_out_real(resolution));
    json_out_put(o, "corrected", json_boolean(corrected));
    json_out_put(o, "censored", json_boolean(censored));
    return o;
}

static void put_cell(json_t *o, const struct result *r, size_t index)
{
    const struct cell *c = &r->plan.cells[index];
    json_out_put(o, "cell", json_integer((json_int_t)index));
    json_out_put(o, "server", json_out_text(r->plan.servers[c->server].name));
    json_out_put(o, "route", json_out_text(route_get(c->route)->name));
    json_out_put(o, "generator", json_out_text(r->plan.suite.generators.item[c->generator]));
    json_out_put(o, "connections", json_integer(c->connections));
    json_out_put(o, "mode", json_string(c->keepalive ? "keep-alive" : "close"));
}

static json_t *cells_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        const struct cell_result *c = &r->cells[i];
        json_t *o = json_object();
        put_cell(o, r, i);
        json_out_put(o, "comparison", json_integer((json_int_t)r->plan.cells[i].comparison));
        const char *skipped = r->plan.cells[i].skipped; /* known before anything is judged */
        json_out_put(o, "verdict",
                     json_string(verdict_name(skipped ? VERDICT_SKIPPED : c->verdict)));
        json_out_put(o, "note", json_out_text(skipped ? skipped : c->note));
        json_out_put(o, "trials", json_integer(c->trials));
        json_out_put(o, "valid_trials", json_integer(c->valid));
        json_out_put(o, "requests_per_s", json_out_real(c->requests_per_s));
        json_out_put(o, "requests_per_s_min", json_out_real(c->requests_per_s_low));
        json_out_put(o, "requests_per_s_max", json_out_real(c->requests_per_s_high));
        json_out_put(o, "latency_us",
                     latency_json(c->latency, c->latency_mean, c->latency_resolution,
                                  c->latency_corrected, c->latency_censored));
        json_out_put(o, "cpu_ns_per_request", json_out_real(c->cpu_ns_per_request));
        json_out_put(o, "client_cpu_ns_per_request", json_out_real(c->client_cpu_ns_per_request));
        json_out_put(o, "server_busy", json_out_real(c->server_busy));
        json_out_put(o, "client_busy", json_out_real(c->client_busy));
        json_out_put(o, "peak_rss_kib", json_out_real(c->peak_rss_kib));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *tally_json(const struct tally *t)
{
    json_t *o = json_object(), *errors = json_object();
    for (int i = 0; i < ERROR_KINDS; i++)
        json_out_put(errors, error_kind_name((enum error_kind)i), whole(t->errors[i]));
    const struct latency *l = &t->latency;
    json_t *latency = latency_json(l->p, l->mean, l->resolution, l->corrected, l->censored);
    json_out_put(latency, "stdev", json_out_real(l->stdev));
    json_out_put(latency, "min", json_out_real(l->min));
    json_out_put(latency, "max", json_out_real(l->max));
    json_out_put(o, "duration_s", json_out_real(t->duration_s));
    json_out_put(o, "requests", whole(t->requests));
    json_out_put(o, "ok", whole(t->ok));
    json_out_put(o, "errors", errors);
    json_out_put(o, "threads", whole(t->threads));
    json_out_put(o, "connections", whole(t->connections));
    json_out_put(o, "reconnects", whole(t->reconnects));
    json_out_put(o, "bytes", whole(t->bytes));
    json_out_put(o, "reported_per_s", json_out_real(t->reported_per_s));
    json_out_put(o, "latency_us", latency);
    return o;
}

static json_t *usage_json(const struct usage *u)
{
    json_t *o = json_object();
    json_out_put(o, "wall_s", json_out_real(u->wall_s));
    json_out_put(o, "server_cpu_s", json_out_real(u->server_cpu_s));
    json_out_put(o, "client_cpu_s", json_out_real(u->client_cpu_s));
    json_out_put(o, "server_peak_rss_kib", json_out_real(u->server_peak_rss_kib));
    json_out_put(o, "server_switches", json_out_real(u->server_switches));
    json_out_put(o, "steal_share", json_out_real(u->steal_share));
    json_out_put(o, "neighbour_share", json_out_real(u->neighbour_share));
    json_out_put(o, "tcp_opens", json_out_real(u->tcp_opens));
    json_out_put(o, "tcp_retransmits", json_out_real(u->tcp_retransmits));
    json_out_put(o, "listen_overflows", json_out_real(u->listen_overflows));
    json_out_put(o, "time_wait_before", json_out_real(u->time_wait_before));
    json_out_put(o, "server_connections", json_out_real(u->server_connections));
    json_out_put(o, "server_requests", json_out_real(u->server_requests));
    json_out_put(o, "throttled_s", json_out_real(u->throttled_s));
    return o;
}

static json_t *metrics_json(const double *value)
{
    json_t *o = json_object();
    for (int m = 0; m < METRIC_COUNT; m++)
        json_out_put(o, metric_name((enum metric)m), json_out_real(value[m]));
    return o;
}

static json_t *trials_json(const struct result *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->trials_n; i++) {
        const struct trial *t = &r->trials[i];
        json_t *o = json_object();
        put_cell(o, r, t->cell);
        json_out_put(o, "block", json_integer(t->block));
        json_out_put(o, "position", json_integer(t->position));
        json_out_put(o, "started", json_out_text(t->started));
        json_out_put(o, "verdict", json_string(verdict_name(t->verdict)));
        json_out_put(o, "note", json_out_text(t->note));
        json_out_put(o, "raw", json_out_text(t->raw));
        json_out_put(o, "requests_per_s", json_out_real(trial_requests_per_s(t)));
        json_out_put(o, "cpu_ns_per_request", json_out_real(trial_server_cpu_ns(t)));
        json_out_put(o, "client_cpu_ns_per_request", json_out_real(trial_client_cpu_ns(t)));
        json_out_put(o, "tally", tally_json(&t->tally));
        json_out_put(o, "usage", usage_json(&t->usage));
        json_out_put(o, "paired_log_ratio", metrics_json(t->paired_log_ratio));
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
        json_out_put(o, "comparison", json_integer((json_int_t)x->comparison));
        json_out_put(o, "reference", json_out_text(r->plan.servers[r->plan.reference].name));
        json_out_put(o, "metric", json_string(metric_name(x->metric)));
        json_out_put(o, "estimate", json_out_real(x->value.estimate));
        json_out_put(o, "low", json_out_real(x->value.low));
        json_out_put(o, "high", json_out_real(x->value.high));
        json_out_put(o, "confidence", json_out_real(x->value.confidence));
        json_out_put(o, "paired", json_boolean(x->paired));
        json_out_put(o, "blocks", json_integer((json_int_t)x->value.n));
        json_out_put(o, "note", json_out_text(x->note));
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
        json_out_put(o, "metric", json_string(metric_name(x->metric)));
        json_out_put(o, "ratio", json_integer((json_int_t)w->ratio));
        json_out_put(o, "by", json_integer((json_int_t)w->by));
        json_out_put(o, "agrees",
                     w->agrees == AGREEMENT_OPEN ? json_null()
                                                 : json_boolean(w->agrees == AGREEMENT_YES));
        json_out_put(o, "low", json_out_real(w->low));
        json_out_put(o, "high", json_out_real(w->high));
        json_out_put(o, "is_range", json_boolean(w->is_range));
        json_array_append_new(a, o);
    }
    return a;
}

char *result_to_json(const struct result *r)
{
    json_t *o = json_object();
    json_out_put(o, "schema", json_string("parity/result"));
    json_out_put(o, "schema_version", json_integer(1));
    json_out_put(o, "state", json_string(run_state_name(r->state)));
    json_out_put(o, "started", json_out_text(r->started));
    json_out_put(o, "ended", r->ended[0] ? json_out_text(r->ended) : json_null());
    json_out_put(o, "command", json_out_text(r->command));
    json_out_put(o, "fingerprint", json_out_text(r->fingerprint));
    json_out_put(o, "reference", json_out_text(r->plan.servers[r->plan.reference].name));
    json_out_put(o, "environment", json_out_facts(&r->environment));
    json_out_put(o, "warnings", json_out_list(&r->warnings));
    json_out_put(o, "suite", suite_json(&r->plan.suite));
    json_out_put(o, "servers", servers_json(r));
    json_out_put(o, "cells", cells_json(r));
    json_out_put(o, "ratios", ratios_json(r));
    json_out_put(o, "witnesses", witnesses_json(r));
    json_out_put(o, "fairness", fairness_json(r));
    json_out_put(o, "trials", trials_json(r));
    char *out = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(o);
    assert(out);
    return out;
}
