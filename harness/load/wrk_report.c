/* wrk_report: reads what wrk and our script of it (scripts/wrk/report.lua) print.
   The script's figures are exact; wrk's own report rounds to two decimals of a unit and knows no
   p99.9. The text is read nevertheless, first: it is the fallback, holds the tool's own rate, and
   its request count must be the script's.

   Latencies are labelled "corrected": at the end of each run wrk adds samples that it never took
   (stats_correct() in src/stats.c, called by main() with the mean cycle time as the expected
   interval; whether that is right is open, wg/wrk#485). They can't be set beside ab's. */
#include "load/wrk_report.h"

#include "load/line.h"
#include "load/units.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void note(struct wrk_report *r, const char *why)
{
    snprintf(r->note, sizeof r->note, "figures are those of wrk's text report, rounded: %s", why);
}

static bool take_integer(struct line *rest, int64_t *to)
{
    struct line w;
    if (!line_word(rest, &w))
        return false;
    if (w.len && w.at[w.len - 1] == ',')
        w.len--;
    return units_parse_integer(w.at, w.len, to);
}

static bool take_quantity(struct line *rest, enum units kind, struct quantity *to)
{
    struct line w;
    if (!line_word(rest, &w))
        return false;
    if (w.len && w.at[w.len - 1] == ',')
        w.len--;
    return units_parse(kind, w.at, w.len, to);
}

/* A latency and how finely it was printed; the coarsest figure is the resolution of all. */
static void take_latency(struct line *rest, struct latency *l, double *to)
{
    struct quantity q;
    if (!take_quantity(rest, UNITS_TIME, &q))
        return;
    *to = q.value;
    if (!isnan(q.step))
        l->resolution = fmax(l->resolution, q.step); /* fmax ignores a NaN */
}

static void read_percentile(struct line l, struct latency *latency)
{
    static const struct {
        const char *name;
        int index;
    } known[] = {
        {"50%", LATENCY_P50}, {"75%", LATENCY_P75}, {"90%", LATENCY_P90}, {"99%", LATENCY_P99}};
    struct line w;
    line_word(&l, &w);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (line_is(&w, known[i].name))
            take_latency(&l, latency, &latency->p[known[i].index]);
}

static void read_socket_errors(struct line l, struct tally *t)
{
    static const struct {
        const char *name;
        enum error_kind kind;
    } known[] = {{"connect", ERROR_CONNECT},
                 {"read", ERROR_READ},
                 {"write", ERROR_WRITE},
                 {"timeout", ERROR_TIMEOUT}};
    struct line w;
    int64_t n;
    while (line_word(&l, &w) && take_integer(&l, &n))
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (line_is(&w, known[i].name))
                t->errors[known[i].kind] = n;
}

/* "91250 requests in 1.10s, 12.97MB read" and "2 threads and 4 connections". */
static void read_counts(struct line l, struct tally *t)
{
    struct quantity time, bytes;
    int64_t n;
    if (!take_integer(&l, &n))
        return;
    if (line_skip(&l, "requests in ")) {
        if (!take_quantity(&l, UNITS_TIME, &time) || !take_quantity(&l, UNITS_BYTES, &bytes))
            return;
        t->requests = n;
        t->duration_s = time.value / 1e6;
        t->bytes = isnan(bytes.value) ? -1 : llround(bytes.value);
    } else if (line_skip(&l, "threads and ")) {
        take_integer(&l, &t->connections);
    }
}

static void read_line(struct line l, struct tally *t)
{
    struct quantity q;
    int64_t n;
    if (line_skip(&l, "Latency ")) {
        take_latency(&l, &t->latency, &t->latency.mean);
        take_latency(&l, &t->latency, &t->latency.stdev);
        take_latency(&l, &t->latency, &t->latency.max);
    } else if (line_skip(&l, "Socket errors:")) {
        read_socket_errors(l, t);
    } else if (line_skip(&l, "Non-2xx or 3xx responses:")) {
        if (take_integer(&l, &n))
            t->errors[ERROR_STATUS] = n;
    } else if (line_skip(&l, "Requests/sec:")) {
        if (take_quantity(&l, UNITS_PLAIN, &q))
            t->reported_per_s = q.value;
    } else {
        read_percentile(l, &t->latency);
        read_counts(l, t);
    }
}

/* Reads the text report; returns where the script's part begins, or NULL. */
static const char *read_text(const char *text, struct tally *t)
{
    struct line l;
    while (line_next(&text, &l)) {
        if (line_is(&l, WRK_REPORT_MARKER))
            return text;
        read_line(l, t);
    }
    return NULL;
}

