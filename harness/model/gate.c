/* gate: see model/gate.h. */
#include "model/gate.h"

#include "base/alloc.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

const char *gate_tier_name(enum gate_tier t)
{
    static const char *const names[GATE_TIERS] = {"counts", "duel", "trend"};
    return names[t];
}

const char *gate_outcome_name(enum gate_outcome o)
{
    static const char *const names[GATE_OUTCOMES] = {
        "pass", "improved", "new", "note", "not_compared", "inconclusive", "missing", "fail"};
    return names[o];
}

const char *gate_verdict_name(enum gate_verdict v)
{
    static const char *const names[] = {"RUNNING", "PASS", "FAIL", "INCONCLUSIVE"};
    return names[v];
}

struct gate_check *gate_add(struct gate *g, enum gate_tier tier, enum gate_outcome outcome,
                            char *series, char *words)
{
    struct gate_check *c = xgrow(&g->checks, &g->checks_n, sizeof *c);
    *c = (struct gate_check){.tier = tier,
                             .outcome = outcome,
                             .series = series,
                             .unit = xstrdup(""),
                             .before = NAN,
                             .now = NAN,
                             .worse = NAN,
                             .low = NAN,
                             .high = NAN,
                             .allowed = NAN,
                             .words = words};
    return c;
}

size_t gate_count_of(const struct gate *g, enum gate_tier tier, enum gate_outcome outcome)
{
    size_t n = 0;
    for (size_t i = 0; i < g->checks_n; i++)
        n += g->checks[i].outcome == outcome && (tier == GATE_TIERS || g->checks[i].tier == tier);
    return n;
}

static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
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

static json_t *checks_json(const struct gate *g)
{
    json_t *a = json_array();
    for (size_t i = 0; i < g->checks_n; i++) {
        const struct gate_check *c = &g->checks[i];
        json_t *o = json_object();
        put(o, "tier", json_string(gate_tier_name(c->tier)));
        put(o, "outcome", json_string(gate_outcome_name(c->outcome)));
        put(o, "series", text(c->series));
        put(o, "unit", text(c->unit));
        put(o, "before", real(c->before));
        put(o, "now", real(c->now));
        put(o, "worse_percent", real(c->worse));
        put(o, "worse_percent_low", real(c->low));
        put(o, "worse_percent_high", real(c->high));
        put(o, "allowed_percent", real(c->allowed));
        put(o, "words", text(c->words));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *facts_json(const struct facts *f)
{
    json_t *o = json_object();
    for (size_t i = 0; i < f->n; i++)
        put(o, f->item[i].key, f->item[i].text ? text(f->item[i].text) : real(f->item[i].number));
    return o;
}

char *gate_to_json(const struct gate *g)
{
    json_t *root = json_object(), *tiers = json_array(), *notes = json_array();
    for (int t = 0; t < GATE_TIERS; t++)
        if (g->asked[t])
            json_array_append_new(tiers, json_string(gate_tier_name((enum gate_tier)t)));
    for (size_t i = 0; i < g->notes.n; i++)
        json_array_append_new(notes, text(g->notes.item[i]));
    put(root, "schema", json_string("parity/gate"));
    put(root, "schema_version", json_integer(1));
    put(root, "verdict", json_string(gate_verdict_name(g->verdict)));
    put(root, "reason", text(g->reason));
    put(root, "interrupted", json_boolean(g->interrupted));
    put(root, "started", text(g->started));
    put(root, "elapsed_s", real(g->elapsed_s));
    put(root, "command", text(g->command));
    put(root, "base", text(g->base));
    put(root, "head", text(g->head));
    put(root, "tiers", tiers);
    put(root, "checks", checks_json(g));
    put(root, "notes", notes);
    put(root, "environment", facts_json(&g->environment));
    char *json = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    assert(json);
    json_decref(root);
    return json;
}

void gate_fini(struct gate *g)
{
    for (size_t i = 0; i < g->checks_n; i++) {
        free(g->checks[i].series);
        free(g->checks[i].unit);
        free(g->checks[i].words);
    }
    free(g->checks);
    free(g->reason);
    free(g->command);
    free(g->base);
    free(g->head);
    facts_fini(&g->environment);
    strings_fini(&g->notes);
    *g = (struct gate){0};
}
