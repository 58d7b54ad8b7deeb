/* volley_report: see volley_report.h. A key that is missing or of another type makes the whole
   summary unusable: a generator of another version is no source of figures. */
#include "load/volley_report.h"

#include "base/alloc.h"
#include "model/duel_slice.h"
#include "stats/block.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A percentile lies at most a bucket above the exact one: stats/histogram.h. */
#define BUCKET (1.0 / 1024)

static bool take_count(const json_t *o, const char *key, int64_t *to)
{
    const json_t *v = json_object_get(o, key);
    *to = json_is_integer(v) ? json_integer_value(v) : -1;
    return *to >= 0;
}

/* null = not measured = NaN. */
static bool take_number(const json_t *o, const char *key, double *to)
{
    const json_t *v = json_object_get(o, key);
    *to = json_is_number(v) ? json_number_value(v) : NAN;
    return json_is_number(v) || json_is_null(v);
}

/* volley's kinds of errors in the words of all generators. */
static const struct {
    const char *name;
    enum error_kind kind;
} kinds[] = {{"connect", ERROR_CONNECT}, {"read", ERROR_READ},     {"write", ERROR_WRITE},
             {"timeout", ERROR_TIMEOUT}, {"status", ERROR_STATUS}, {"framing", ERROR_OTHER},
             {"length", ERROR_LENGTH},   {"body", ERROR_OTHER},    {"reset", ERROR_READ},
             {"early_close", ERROR_READ}};

static bool take_errors(const json_t *target, struct tally *t)
{
    const json_t *o = json_object_get(target, "errors");
    bool good = json_object_size(o) == sizeof kinds / sizeof *kinds;
    for (int i = 0; i < ERROR_KINDS; i++)
        t->errors[i] = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && good; i++) {
        int64_t n;
        good = take_count(o, kinds[i].name, &n);
        t->errors[kinds[i].kind] += n;
    }
    return good;
}

/* Standard deviation from the histogram's bins [smallest value, count], exact to a bucket. */
static double stdev_us(const json_t *latency, double mean_us)
{
    const json_t *bins = json_object_get(json_object_get(latency, "histogram"), "bins");
    double sum = 0, n = 0;
    for (size_t i = 0; i < json_array_size(bins); i++) {
        const json_t *bin = json_array_get(bins, i);
        double us = json_number_value(json_array_get(bin, 0)) * (1 + BUCKET / 2) / 1e3;
        double count = json_number_value(json_array_get(bin, 1));
        sum += count * (us - mean_us) * (us - mean_us);
        n += count;
    }
    return n > 0 ? sqrt(sum / n) : NAN;
}

static bool take_latency(const json_t *target, struct latency *l)
{
    static const char *const keys[LATENCY_N] = {"p50", "p75", "p90", "p99", "p99_9", "p99_99"};
    const json_t *o = json_object_get(target, "latency_us");
    bool good = take_number(o, "mean", &l->mean) && take_number(o, "min", &l->min) &&
                take_number(o, "max", &l->max);
    for (int i = 0; i < LATENCY_N && good; i++)
        good = take_number(o, keys[i], &l->p[i]);
    l->stdev = stdev_us(o, l->mean);
    l->resolution = l->p[LATENCY_P9999] * BUCKET;
    l->corrected = false;
    return good;
}

static void take_text(const json_t *o, const char *key, char *to, size_t size)
{
    const char *text = json_string_value(json_object_get(o, key));
    snprintf(to, size, "%s", text ? text : "");
}

static bool take_target(const json_t *o, struct volley_target *to)
{
    struct tally *t = &to->tally;
    int64_t unanswered;
    bool good =
        take_count(o, "requests", &t->requests) && take_count(o, "ok", &t->ok) &&
        take_count(o, "unanswered", &unanswered) && take_errors(o, t) &&
        take_count(o, "connections_achieved", &t->connections) &&
        take_count(o, "reconnects", &t->reconnects) && take_count(o, "bytes_read", &t->bytes) &&
        take_number(o, "duration_s", &t->duration_s) &&
        take_number(o, "requests_per_s", &t->reported_per_s) && take_latency(o, &t->latency);
    if (!good)
        return false;
    /* Given up when the slice's drain was over: no answer came. */
    t->requests -= unanswered;
    t->errors[ERROR_TIMEOUT] += unanswered;
    t->latency.censored = t->errors[ERROR_TIMEOUT] > 0;
    take_text(o, "last_connect_error", to->connect_error, sizeof to->connect_error);
    take_text(o, "first_framing_error", to->framing_error, sizeof to->framing_error);
    return true;
}

