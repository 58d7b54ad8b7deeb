/* duel_json: duel -> JSON text. What was not measured becomes null; slowdowns are written as logs
   (slowdown_ln) beside the percentages that people read. */
#include "model/duel.h"

#include "base/alloc.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *percent(double slowdown)
{
    return real(duel_percent_of_slowdown(slowdown));
}

/* Bytes that aren't UTF-8 (a tool's words, a path) become '?'. */
static json_t *text(const char *s)
{
    json_t *v = s ? json_string(s) : json_null();
    if (v)
        return v;
    char *copy = xstrdup(s);
    for (char *p = copy; *p; p++)
        *p = (unsigned char)*p >= 0x80 ? '?' : *p;
    v = json_string(copy);
    free(copy);
    return v;
}

static void put(json_t *object, const char *key, json_t *value)
{
    int rc = json_object_set_new(object, key, value);
    assert(rc == 0);
}

static json_t *facts_json(const struct facts *f)
{
    json_t *o = json_object();
    for (size_t i = 0; i < f->n; i++)
        put(o, f->item[i].key, f->item[i].text ? text(f->item[i].text) : real(f->item[i].number));
    return o;
}

static json_t *sides_json(const struct duel *d)
{
    json_t *o = json_object();
    for (int i = 0; i < DUEL_SIDES; i++)
        put(o, i == DUEL_A ? "a" : "b",
            json_pack("{s:o, s:o, s:o}", "name", text(d->side[i].name), "title",
                      text(d->side[i].title), "facts", facts_json(&d->side[i].facts)));
    return o;
}

static json_t *rules_json(const struct duel *d)
{
    const struct duel_rules *r = &d->rules;
    json_t *o = json_object(), *metrics = json_array();
    for (int m = 0; m < METRIC_COUNT; m++)
        if (r->metric[m])
            json_array_append_new(metrics, json_string(metric_name((enum metric)m)));
    put(o, "method", json_string(r->anytime ? "e_process" : "group_sequential_signed_rank"));
    put(o, "metrics", metrics);
    put(o, "composite", json_boolean(r->composite));
    put(o, "margin_percent", percent(r->margin));
    put(o, "detect_percent", percent(r->detect));
    put(o, "alpha", real(r->alpha));
    put(o, "beta", real(r->beta));
    put(o, "alpha_each", real(r->alpha_each));
    put(o, "alpha_bound", real(r->alpha_bound));
    put(o, "blocks", r->blocks ? json_integer((json_int_t)r->blocks) : json_null());
    put(o, "budget_s", real(d->budget_s));
    put(o, "block_s", real(d->block_s));
    return o;
}

static json_t *routes_json(const struct duel *d)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->routes_n; i++)
        json_array_append_new(
            a, json_pack("{s:s, s:o, s:b}", "route", route_get(d->routes[i])->name, "slice_s",
                         real(d->slice_s[i]), "client_bound", d->client_bound[i]));
    return a;
}

static json_t *side_figures_json(const struct duel_side_figures *f)
{
    json_t *o = json_object();
    put(o, "requests_per_s", real(f->requests_per_s));
    put(o, "cpu_ns_per_request", real(f->cpu_ns_per_request));
    put(o, "server_busy_share", real(f->server_busy));
    put(o, "client_busy_share", real(f->client_busy));
    put(o, "idle_share", real(f->idle_share));
    put(o, "errors", json_integer((json_int_t)f->errors));
    put(o, "error_kinds", text(f->what));
    return o;
}

