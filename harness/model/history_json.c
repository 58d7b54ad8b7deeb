/* history_json: a run <-> its line in history.jsonl. Every key is always there, null where nothing
   is known; reading is strict, since a line that was edited is no measurement. */
#include "model/history.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/json_field.h"
#include "model/json_out.h"
#include "model/metric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *interval_json(const struct interval *v)
{
    if (!isfinite(v->estimate))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:I}", "estimate", json_out_real(v->estimate), "low",
                     json_out_real(v->low), "high", json_out_real(v->high), "confidence",
                     json_out_real(v->confidence), "blocks", (json_int_t)v->n);
}

static json_t *series_json(const struct history_series *s)
{
    json_t *o = json_object(), *ratio = json_object();
    for (int m = 0; m < METRIC_COUNT; m++)
        json_out_put(ratio, metric_name((enum metric)m), interval_json(&s->ratio[m]));
    json_out_put(o, "server", json_out_text(s->server));
    json_out_put(o, "route", json_out_text(s->route));
    json_out_put(o, "generator", json_out_text(s->generator));
    json_out_put(o, "connections", json_integer(s->connections));
    json_out_put(o, "mode", json_string(s->keepalive ? "keep-alive" : "close"));
    json_out_put(o, "verdict", json_string(verdict_name(s->verdict)));
    json_out_put(o, "requests_per_s", json_out_real(s->requests_per_s));
    json_out_put(o, "cpu_ns_per_request", json_out_real(s->cpu_ns_per_request));
    json_out_put(o, "latency_p99_us", json_out_real(s->latency_p99_us));
    json_out_put(o, "ratio", ratio);
    return o;
}

static json_t *counts_json(const struct history_counts *c)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "server", json_out_text(c->server), "route",
        json_out_text(c->route), "instructions_per_request", json_out_real(c->instructions),
        "system_calls_per_request", json_out_real(c->system_calls), "allocations_per_request",
        json_out_real(c->allocations), "response_bytes", json_out_real(c->response_bytes));
}

/* What is known of the commit, in the order of the keys in JSON: the same list reads them. */
#define RUN_TEXTS(X)                                                                               \
    X(commit)                                                                                      \
    X(parent)                                                                                      \
    X(branch)                                                                                      \
    X(subject)                                                                                     \
    X(author)                                                                                      \
    X(commit_time)                                                                                 \
    X(commit_url)                                                                                  \
    X(report)                                                                                      \
    X(gate)                                                                                        \
    X(gate_reason)

char *history_run_to_line(const struct history_run *run)
{
    json_t *series = json_array(), *counts = json_array();
    json_t *o = json_pack("{s:s, s:i, s:o, s:s}", "schema", "parity/history", "schema_version", 1,
                          "run", json_out_text(run->id), "time", run->time);
#define X(name) json_out_put(o, #name, json_out_text(run->name));
    RUN_TEXTS(X)
#undef X
    json_out_put(o, "suite", json_out_text(run->suite));
    json_out_put(o, "reference", json_out_text(run->reference));
    json_out_put(o, "machine",
                 json_pack("{s:s, s:o}", "key", run->machine.key, "facts",
                           json_out_facts(&run->machine.facts)));
    json_out_put(o, "versions", json_out_facts(&run->versions));
    for (size_t i = 0; i < run->series_n; i++)
        json_array_append_new(series, series_json(&run->series[i]));
    for (size_t i = 0; i < run->counts_n; i++)
        json_array_append_new(counts, counts_json(&run->counts[i]));
    json_out_put(o, "series", series);
    json_out_put(o, "counts", counts);
    char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(8));
    assert(line);
    json_decref(o);
    return line;
}

static void read_facts(struct facts *f, const struct json_at *parent, const char *name)
{
    struct json_at at = field_object(parent, name);
    const char *fact;
    json_t *value;
    json_object_foreach(at.value, fact, value)
    {
        struct json_at one = json_at_key(&at, fact);
        if (json_is_string(value))
            facts_text(f, fact, json_string_value(value));
        else if (json_is_null(value))
            facts_text(f, fact, NULL);
        else
            facts_number(f, fact, json_at_measure(&one));
    }
}

