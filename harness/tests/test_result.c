/* Results: JSON out and in again is the same, and whatever isn't a result is refused by its key.
   With RESULT_OUT=FILE the JSON of the fullest result is written there for schema.t. */
#include "model/result.h"

#include <setjmp.h>
#include <jansson.h>
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/scratch.h"
#include "tests/small_result.h"

static void fill_trial(struct trial *t)
{
    struct tally *a = &t->tally;
    struct latency *l = &a->latency;
    for (int i = 0; i < ERROR_KINDS; i++)
        a->errors[i] = i % 2 ? i : -1;
    a->threads = 2;
    a->connections = 8;
    a->reconnects = 0;
    a->bytes = INT64_MAX;
    a->reported_per_s = 12345.678;
    l->mean = 0.1;
    l->min = 0;
    l->max = 1e9;
    l->resolution = 10;
    l->corrected = true;
    l->p[LATENCY_P50] = 1.0 / 3;
    l->p[LATENCY_P99] = 1e-300;
    t->usage.steal_share = 0.02;
    t->usage.wall_s = 2.125;
    t->position = 1;
    snprintf(t->started, sizeof t->started, "2026-01-31T12:00:05Z");
    snprintf(t->raw, sizeof t->raw, "raw/000");
    snprintf(t->note, sizeof t->note, "few errors: read 1 (\xe2\x82\xac)");
}

static void fill_cells(struct result *r)
{
    struct cell_result *c = &r->cells[0];
    c->verdict = VERDICT_VALID;
    c->trials = 3;
    c->valid = 2;
    c->requests_per_s = 61234.5;
    c->requests_per_s_low = 60000;
    c->requests_per_s_high = 62000.25;
    c->latency[LATENCY_P50] = 0; /* measured, and below the resolution (noahgibbs/rsb#1) */
    c->latency_resolution = 1000;
    c->latency_corrected = c->latency_censored = true;
    c->cpu_ns_per_request = 10500;
    c->server_busy = 0.98;
    r->cells[1].verdict = VERDICT_CLIENT_BOUND;
    snprintf(r->cells[1].note, sizeof r->cells[1].note, "the generator was 99 %% busy");
}

static void add_ratio(struct result *r, enum metric metric, struct interval value, const char *note)
{
    struct ratio *x = xgrow(&r->ratios, &r->ratios_n, sizeof *x);
    *x = (struct ratio){.comparison = 1, .server = 1, .metric = metric, .value = value};
    snprintf(x->note, sizeof x->note, "%s", note);
}

static void add_fairness(struct result *r)
{
    struct fairness_item *item = xgrow(&r->fairness, &r->fairness_n, sizeof *item);
    item->name = xstrdup("head bytes");
    item->value = xcalloc(3, sizeof *item->value);
    item->reason = xcalloc(3, sizeof *item->reason);
    item->value[0] = xstrdup("172");
    item->value[1] = xstrdup("158");
    item->reason[1] = xstrdup("sends no Date \xf0\x9f\x95\x90");
    item = xgrow(&r->fairness, &r->fairness_n, sizeof *item);
    item->name = xstrdup("backlog");
    item->value = xcalloc(3, sizeof *item->value);
    item->reason = xcalloc(3, sizeof *item->reason);
    item->broken = true;
}

/* Something of everything: 3 servers, 2 comparisons, a skipped cell, trials with and without
   figures, ratios with and without an interval. */
