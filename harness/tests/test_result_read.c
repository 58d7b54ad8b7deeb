/* Reading results: whatever isn't one is refused by its key and never crashes. Contradictions
   first, then every value of a document dropped and replaced in turn. */
#include "model/result.h"

#include <setjmp.h>
#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/full_result.h"
#include "tests/scratch.h"

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
        {"\"is_range\": true", "\"is_range\": 1", "witnesses[0].is_range: is a number"},
        {"\"by\": 2", "\"by\": 3", "witnesses[0].by: is 3; it must be from 0 to 2"},
        {"\"by\": 2", "\"by\": 0", "witnesses[0].metric: is \"cpu_ns_per_request\", but by"},
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
        json_array_clear(json_object_get(root, "witnesses"));
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
    static const char *const may_be_missing[] = {
        "suite.title", "suite.reference", "suite.modes",       "suite.workers", "suite.warmup_s",
        "suite.seed",  "suite.blocks_of", "suite.duration_of", "suite.requests"};
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
    full_trial(small_trial(&r, 1, 0, 100, 10));
    full_cells(&r);
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
        cmocka_unit_test(test_other_documents), cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_no_cells),        cmocka_unit_test(test_a_cell_too_few),
        cmocka_unit_test(test_mutants),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