static void read_interval(struct interval *v, const struct json_at *parent, const char *name)
{
    static const char *const keys[] = {"estimate", "low", "high", "confidence", "blocks", NULL};
    struct json_at at = json_at_key(parent, name);
    *v = (struct interval){.estimate = NAN, .low = NAN, .high = NAN};
    if (json_is_null(at.value) || !json_at_object(&at, keys))
        return;
    v->estimate = field_measure(&at, "estimate");
    v->low = field_measure(&at, "low");
    v->high = field_measure(&at, "high");
    v->confidence = field_measure(&at, "confidence");
    v->n = (size_t)field_whole(&at, "blocks", UINT32_MAX);
    if (!(v->estimate > 0) || v->low > v->estimate || v->high < v->estimate)
        json_at_refuse(&at, "is no interval around a ratio above 0");
}

static enum verdict read_verdict(const struct json_at *parent)
{
    struct json_at at = json_at_key(parent, "verdict");
    int v = verdict_find(json_at_text(&at));
    if (v < 0)
        json_at_refuse(&at, "\"%s\" is no verdict", json_at_text(&at));
    return v < 0 ? VERDICT_NOT_RUN : (enum verdict)v;
}

static bool read_mode(const struct json_at *parent)
{
    struct json_at at = json_at_key(parent, "mode");
    bool keepalive = strcmp(json_at_text(&at), "keep-alive") == 0;
    if (!keepalive && strcmp(json_at_text(&at), "close") != 0)
        json_at_refuse(&at, "must be \"keep-alive\" or \"close\"");
    return keepalive;
}

/* A name that must be there; never NULL, so that nobody compares with one. */
static char *name_of(const struct json_at *parent, const char *key)
{
    struct json_at at = json_at_key(parent, key);
    const char *name = json_at_text(&at);
    if (json_is_string(at.value) && !*name)
        json_at_refuse(&at, "is empty");
    return xstrdup(name);
}

static void read_series(struct history_run *run, const struct json_at *at)
{
    static const char *const keys[] = {
        "server",  "route",          "generator",          "connections",    "mode",
        "verdict", "requests_per_s", "cpu_ns_per_request", "latency_p99_us", "ratio",
        NULL};
    if (!json_at_object(at, keys))
        return;
    struct history_series *s = xgrow(&run->series, &run->series_n, sizeof *s);
    struct json_at ratio = field_object(at, "ratio");
    s->server = name_of(at, "server");
    s->route = name_of(at, "route");
    s->generator = name_of(at, "generator");
    s->connections = (unsigned)field_whole(at, "connections", 1000000);
    s->keepalive = read_mode(at);
    s->verdict = read_verdict(at);
    s->requests_per_s = field_measure(at, "requests_per_s");
    s->cpu_ns_per_request = field_measure(at, "cpu_ns_per_request");
    s->latency_p99_us = field_measure(at, "latency_p99_us");
    for (int m = 0; m < METRIC_COUNT; m++)
        read_interval(&s->ratio[m], &ratio, metric_name((enum metric)m));
}

static void read_counts(struct history_run *run, const struct json_at *at)
{
    static const char *const keys[] = {"server",
                                       "route",
                                       "instructions_per_request",
                                       "system_calls_per_request",
                                       "allocations_per_request",
                                       "response_bytes",
                                       NULL};
    if (!json_at_object(at, keys))
        return;
    struct history_counts *c = xgrow(&run->counts, &run->counts_n, sizeof *c);
    c->server = name_of(at, "server");
    c->route = name_of(at, "route");
    c->instructions = field_measure(at, "instructions_per_request");
    c->system_calls = field_measure(at, "system_calls_per_request");
    c->allocations = field_measure(at, "allocations_per_request");
    c->response_bytes = field_measure(at, "response_bytes");
}

