/* gate: see model/gate.h. */
#include "model/gate.h"

#include "base/alloc.h"
#include "model/json_out.h"

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

static json_t *checks_json(const struct gate *g)
{
    json_t *a = json_array();
    for (size_t i = 0; i < g->checks_n; i++) {
        const struct gate_check *c = &g->checks[i];
        json_t *o = json_object();
        json_out_put(o, "tier", json_string(gate_tier_name(c->tier)));
        json_out_put(o, "outcome", json_string(gate_outcome_name(c->outcome)));
        json_out_put(o, "series", json_out_text(c->series));
        json_out_put(o, "unit", json_out_text(c->unit));
        json_out_put(o, "before", json_out_real(c->before));
        json_out_put(o, "now", json_out_real(c->now));
        json_out_put(o, "worse_percent", json_out_real(c->worse));
        json_out_put(o, "worse_percent_low", json_out_real(c->low));
        json_out_put(o, "worse_percent_high", json_out_real(c->high));
        json_out_put(o, "allowed_percent", json_out_real(c->allowed));
        json_out_put(o, "words", json_out_text(c->words));
        json_array_append_new(a, o);
    }
    return a;
}

char *gate_to_json(const struct gate *g)
{
    json_t *root = json_object(), *tiers = json_array();
    for (int t = 0; t < GATE_TIERS; t++)
        if (g->asked[t])
            json_array_append_new(tiers, json_string(gate_tier_name((enum gate_tier)t)));
    json_out_put(root, "schema", json_string("parity/gate"));
    json_out_put(root, "schema_version", json_integer(1));
    json_out_put(root, "verdict", json_string(gate_verdict_name(g->verdict)));
    json_out_put(root, "reason", json_out_text(g->reason));
    json_out_put(root, "interrupted", json_boolean(g->interrupted));
    json_out_put(root, "started", json_out_text(g->started));
    json_out_put(root, "elapsed_s", json_out_real(g->elapsed_s));
    json_out_put(root, "command", json_out_text(g->command));
    json_out_put(root, "base", json_out_text(g->base));
    json_out_put(root, "head", json_out_text(g->head));
    json_out_put(root, "tiers", tiers);
    json_out_put(root, "checks", checks_json(g));
    json_out_put(root, "notes", json_out_list(&g->notes));
    json_out_put(root, "environment", json_out_facts(&g->environment));
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