static void make_full(struct result *r)
{
    struct plan p = small_plan(3, 2, 3);
    p.servers[2].url = xstrdup("http://127.0.0.1:8080");
    plan_skip(&p, 5, "no level for it: \"quotes\" \\ and\nlines");
    result_init(r, &p);
    r->state = RUN_INTERRUPTED;
    snprintf(r->started, sizeof r->started, "2026-01-31T12:00:00Z");
    snprintf(r->ended, sizeof r->ended, "2026-01-31T12:10:00Z");
    r->command = xstrdup("parity run small --out 'x y'");
    r->fingerprint = xstrdup("machine=1\nnginx=2");
    facts_text(&r->environment, "cpu_model", "Example CPU @ 2.00GHz");
    facts_text(&r->environment, "governor", NULL);
    facts_number(&r->environment, "memory_mib", 7946);
    facts_number(&r->environment, "load", 0.1);
    strings_add(&r->warnings, "steal was 4 %");
    facts_text(&r->servers[0].facts, "version", "nginx/1.22.1");
    strings_add(&r->servers[0].conf, "conf/a/nginx.conf");
    r->servers[2].failed = xstrdup("it isn't there");
    fill_cells(r);
    fill_trial(small_trial(r, 0, 0, 61234.5, 10500));
    small_trial(r, 4, 2, 1000.0 / 3, 9000.1);
    struct trial *nothing = small_trial(r, 1, 1, 1, 1);
    trial_init(nothing); /* died before anything was measured: all -1 and NaN */
    nothing->cell = 1;
    nothing->block = 1;
    nothing->verdict = VERDICT_SERVER_DIED;
    add_ratio(r, METRIC_THROUGHPUT, (struct interval){1.0625, 1.03, 1.1, 0.96875, 3}, "");
    add_ratio(r, METRIC_CPU, (struct interval){0.9, NAN, NAN, 0, 2}, "2 blocks are too few");
    add_ratio(r, METRIC_CPU, (struct interval){NAN, NAN, INFINITY, NAN, 0}, "the cell is errors");
    add_fairness(r);
}

static char *full_json(void)
{
    struct result r;
    make_full(&r);
    char *text = result_to_json(&r);
    result_fini(&r);
    result_fini(&r);
    return text;
}

/* JSON -> result -> JSON; fails when the reading does. */
static char *round_trip(const char *text)
{
    struct result r;
    struct err e = {0};
    int rc = result_from_json(&r, text, "result.json", &e);
    assert_string_equal(e.text, "");
    assert_int_equal(rc, 0);
    char *again = result_to_json(&r);
    result_fini(&r);
    return again;
}

static void test_round_trip_is_identity(void **state)
{
    (void)state;
    char *text = full_json(), *again = round_trip(text);
    assert_string_equal(text, again);
    const char *out = getenv("RESULT_OUT");
    if (out)
        assert_int_equal(file_replace(out, text, strlen(text), NULL), 0);
    free(text);
    free(again);
}

/* As the plan is before anything ran: nothing is measured, so nothing is 0. */
static void test_nothing_measured(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 1, 1, 1);
    char *text = result_to_json(&r), *again = round_trip(text);
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "\"verdict\": \"not_run\""));
    assert_non_null(strstr(text, "\"requests_per_s\": null"));
    assert_non_null(strstr(text, "\"p99_99\": null"));
    assert_non_null(strstr(text, "\"ended\": null"));
    assert_non_null(strstr(text, "\"command\": null"));
    assert_null(strstr(text, "0.0,"));
    result_fini(&r);
    free(text);
    free(again);
}