static void read_machine(struct history_run *run, const struct json_at *root)
{
    struct json_at at = field_object(root, "machine");
    field_copy(&at, "key", run->machine.key, sizeof run->machine.key);
    read_facts(&run->machine.facts, &at, "facts");
}

/* 2026-01-31T12:00:00Z: what is shown as a day must be one. */
static void read_time(struct history_run *run, const struct json_at *root)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    struct json_at at = json_at_key(root, "time");
    const char *said = json_at_text(&at);
    size_t i = 0;
    while (form[i] && (form[i] == '0' ? said[i] >= '0' && said[i] <= '9' : said[i] == form[i]))
        i++;
    if (form[i] || said[i])
        json_at_refuse(&at, "\"%.40s\" is no time like 2026-01-31T12:00:00Z", said);
    else
        memcpy(run->time, said, sizeof form);
}

static void read_run(struct history_run *run, const struct json_at *root)
{
    static const char *const keys[] = {
#define X(name) #name,
        RUN_TEXTS(X)
#undef X
            "schema",
        "schema_version",
        "run",
        "time",
        "suite",
        "reference",
        "machine",
        "versions",
        "series",
        "counts",
        NULL};
    if (!json_at_object(root, keys))
        return;
    struct json_at series = field_array(root, "series"), counts = field_array(root, "counts");
    run->id = name_of(root, "run");
    run->suite = name_of(root, "suite");
    run->reference = name_of(root, "reference");
    read_time(run, root);
#define X(name) run->name = field_text(root, #name);
    RUN_TEXTS(X)
#undef X
    read_machine(run, root);
    read_facts(&run->versions, root, "versions");
    for (size_t i = 0; i < json_at_count(&series); i++) {
        struct json_at one = json_at_index(&series, i);
        read_series(run, &one);
    }
    for (size_t i = 0; i < json_at_count(&counts); i++) {
        struct json_at one = json_at_index(&counts, i);
        read_counts(run, &one);
    }
}

enum line {
    LINE_RUN,
    LINE_REFUSED,
    LINE_NO_JSON
};

/* Refused lines are told apart by their number in the file: json_in knows only this one line. */
static enum line read_line(struct history_run *run, const char *line, const char *path,
                           size_t number, struct err *e)
{
    struct json_in in;
    struct err own = {0};
    *run = (struct history_run){0};
    bool is_json = json_in_text(&in, line, "", &own) == 0;
    if (is_json) {
        struct json_at root = json_in_root(&in);
        json_at_schema(&root, "parity/history", 1);
        if (!own.code)
            read_run(run, &root);
    }
    json_in_close(&in);
    if (!own.code)
        return LINE_RUN;
    history_run_fini(run);
    const char *words = strncmp(own.text, ":1: ", 4) == 0 ? own.text + 4 : own.text;
    err_set(e, own.code, "%s:%zu: %s", path, number, words);
    return is_json ? LINE_REFUSED : LINE_NO_JSON;
}

/* What stands behind the last newline is a whole run, or what a stopped writer left of one. */
static int read_lines(struct history *h, char *text, const char *path, struct err *e)
{
    size_t number = 1;
    for (char *line = text, *end; *line; line = end + 1, number++) {
        struct history_run run;
        struct err own = {0};
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        enum line found = read_line(&run, line, path, number, &own);
        if (found == LINE_RUN)
            *(struct history_run *)xgrow(&h->runs, &h->n, sizeof run) = run;
        else if (end || found == LINE_REFUSED)
            return err_set(e, own.code, "%s", own.text);
        if (end)
            continue;
        h->torn = found == LINE_RUN ? 0 : strlen(line);
        break;
    }
    return 0;
}

int history_read(struct history *h, const char *text, const char *path, struct err *e)
{
    *h = (struct history){0};
    if (!*text)
        return err_set(e, EXIT_USAGE,
                       "%s is empty: something cut it; take it from a backup (git log -- FILE), or "
                       "remove it to begin a new history",
                       path);
    char *copy = xstrdup(text);
    int rc = read_lines(h, copy, path, e);
    free(copy);
    if (rc < 0)
        history_fini(h);
    return rc;
}
