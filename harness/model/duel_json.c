/* duel_json: duel -> JSON text. What was not measured becomes null; slowdowns are written as logs
   (slowdown_ln) beside the percentages that people read. */
#include "model/duel.h"

#include "base/alloc.h"
#include "model/json_out.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *percent(double slowdown)
{
    return json_out_real(duel_percent_of_slowdown(slowdown));
}

static json_t *sides_json(const struct duel *d)
{
    json_t *o = json_object();
    for (int i = 0; i < DUEL_SIDES; i++)
        json_out_put(o, i == DUEL_A ? "a" : "b",
                     json_pack("{s:o, s:o, s:o}", "name", json_out_text(d->side[i].name), "title",
                               json_out_text(d->side[i].title), "facts",
                               json_out_facts(&d->side[i].facts)));
    return o;
}

static json_t *rules_json(const struct duel *d)
{
    const struct duel_rules *r = &d->rules;
    json_t *o = json_object(), *metrics = json_array();
    for (int m = 0; m < METRIC_COUNT; m++)
        if (r->metric[m])
            json_array_append_new(metrics, json_string(metric_name((enum metric)m)));
    json_out_put(o, "method",
                 json_string(r->anytime ? "e_process" : "group_sequential_signed_rank"));
    json_out_put(o, "metrics", metrics);
    json_out_put(o, "composite", json_boolean(r->composite));
    json_out_put(o, "margin_percent", percent(r->margin));
    json_out_put(o, "detect_percent", percent(r->detect));
    json_out_put(o, "alpha", json_out_real(r->alpha));
    json_out_put(o, "beta", json_out_real(r->beta));
    json_out_put(o, "alpha_each", json_out_real(r->alpha_each));
    json_out_put(o, "alpha_bound", json_out_real(r->alpha_bound));
    json_out_put(o, "blocks", r->blocks ? json_integer((json_int_t)r->blocks) : json_null());
    json_out_put(o, "budget_s", json_out_real(d->budget_s));
    json_out_put(o, "block_s", json_out_real(d->block_s));
    return o;
}

static json_t *routes_json(const struct duel *d)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->routes_n; i++)
        json_array_append_new(
            a, json_pack("{s:s, s:o, s:b}", "route", route_get(d->routes[i])->name, "slice_s",
                         json_out_real(d->slice_s[i]), "client_bound", d->client_bound[i]));
    return a;
}

static json_t *side_figures_json(const struct duel_side_figures *f)
{
    json_t *o = json_object();
    json_out_put(o, "requests_per_s", json_out_real(f->requests_per_s));
    json_out_put(o, "cpu_ns_per_request", json_out_real(f->cpu_ns_per_request));
    json_out_put(o, "server_busy_share", json_out_real(f->server_busy));
    json_out_put(o, "client_busy_share", json_out_real(f->client_busy));
    json_out_put(o, "idle_share", json_out_real(f->idle_share));
    json_out_put(o, "errors", json_integer((json_int_t)f->errors));
    json_out_put(o, "error_kinds", json_out_text(f->what));
    return o;
}