static void test_fields_come_back(void **state)
{
    (void)state;
    struct result r;
    struct err e = {0};
    char *text = full_json();
    assert_int_equal(result_from_json(&r, text, "result.json", &e), 0);
    assert_int_equal(r.state, RUN_INTERRUPTED);
    assert_string_equal(r.ended, "2026-01-31T12:10:00Z");
    assert_string_equal(r.fingerprint, "machine=1\nnginx=2");
    assert_string_equal(r.plan.suite.name, "small");
    assert_int_equal(r.plan.servers_n, 3);
    assert_null(r.plan.servers[0].url);
    assert_string_equal(r.plan.servers[2].url, "http://127.0.0.1:8080");
    assert_int_equal(r.plan.reference, 0);
    assert_int_equal(r.plan.comparisons_n, 2);
    assert_int_equal(r.plan.comparisons[1].first, 3);
    assert_string_equal(r.plan.cells[5].skipped, "no level for it: \"quotes\" \\ and\nlines");
    assert_int_equal(r.cells[5].verdict, VERDICT_SKIPPED);
    assert_null(r.plan.cells[4].skipped);
    assert_true(facts_find(&r.environment, "memory_mib")->number == 7946);
    assert_string_equal(facts_show(&r.environment, "governor"), "unknown");
    assert_string_equal(r.servers[2].failed, "it isn't there");
    assert_null(r.servers[0].failed);
    assert_string_equal(r.servers[0].conf.item[0], "conf/a/nginx.conf");
    assert_int_equal(r.trials_n, 3);
    assert_int_equal(r.trials[0].tally.bytes, INT64_MAX);
    assert_int_equal(r.trials[0].tally.errors[0], -1);
    assert_int_equal(r.trials[0].tally.errors[1], 1);
    assert_near(r.trials[0].tally.latency.p[LATENCY_P50], 1.0 / 3, 1e-12);
    assert_true(isnan(r.trials[0].tally.latency.stdev));
    assert_true(r.trials[0].tally.latency.corrected);
    assert_string_equal(r.trials[0].note, "few errors: read 1 (\xe2\x82\xac)");
    assert_int_equal(r.trials[1].cell, 4);
    assert_int_equal(r.trials[2].verdict, VERDICT_SERVER_DIED);
    assert_int_equal(r.trials[2].tally.requests, -1);
    assert_true(isnan(r.trials[2].usage.wall_s));
    assert_near(r.cells[0].latency[LATENCY_P50], 0, 0);
    assert_near(r.cells[0].latency_resolution, 1000, 0);
    assert_true(isnan(r.ratios[1].value.low));
    assert_int_equal(r.ratios[1].value.n, 2);
    assert_int_equal(r.ratios[1].metric, METRIC_CPU);
    assert_true(isnan(r.ratios[2].value.high)); /* infinity is no number of JSON either */
    assert_null(r.fairness[0].value[2]);
    assert_string_equal(r.fairness[0].reason[1], "sends no Date \xf0\x9f\x95\x90");
    assert_true(r.fairness[1].broken);
    result_fini(&r);
    free(text);
}

/* P10: every number is finite, and no key was lost for being unknown. */
static void test_is_strict_json(void **state)
{
    (void)state;
    char *text = full_json();
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    json_t *trial = json_array_get(json_object_get(root, "trials"), 2);
    json_t *usage = json_object_get(trial, "usage"), *tally = json_object_get(trial, "tally");
    assert_int_equal(json_object_size(usage), sizeof(struct usage) / sizeof(double));
    assert_int_equal(json_object_size(json_object_get(tally, "errors")), ERROR_KINDS);
    assert_true(json_is_null(json_object_get(tally, "requests")));
    json_decref(root);
    free(text);
}

/* Text of tools and logs is any bytes; the file stays UTF-8 and loses no key. */
static void test_text_that_is_not_utf8(void **state)
{
    (void)state;
    static const char *const notes[] = {
        "caf\xe9", "\xff\xfe", "a\xc3", "\xed\xa0\x80", "tab\there \x01 \x7f", "\xf4\x90\x80\x80"};
    static const char *const kept[] = {"caf?", "??", "a?", "???", "tab\there \x01 \x7f", "????"};
    for (int i = 0; i < 6; i++) {
        struct result r, back;
        small_result(&r, 1, 1, 1);
        struct trial *t = small_trial(&r, 0, 0, 10, 10);
        snprintf(t->note, sizeof t->note, "%s", notes[i]);
        strings_add(&r.warnings, notes[i]);
        r.command = xstrdup(notes[i]);
        char *text = result_to_json(&r);
        assert_int_equal(result_from_json(&back, text, "r", NULL), 0);
        assert_string_equal(back.trials[0].note, kept[i]);
        assert_string_equal(back.warnings.item[0], kept[i]);
        assert_string_equal(back.command, kept[i]);
        char *again = result_to_json(&back);
        assert_string_equal(text, again);
        result_fini(&r);
        result_fini(&back);
        free(text);
        free(again);
    }
}

/* P12 */
static void test_comma_locale(void **state)
{
    (void)state;
    char *text = full_json();
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        free(text);
        skip();
    }
    char *german = full_json(), *again = round_trip(text);
    setlocale(LC_ALL, "C");
    assert_string_equal(german, text);
    assert_string_equal(again, text);
    free(german);
    free(again);
    free(text);
}