static json_t *figures_json(const struct duel *d, const struct duel_block *b)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->routes_n; i++) {
        const struct duel_figures *f = &b->route[i];
        json_t *o = json_object();
        put(o, "route", json_string(route_get(d->routes[i])->name));
        put(o, "slices", json_integer((json_int_t)f->slices));
        put(o, "slowdown_ln",
            json_pack("{s:o, s:o}", metric_name(METRIC_THROUGHPUT),
                      real(f->slowdown[METRIC_THROUGHPUT]), metric_name(METRIC_CPU),
                      real(f->slowdown[METRIC_CPU])));
        put(o, "a", side_figures_json(&f->side[DUEL_A]));
        put(o, "b", side_figures_json(&f->side[DUEL_B]));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *blocks_json(const struct duel *d)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->blocks_n; i++) {
        const struct duel_block *b = &d->blocks[i];
        json_t *o = json_object();
        put(o, "block", json_integer(b->index));
        put(o, "order", json_string(b->order));
        put(o, "first_started", json_stringn(&b->first_started, 1));
        put(o, "first_url", json_stringn(&b->first_url, 1));
        put(o, "padding_bytes",
            json_pack("{s:i, s:i}", "a", (int)b->padding[DUEL_A], "b", (int)b->padding[DUEL_B]));
        put(o, "started_s", real(b->started_s));
        put(o, "seconds", real(b->seconds));
        put(o, "steal_share", real(b->steal_share));
        put(o, "dropped", b->dropped[0] ? text(b->dropped) : json_null());
        put(o, "note", b->note[0] ? text(b->note) : json_null());
        put(o, "routes", figures_json(d, b));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *course_json(const struct duel_series *s)
{
    json_t *a = json_array();
    for (size_t i = 0; i < s->course_n; i++)
        json_array_append_new(
            a, json_pack("{s:I, s:o, s:o, s:o}", "blocks", (json_int_t)s->course[i].n,
                         "estimate_percent", percent(s->course[i].estimate), "low_percent",
                         percent(s->course[i].low), "high_percent", percent(s->course[i].high)));
    return a;
}

static json_t *series_json(const struct duel *d)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->series_n; i++) {
        const struct duel_series *s = &d->series[i];
        json_t *o = json_object();
        put(o, "route", s->route < 0 ? json_null() : text(route_get(d->routes[s->route])->name));
        put(o, "metric", json_string(metric_name(s->metric)));
        put(o, "decision", json_string(decision_name(s->decision)));
        put(o, "client_bound", json_boolean(s->refused));
        put(o, "blocks", json_integer((json_int_t)s->n));
        put(o, "looks", json_integer((json_int_t)s->looks));
        put(o, "slowdown_ln", real(s->estimate));
        put(o, "slowdown_percent", percent(s->estimate));
        put(o, "ratio", real(s->metric == METRIC_CPU ? exp(s->estimate) : exp(-s->estimate)));
        put(o, "interval",
            json_pack("{s:o, s:o, s:o, s:o, s:I}", "estimate_percent",
                      percent(s->interval.estimate), "low_percent", percent(s->interval.low),
                      "high_percent", percent(s->interval.high), "confidence",
                      real(s->interval.confidence), "blocks", (json_int_t)s->interval.n));
        put(o, "block_sd_percent", real(s->sd * 100));
        put(o, "resolution_percent", real(s->resolution * 100));
        put(o, "detect_percent", percent(s->detect));
        put(o, "course", course_json(s));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *verdict_json(const struct duel *d)
{
    return json_pack("{s:s, s:s, s:o}", "verdict", duel_verdict_name(d->verdict), "cause",
                     duel_cause_name(d->cause), "reason", text(d->reason));
}

char *duel_to_json(const struct duel *d)
{
    json_t *o = verdict_json(d), *warnings = json_array();
    for (size_t i = 0; i < d->warnings.n; i++)
        json_array_append_new(warnings, text(d->warnings.item[i]));
    put(o, "schema", json_string("parity/duel"));
    put(o, "schema_version", json_integer(1));
    put(o, "state", json_string(run_state_name(d->state)));
    put(o, "started", text(d->started));
    put(o, "ended", d->ended[0] ? text(d->ended) : json_null());
    put(o, "elapsed_s", real(d->elapsed_s));
    put(o, "command", text(d->command));
    put(o, "environment", facts_json(&d->environment));
    put(o, "warnings", warnings);
    put(o, "sides", sides_json(d));
    put(o, "rules", rules_json(d));
    put(o, "routes", routes_json(d));
    put(o, "connections", json_integer(d->connections));
    put(o, "workers", json_integer(d->workers));
    put(o, "busy_poll", json_boolean(d->busy_poll));
    put(o, "seed", json_integer((json_int_t)d->seed));
    put(o, "overhead_s", real(d->overhead_s));
    put(o, "blocks_counted", json_integer((json_int_t)d->counted));
    put(o, "series", series_json(d));
    put(o, "blocks", blocks_json(d));
    char *json = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    assert(json);
    json_decref(o);
    return json;
}
