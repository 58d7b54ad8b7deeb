/* summary_json: see summary_json.h. The histogram's bins are [smallest value in ns, count],
   ascending, empty ones left out: histogram_import takes them back, and merging files merges
   counts. */
#include "volley/summary_json.h"

#include "base/alloc.h"
#include "volley/lag.h"
#include "volley/flags.h"
#include "volley/target.h"
#include "volley/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_count(json_t *o, const char *key, uint64_t n)
{
    json_object_set_new(o, key, json_integer((json_int_t)n));
}

/* A quotient, or null when there is nothing to divide by. */
static void set_ratio(json_t *o, const char *key, double above, double below)
{
    double q = below > 0 ? above / below : NAN;
    json_object_set_new(o, key, isfinite(q) ? json_real(q) : json_null());
}

static void set_text(json_t *o, const char *key, const char *text)
{
    json_t *t = text ? json_string(text) : json_null();
    json_object_set_new(o, key, t ? t : json_null());
}

static json_t *bins_of(const struct histogram *h)
{
    size_t n = histogram_export(h, NULL, 0);
    struct histogram_bin *bins = xcalloc(n, sizeof *bins);
    json_t *all = json_array();
    histogram_export(h, bins, n);
    for (size_t i = 0; i < n; i++) {
        json_t *pair = json_array();
        json_array_append_new(pair, json_integer((json_int_t)bins[i].value_ns));
        json_array_append_new(pair, json_integer((json_int_t)bins[i].count));
        json_array_append_new(all, pair);
    }
    free(bins);
    return all;
}

static json_t *histogram_json(const struct histogram *h)
{
    json_t *o = json_object();
    set_text(o, "unit", "ns");
    set_count(o, "significant_digits", 3);
    set_count(o, "total", h->total);
    set_count(o, "sum_ns", h->sum_ns);
    set_count(o, "min_ns", h->total ? h->min_ns : 0);
    set_count(o, "max_ns", h->max_ns);
    set_count(o, "beyond", h->beyond);
    json_object_set_new(o, "bins", bins_of(h));
    return o;
}

static json_t *errors_json(const struct tally *t)
{
    json_t *o = json_object();
    for (int i = 0; i < ERROR_KINDS; i++)
        set_count(o, error_names[i], t->errors[i]);
    return o;
}

static void set_counts(json_t *o, const struct tally *t)
{
    set_count(o, "requests", t->requests);
    set_count(o, "ok", t->ok);
    set_count(o, "failed", t->failed);
    set_count(o, "unanswered", t->unanswered);
    json_object_set_new(o, "errors", errors_json(t));
    set_count(o, "late_answers", t->late);
    set_count(o, "connections_opened", t->opened);
    set_count(o, "reconnects", t->reconnects);
    set_count(o, "bytes_read", t->bytes_read);
}

json_t *summary_json_slice(const struct session_slice *slice, bool open_loop)
{
    const struct tally *t = slice->tally;
    json_t *o = json_object(), *cpu = json_array();
    set_text(o, "type", "slice");
    set_count(o, "slice", slice->index);
    set_count(o, "target", slice->target);
    set_count(o, "start_ns", t->start_ns);
    set_count(o, "stop_ns", t->stop_ns);
    json_object_set_new(o, "first_ns",
                        t->first_ns ? json_integer((json_int_t)t->first_ns) : json_null());
    json_object_set_new(o, "last_ns",
                        t->last_ns ? json_integer((json_int_t)t->last_ns) : json_null());
    set_count(o, "duration_ns", t->duration_ns);
    set_counts(o, t);
    set_count(o, "client_cpu_ns", t->cpu_ns);
    set_count(o, "client_spin_ns", t->spin_ns);
    for (unsigned i = 0; i < slice->pid_count; i++)
        json_array_append_new(cpu, slice->server_cpu_known[i]
                                       ? json_integer((json_int_t)slice->server_cpu_ns[i])
                                       : json_null());
    json_object_set_new(o, "server_cpu_ns", cpu);
    if (open_loop) {
        set_count(o, "late_sends", t->late_sends);
        set_count(o, "unsent", t->unsent);
        set_count(o, "lag_p99_ns", histogram_percentile(t->lag, 99));
    }
    json_object_set_new(o, "histogram", histogram_json(t->latency));
    return o;
}