static bool is_whole_summary(const json_t *root, size_t n)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    return schema && strcmp(schema, "volley") == 0 &&
           json_integer_value(json_object_get(root, "schema_version")) == 1 &&
           json_is_false(json_object_get(root, "interrupted")) &&
           json_array_size(json_object_get(root, "targets")) == n;
}

int volley_report_parse(const char *text, struct volley_target *to, size_t n)
{
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    int64_t threads;
    bool good = is_whole_summary(root, n) && take_count(root, "threads", &threads);
    for (size_t i = 0; i < n && good; i++) {
        good = take_target(json_array_get(json_object_get(root, "targets"), i), &to[i]);
        to[i].tally.threads = threads;
    }
    for (size_t i = 0; i < n && !good; i++) {
        to[i] = (struct volley_target){0};
        tally_unknown(&to[i].tally);
    }
    json_decref(root);
    return good ? 0 : -1;
}

static double cpu_ns_of(const struct duel_slice *s)
{
    double sum = s->pids_n ? 0 : NAN;
    for (size_t i = 0; i < s->pids_n; i++)
        sum += s->cpu_ns[i];
    return sum;
}

/* The slices as the palindrome has them. A target that can't be loaded any more has none: NaN in
   its place, so that the others stay beside each other. */
struct columns {
    double *rate, *cost;
    size_t n;
};

static void add_row(struct columns *c, double rate, double cost)
{
    c->rate[c->n] = rate;
    c->cost[c->n] = cost;
    c->n++;
}

static void line_up(struct columns *c, const struct volley_turns *turns)
{
    size_t length = 2 * turns->targets, most = turns->slices->n * length;
    *c = (struct columns){.rate = xcalloc(most, sizeof *c->rate),
                          .cost = xcalloc(most, sizeof *c->cost)};
    for (size_t i = 0; i < turns->slices->n; i++) {
        const struct duel_slice *s = &turns->slices->item[i];
        if (s->target >= turns->targets)
            continue;
        while (turns->order[c->n % length] != s->target)
            add_row(c, NAN, NAN);
        add_row(c, duel_slice_rate(s), s->ok ? cpu_ns_of(s) / (double)s->ok : NAN);
    }
}

static void share_ratios(const struct volley_turns *turns, struct load_share *shares)
{
    struct columns c;
    line_up(&c, turns);
    struct block rates = {turns->targets, turns->order, c.rate, c.n};
    struct block costs = {turns->targets, turns->order, c.cost, c.n};
    for (size_t i = 0; i < turns->targets; i++) {
        if (i == turns->reference)
            continue;
        /* Both are the log slowdown of the second against the first. */
        shares[i].log_ratio[METRIC_THROUGHPUT] =
            block_slowdown_of_rates(&rates, i, turns->reference);
        shares[i].log_ratio[METRIC_CPU] = block_slowdown_of_costs(&costs, turns->reference, i);
    }
    free(c.rate);
    free(c.cost);
}

/* Server CPU is not known when one of the processes was gone in any slice. */
static void share_cpu(const struct duel_slices *slices, size_t target, struct load_share *to)
{
    double client_ns = 0, server_ns = 0;
    size_t n = 0;
    for (size_t i = 0; i < slices->n; i++) {
        const struct duel_slice *s = &slices->item[i];
        if (s->target != target)
            continue;
        client_ns += s->client_cpu_ns - s->client_spin_ns;
        server_ns += cpu_ns_of(s);
        n++;
    }
    to->outcome.cpu_s = n ? client_ns / 1e9 : NAN;
    to->server_cpu_s = n ? server_ns / 1e9 : NAN;
}

void volley_report_share(const struct volley_turns *turns, struct load_share *shares)
{
    for (size_t i = 0; i < turns->targets; i++) {
        share_cpu(turns->slices, i, &shares[i]);
        for (int m = 0; m < METRIC_COUNT; m++)
            shares[i].log_ratio[m] = NAN;
    }
    if (turns->order && turns->reference < turns->targets)
        share_ratios(turns, shares);
}