static json_t *figures_json(const struct duel *d, const struct duel_block *b)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->routes_n; i++) {
        const struct duel_figures *f = &b->route[i];
        json_t *o = json_object();
        json_out_put(o, "route", json_string(route_get(d->routes[i])->name));
        json_out_put(o, "slices", json_integer((json_int_t)f->slices));
        json_out_put(o, "slowdown_ln",
                     json_pack("{s:o, s:o}", metric_name(METRIC_THROUGHPUT),
                               json_out_real(f->slowdown[METRIC_THROUGHPUT]),
                               metric_name(METRIC_CPU), json_out_real(f->slowdown[METRIC_CPU])));
        json_out_put(o, "a", side_figures_json(&f->side[DUEL_A]));
        json_out_put(o, "b", side_figures_json(&f->side[DUEL_B]));
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
        json_out_put(o, "block", json_integer(b->index));
        json_out_put(o, "order", json_string(b->order));
        json_out_put(o, "first_started", json_stringn(&b->first_started, 1));
        json_out_put(o, "first_url", json_stringn(&b->first_url, 1));
        json_out_put(
            o, "padding_bytes",
            json_pack("{s:i, s:i}", "a", (int)b->padding[DUEL_A], "b", (int)b->padding[DUEL_B]));
        json_out_put(o, "started_s", json_out_real(b->started_s));
        json_out_put(o, "seconds", json_out_real(b->seconds));
        json_out_put(o, "steal_share", json_out_real(b->steal_share));
        json_out_put(o, "dropped", b->dropped[0] ? json_out_text(b->dropped) : json_null());
        json_out_put(o, "note", b->note[0] ? json_out_text(b->note) : json_null());
        json_out_put(o, "routes", figures_json(d, b));
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
        json_out_put(o, "route",
                     s->route < 0 ? json_null()
                                  : json_out_text(route_get(d->routes[s->route])->name));
        json_out_put(o, "metric", json_string(metric_name(s->metric)));
        json_out_put(o, "decision", json_string(decision_name(s->decision)));
        json_out_put(o, "client_bound", json_boolean(s->refused));
        json_out_put(o, "blocks", json_integer((json_int_t)s->n));
        json_out_put(o, "looks", json_integer((json_int_t)s->looks));
        json_out_put(o, "slowdown_ln", json_out_real(s->estimate));
        json_out_put(o, "slowdown_percent", percent(s->estimate));
        json_out_put(o, "ratio",
                     json_out_real(s->metric == METRIC_CPU ? exp(s->estimate) : exp(-s->estimate)));
        json_out_put(o, "interval",
                     json_pack("{s:o, s:o, s:o, s:o, s:I}", "estimate_percent",
                               percent(s->interval.estimate), "low_percent",
                               percent(s->interval.low), "high_percent", percent(s->interval.high),
                               "confidence", json_out_real(s->interval.confidence), "blocks",
                               (json_int_t)s->interval.n));
        json_out_put(o, "block_sd_percent", json_out_real(s->sd * 100));
        json_out_put(o, "resolution_percent", json_out_real(s->resolution * 100));
        json_out_put(o, "detect_percent", percent(s->detect));
        json_out_put(o, "course", course_json(s));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *verdict_json(const struct duel *d)
{
    return json_pack("{s:s, s:s, s:o}", "verdict", duel_verdict_name(d->verdict), "cause",
                     duel_cause_name(d->cause), "reason", json_out_text(d->reason));
}

char *duel_to_json(const struct duel *d)
{
    json_t *o = verdict_json(d);
    json_out_put(o, "schema", json_string("parity/duel"));
    json_out_put(o, "schema_version", json_integer(1));
    json_out_put(o, "state", json_string(run_state_name(d->state)));
    json_out_put(o, "started", json_out_text(d->started));
    json_out_put(o, "ended", d->ended[0] ? json_out_text(d->ended) : json_null());
    json_out_put(o, "elapsed_s", json_out_real(d->elapsed_s));
    json_out_put(o, "command", json_out_text(d->command));
    json_out_put(o, "environment", json_out_facts(&d->environment));
    json_out_put(o, "warnings", json_out_list(&d->warnings));
    json_out_put(o, "sides", sides_json(d));
    json_out_put(o, "rules", rules_json(d));
    json_out_put(o, "routes", routes_json(d));
    json_out_put(o, "connections", json_integer(d->connections));
    json_out_put(o, "workers", json_integer(d->workers));
    json_out_put(o, "busy_poll", json_boolean(d->busy_poll));
    json_out_put(o, "seed", json_integer((json_int_t)d->seed));
    json_out_put(o, "overhead_s", json_out_real(d->overhead_s));
    json_out_put(o, "blocks_counted", json_integer((json_int_t)d->counted));
    json_out_put(o, "series", series_json(d));
    json_out_put(o, "blocks", blocks_json(d));
    char *json = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    assert(json);
    json_decref(o);
    return json;
}