static void set_percentiles(json_t *o, const struct histogram *h)
{
    static const struct {
        const char *key;
        double percent;
    } row[] = {{"p50", 50}, {"p75", 75},     {"p90", 90},
               {"p99", 99}, {"p99_9", 99.9}, {"p99_99", 99.99}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double us = (double)histogram_percentile(h, row[i].percent) / 1e3;
        json_object_set_new(o, row[i].key, h->total ? json_real(us) : json_null());
    }
}

static json_t *latency_json(const struct histogram *h)
{
    json_t *o = json_object();
    double n = (double)(h->total > 0);
    set_ratio(o, "mean", histogram_mean_ns(h) / 1e3, n);
    set_ratio(o, "min", (double)h->min_ns / 1e3, n);
    set_ratio(o, "max", (double)h->max_ns / 1e3, n);
    set_percentiles(o, h);
    json_object_set_new(o, "histogram", histogram_json(h));
    return o;
}

static json_t *open_loop_json(const struct flags *o, const struct tally *t)
{
    char reason[160];
    if (o->rate <= 0)
        return json_null();
    json_t *j = json_object(), *lag = json_object();
    bool lagged = lag_verdict(t, (unsigned)o->threads, reason, sizeof reason);
    json_object_set_new(j, "rate_per_s", json_real(o->rate));
    json_object_set_new(j, "poisson", json_boolean(o->poisson));
    set_count(j, "late_sends", t->late_sends);
    set_count(j, "unsent", t->unsent);
    set_percentiles(lag, t->lag);
    set_ratio(lag, "max", (double)t->lag->max_ns / 1e3, (double)(t->lag->total > 0));
    json_object_set_new(j, "lag_us", lag);
    json_object_set_new(j, "lagged", json_boolean(lagged));
    set_text(j, "reason", lagged ? reason : NULL);
    return j;
}

static json_t *target_json(const struct session_target *r, const struct target *target,
                           const struct flags *options)
{
    const struct tally *t = &r->total;
    json_t *o = json_object();
    set_text(o, "url", target->url);
    set_counts(o, t);
    set_count(o, "connections_achieved", r->achieved);
    set_count(o, "connections_not_closed", t->not_closed);
    set_ratio(o, "duration_s", (double)t->duration_ns, 1e9);
    set_ratio(o, "requests_per_s", (double)t->ok * 1e9, (double)t->duration_ns);
    json_object_set_new(o, "latency_us", latency_json(t->latency));
    set_ratio(o, "client_cpu_ns_per_request", (double)t->cpu_ns, (double)t->ok);
    set_ratio(o, "server_cpu_ns_per_request", (double)r->server_cpu_ns,
              r->server_cpu_known ? (double)t->ok : 0);
    set_count(o, "slices", r->slices);
    json_object_set_new(o, "open_loop", open_loop_json(options, t));
    set_text(o, "first_framing_error", t->wrong);
    set_text(o, "last_connect_error", t->connect_error ? strerror(t->connect_error) : NULL);
    return o;
}

json_t *summary_json(const struct session *run, const struct summary_about *about)
{
    const struct flags *options = about->options;
    json_t *o = json_object(), *targets = json_array();
    const char *reason = NULL;
    set_text(o, "schema", "volley");
    set_count(o, "schema_version", 1);
    set_text(o, "type", "summary");
    set_text(o, "version", VOLLEY_VERSION);
    set_text(o, "started", about->started);
    json_object_set_new(o, "interrupted", json_boolean(about->interrupted));
    set_text(o, "engine", run->engine);
    set_count(o, "threads", options->threads);
    set_count(o, "connections", options->connections);
    set_count(o, "seed", options->seed);
    set_ratio(o, "wall_s", (double)run->wall_ns, 1e9);
    for (unsigned i = 0; i < run->target_count; i++) {
        json_t *t = target_json(&run->target[i], &about->targets[i], options);
        json_t *why = json_object_get(json_object_get(t, "open_loop"), "reason");
        reason = reason ? reason : json_string_value(why); /* t keeps it alive */
        json_array_append_new(targets, t);
    }
    json_object_set_new(o, "lagged",
                        options->rate > 0 ? json_boolean(reason != NULL) : json_null());
    set_text(o, "lagged_reason", reason);
    json_object_set_new(o, "targets", targets);
    json_object_set_new(o, "options", flags_echo(options));
    return o;
}