/* Rates are computed again when a file is read; 12 digits of time must not lose the 13th twice. */
static void test_odd_figures_settle(void **state)
{
    (void)state;
    for (int i = 1; i < 200; i++) {
        struct result r;
        small_result(&r, 1, 1, 1);
        struct trial *t = small_trial(&r, 0, 0, 1000.0 * i, 3333.3 / i);
        t->tally.duration_s = 2 + i / 7919.0;
        char *first = result_to_json(&r), *second = round_trip(first), *third = round_trip(second);
        assert_string_equal(second, third);
        result_fini(&r);
        free(first);
        free(second);
        free(third);
    }
}

/* ---- What is not a result ---- */

static void assert_refused(const char *text, const char *start, const char *part)
{
    struct result r;
    struct err e = {0};
    if (result_from_json(&r, text, "r.json", &e) != -1)
        fail_msg("taken although wrong: %s...%s", start, part);
    assert_err(&e, EXIT_USAGE, start, part);
    result_fini(&r);
    result_fini(&r);
}

static void test_other_documents(void **state)
{
    (void)state;
    assert_refused("", "r.json:", "not valid JSON");
    assert_refused("[]", "r.json:1: schema: is missing", "");
    assert_refused("{}", "r.json:1: schema: is missing", "");
    assert_refused("{\"schema\": \"parity/suite\",\n\"schema_version\": 1}",
                   "r.json:1: schema: is \"parity/suite\"; this must be a \"parity/result\"", "");
    assert_refused("{\"schema\": \"parity/result\",\n\"schema_version\": 2}",
                   "r.json:2: schema_version: this program reads version 1", "");
    char *text = full_json();
    for (size_t len = strlen(text) - 1; len > 0; len -= len / 50 + 1) { /* half a file */
        text[len] = '\0';
        assert_refused(text, "r.json:", "not valid JSON");
    }
    free(text);
}

/* Replaces the first `from` in the full result and expects this refusal. */
static void assert_edit_refused(const char *from, const char *to, const char *start,
                                const char *part)
{
    char *text = full_json(), *at = strstr(text, from);
    assert_non_null(at);
    *at = '\0';
    char *edited = xasprintf("%s%s%s", text, to, at + strlen(from));
    assert_refused(edited, start, part);
    free(edited);
    free(text);
}

static void test_contradictions(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"\"state\": \"interrupted\"", "\"state\": \"paused\"", "state: is no state of a run"},
        {"\"reference\": \"a\",\n  \"env", "\"reference\": \"x\",\n  \"env",
         "reference: \"x\" is none of the servers"},
        {"\"name\": \"b\"", "\"name\": \"a\"", "servers[1].name: \"a\" is there twice"},
        {"\"cell\": 1,", "\"cell\": 2,", "cells[1].cell: is 2, but"},
        {"\"server\": \"b\"", "\"server\": \"c\"", "cells[1]: is out of order"},
        {"\"server\": \"b\"", "\"server\": \"z\"", "cells[1].server: \"z\" is none of the servers"},
        {"\"route\": \"health\"", "\"route\": \"home\"", "cells[0].route: is no route"},
        {"\"route\": \"health\"", "\"route\": \"json\"", "cells[1]: is out of order"},
        {"\"generator\": \"wrk\"", "\"generator\": \"ab\"", "is none of the suite's generators"},
        {"\"connections\": 8,", "\"connections\": 9,", "cells[1]: is out of order"},
        {"\"connections\": 8,", "\"connections\": 0,", "cells[0].connections: is 0"},
        {"\"mode\": \"keep-alive\"", "\"mode\": \"kept\"", "cells[0].mode: is \"kept\"; modes are"},
        {"\"comparison\": 0", "\"comparison\": 1", "cells[0]: is out of order"},
        {"\"verdict\": \"valid\"", "\"verdict\": \"good\"", "cells[0].verdict: is no verdict"},
        {"\"valid_trials\": 2", "\"valid_trials\": 4", "cells[0].valid_trials: is 4; it must be"},
        {"\"estimate\": 1.0625", "\"estimate\": \"1\"", "ratios[0].estimate: is a string"},
        {"\"metric\": \"requests_per_s\"", "\"metric\": \"speed\"",
         "ratios[0].metric: is no metric"},
        {"\"blocks\": 3,\n      \"note\"", "\"blocks\": 4,\n      \"note\"",
         "ratios[0].blocks: is 4; it must be from 0 to 3"},
        {"\"block\": 2", "\"block\": 3", "trials[1].block: is 3; it must be from 0 to 2"},
        {"\"position\": 1", "\"position\": 3", "trials[0].position: is 3; it must be from 0 to 2"},
        {"\"requests\": 122469", "\"requests\": -1", "tally.requests: is -1; it must be from 0"},
        {"\"requests\": 122469", "\"requests\": 1.5", "tally.requests: is 1.5; it must be a whole"},
        {"\"ok\": 122469", "\"ok\": 200000",
         "trials[0].requests_per_s: is 61234.5, but the figures"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_edit_refused(cases[i].from, cases[i].to, "r.json:", cases[i].part);
}