static bool get_count(const json_t *o, const char *key, int64_t *to)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return false;
    *to = json_integer_value(v);
    return true;
}

static bool get_figure(const json_t *o, const char *key, double *to)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v) && !json_is_null(v))
        return false;
    *to = json_is_null(v) ? NAN : json_number_value(v);
    return true;
}

static bool get_latency(const json_t *o, struct latency *l)
{
    static const char *const percentiles[LATENCY_N] = {"p50", "p75", "p90", "p99", "p999", "p9999"};
    bool ok = get_figure(o, "mean", &l->mean) && get_figure(o, "stdev", &l->stdev) &&
              get_figure(o, "min", &l->min) && get_figure(o, "max", &l->max);
    for (int i = 0; ok && i < LATENCY_N; i++)
        ok = get_figure(o, percentiles[i], &l->p[i]);
    l->resolution = 1; /* wrk's histogram has a slot per microsecond */
    return ok;
}

static bool get_errors(const json_t *o, int64_t errors[ERROR_KINDS])
{
    return get_count(o, "connect", &errors[ERROR_CONNECT]) &&
           get_count(o, "read", &errors[ERROR_READ]) &&
           get_count(o, "write", &errors[ERROR_WRITE]) &&
           get_count(o, "timeout", &errors[ERROR_TIMEOUT]) &&
           get_count(o, "status", &errors[ERROR_STATUS]);
}

static bool get_all(const json_t *o, struct tally *t)
{
    int64_t duration_us;
    bool ok = get_count(o, "requests", &t->requests) && get_count(o, "bytes", &t->bytes) &&
              get_count(o, "duration_us", &duration_us) &&
              get_errors(json_object_get(o, "errors"), t->errors) &&
              get_latency(json_object_get(o, "latency_us"), &t->latency);
    if (ok)
        t->duration_s = (double)duration_us / 1e6;
    return ok;
}

/* Replaces the rounded figures by the exact ones, all or none. */
static void read_exact(const char *script_part, struct wrk_report *r)
{
    json_error_t error;
    struct tally exact = r->tally;
    json_t *o = json_loads(script_part, JSON_REJECT_DUPLICATES, &error);
    if (!o)
        note(r, error.text);
    else if (!get_all(o, &exact))
        note(r, "the script's figures lack a key or have a wrong type");
    else if (exact.requests != r->tally.requests)
        note(r, "the script counted other requests than wrk");
    else
        r->exact = true;
    if (r->exact)
        r->tally = exact;
    json_decref(o);
}

static void derive(struct wrk_report *r)
{
    struct tally *t = &r->tally;
    int64_t reads = t->errors[ERROR_READ], refused = t->errors[ERROR_CONNECT];
    /* wrk counts every complete answer as a request, 404 or not (response_complete() in
       src/wrk.c; wg/wrk#363). */
    t->ok = t->requests > t->errors[ERROR_STATUS] ? t->requests - t->errors[ERROR_STATUS] : 0;
    /* A failed connect is not tried again: that connection is missing for the whole run. */
    if (t->connections >= 0)
        t->connections = t->connections > refused ? t->connections - refused : 0;
    r->read_errors = reads;
    r->server_closes_each_response = t->requests > 0 && reads >= t->requests - t->requests / 100;
    if (r->server_closes_each_response) {
        t->reconnects = reads;
        t->errors[ERROR_READ] = reads > t->requests ? reads - t->requests : 0;
    }
    t->latency.corrected = true;
    /* Answers later than --timeout are counted and left out of the histogram. */
    t->latency.censored = t->errors[ERROR_TIMEOUT] > 0;
}

int wrk_report_parse(const char *text, struct wrk_report *r)
{
    struct trial nothing;
    trial_init(&nothing);
    *r = (struct wrk_report){.tally = nothing.tally};
    struct tally *t = &r->tally;
    const char *script_part = read_text(text, t);
    if (t->requests < 0 || isnan(t->duration_s)) {
        *t = nothing.tally;
        return -1;
    }
    /* wrk prints these lines only when a count is not zero. */
    for (int kind = 0; kind <= ERROR_STATUS; kind++)
        if (t->errors[kind] < 0)
            t->errors[kind] = 0;
    if (script_part)
        read_exact(script_part, r);
    else
        note(r, "the script printed nothing");
    derive(r);
    return 0;
}