/* Trials and ratios of a result without cells would be indices into nothing. */
static void test_no_cells(void **state)
{
    (void)state;
    static const char *const with[] = {"trials", "ratios", ""};
    char *text = full_json();
    for (int i = 0; i < 3; i++) {
        json_t *root = json_loads(text, 0, NULL);
        json_array_clear(json_object_get(root, "cells"));
        for (int k = 0; k < 2; k++)
            if (k != i)
                json_array_clear(json_object_get(root, with[k]));
        char *edited = json_dumps(root, JSON_INDENT(1));
        char *part = xasprintf("%s: must be empty, for there are no cells", with[i]);
        struct result r;
        struct err e = {0};
        assert_int_equal(result_from_json(&r, edited, "r.json", &e), i == 2 ? 0 : -1);
        if (i < 2)
            assert_err(&e, EXIT_USAGE, "r.json:", part);
        result_fini(&r);
        json_decref(root);
        free(edited);
        free(part);
    }
    free(text);
}

static void test_a_cell_too_few(void **state)
{
    (void)state;
    char *text = full_json();
    json_t *root = json_loads(text, 0, NULL);
    json_array_remove(json_object_get(root, "cells"), 5);
    char *edited = json_dumps(root, 0);
    assert_refused(edited, "r.json:1: cells: must have one cell per server and comparison", "");
    json_decref(root);
    free(edited);
    free(text);
}

/* ---- Every value of the document, dropped and replaced by others ---- */

struct hunt {
    json_t *root;   /* the document that is being mutated in place */
    size_t mutants; /* tried so far */
    size_t taken;   /* were read without an error */
};

/* Reads the mutated document: never a crash; whether it is an error is returned. */
static bool is_refused(struct hunt *h, const char *where)
{
    struct result r;
    struct err e = {0};
    char *text = json_dumps(h->root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    bool refused = result_from_json(&r, text, "m.json", &e) < 0;
    h->mutants++;
    if (refused)
        assert_err(&e, EXIT_USAGE, "m.json:", where);
    if (!refused) { /* then it is a whole result: writing it must work, too */
        char *again = result_to_json(&r);
        free(again);
        h->taken++;
    }
    result_fini(&r);
    free(text);
    return refused;
}

static json_t *replacement(int kind)
{
    switch (kind) {
    case 0: return json_null();
    case 1: return json_true();
    case 2: return json_string("\xc3\xa9");
    case 3: return json_integer(-1);
    case 4: return json_integer(INT64_MAX);
    case 5: return json_real(0.5);
    case 6: return json_array();
    case 7: return json_object();
    case 8: return json_pack("[i, [s], {s:n}]", 1, "x", "y");
    case 9: return json_pack("{s:i}", "name", 1);
    default: return NULL;
    }
}

static bool same_kind(const json_t *a, const json_t *b)
{
    return json_typeof(a) == json_typeof(b) || (json_is_number(a) && json_is_number(b)) ||
           (json_is_boolean(a) && json_is_boolean(b));
}

/* Keys whose values may be anything by design: facts, and what a server's name leads to. */
static bool is_free(const char *path)
{
    return strstr(path, "environment.") || strstr(path, "facts.") || strstr(path, "reasons.");
}

static void mutate_value(struct hunt *h, json_t *object, const char *key, const char *path)
{
    json_t *old = json_incref(json_object_get(object, key)), *other;
    for (int kind = 0; (other = replacement(kind)); kind++) {
        bool container = json_is_object(other) || json_is_array(other);
        bool wrong = !same_kind(old, other) && (container || json_is_object(old) ||
                                                json_is_array(old) || json_is_boolean(old));
        json_object_set_new(object, key, other);
        bool refused = is_refused(h, "");
        if (wrong && !refused)
            fail_msg("%s: kind %d was taken", path, kind);
    }
    json_object_set_new(object, key, old);
}

static void drop_key(struct hunt *h, json_t *object, const char *key, const char *path)
{
    static const char *const may_be_missing[] = {"suite.title",   "suite.reference", "suite.modes",
                                                 "suite.workers", "suite.warmup_s",  "suite.seed"};
    bool optional = is_free(path);
    for (size_t i = 0; i < sizeof may_be_missing / sizeof *may_be_missing; i++)
        optional |= strcmp(path, may_be_missing[i]) == 0;
    json_t *copy = json_incref(json_object_get(object, key));
    json_object_del(object, key);
    bool refused = is_refused(h, optional ? "" : key);
    json_object_set_new(object, key, copy);
    if (!optional && !refused)
        fail_msg("%s: was dropped and nobody missed it", path);
}

static void hunt_below(struct hunt *h, json_t *value, const char *path)
{
    char below[300];
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            snprintf(below, sizeof below, "%s[%zu]", path, i);
            hunt_below(h, json_array_get(value, i), below);
        }
        return;
    }
    if (!json_is_object(value))
        return;
    size_t n = json_object_size(value);
    char **keys = xcalloc(n, sizeof *keys);
    const char *key;
    json_t *unused;
    size_t k = 0;
    json_object_foreach(value, key, unused) keys[k++] = xstrdup(key);
    for (k = 0; k < n; k++) {
        snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", keys[k]);
        drop_key(h, value, keys[k], below);
        mutate_value(h, value, keys[k], below);
        hunt_below(h, json_object_get(value, keys[k]), below);
        free(keys[k]);
    }
    free(keys);
}

/* A small document, so that all of its values can be tried in every way. */
static void test_mutants(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 1);
    r.command = xstrdup("c");
    r.fingerprint = xstrdup("f");
    facts_text(&r.environment, "kernel", "6.1");
    facts_number(&r.servers[0].facts, "workers", 1);
    strings_add(&r.servers[0].conf, "conf/a/a.conf");
    strings_add(&r.warnings, "w");
    fill_trial(small_trial(&r, 1, 0, 100, 10));
    fill_cells(&r);
    struct ratio *x = xgrow(&r.ratios, &r.ratios_n, sizeof *x);
    *x = (struct ratio){.server = 1, .value = {1.5, 1, 2, 0.95, 1}};
    struct fairness_item *item = xgrow(&r.fairness, &r.fairness_n, sizeof *item);
    item->name = xstrdup("i");
    item->value = xcalloc(2, sizeof *item->value);
    item->reason = xcalloc(2, sizeof *item->reason);
    item->value[0] = xstrdup("v");
    item->reason[0] = xstrdup("r");
    char *text = result_to_json(&r);
    struct hunt h = {.root = json_loads(text, 0, NULL)};
    assert_false(is_refused(&h, ""));
    hunt_below(&h, h.root, "");
    assert_false(is_refused(&h, "")); /* it was put together again */
    assert_true(h.mutants > 1500);
    assert_true(h.taken * 2 < h.mutants);
    json_decref(h.root);
    result_fini(&r);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_is_identity), cmocka_unit_test(test_nothing_measured),
        cmocka_unit_test(test_fields_come_back),       cmocka_unit_test(test_is_strict_json),
        cmocka_unit_test(test_text_that_is_not_utf8),  cmocka_unit_test(test_comma_locale),
        cmocka_unit_test(test_odd_figures_settle),     cmocka_unit_test(test_other_documents),
        cmocka_unit_test(test_contradictions),         cmocka_unit_test(test_no_cells),
        cmocka_unit_test(test_a_cell_too_few),         cmocka_unit_test(test_mutants),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
