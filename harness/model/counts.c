/* counts: see counts.h. Counts are written with two decimals at most: more is noise of the clock.
 */
#include "model/counts.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/json_field.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *title;
    double resolution;
} kinds[COUNT_KINDS] = {
    [COUNT_INSTRUCTIONS] = {"user_instructions", "instructions", 0.5},
    [COUNT_SYSTEM_CALLS] = {"system_calls", "system calls", 0.01},
    [COUNT_ALLOCATIONS] = {"allocations", "allocations", 0.01},
    [COUNT_BYTES] = {"response_bytes", "bytes of the answer", 0.01},
};

const char *count_name(enum count c)
{
    return kinds[c].name;
}

const char *count_title(enum count c)
{
    return kinds[c].title;
}

double count_resolution(enum count c)
{
    return kinds[c].resolution;
}

char *counts_differ(const struct counts *now, const struct counts *before)
{
    char *all = NULL;
    for (size_t i = 0; i < before->depends_on.n; i++) {
        const char *key = before->depends_on.item[i].key;
        const char *was = facts_show(&before->depends_on, key);
        const char *is = facts_show(&now->depends_on, key);
        if (strcmp(was, is) == 0)
            continue;
        char *next =
            xasprintf("%s%s%s is %s, was %s", all ? all : "", all ? "; " : "", key, is, was);
        free(all);
        all = next;
    }
    return all;
}

static void read_facts(struct facts *f, const struct json_at *at)
{
    const char *key;
    json_t *value;
    if (!json_is_object(at->value))
        return;
    json_object_foreach(at->value, key, value)
    {
        struct json_at one = json_at_key(at, key);
        facts_text(f, key, json_at_text(&one));
    }
}

static void read_route(struct counts *c, const struct json_at *routes, const char *name)
{
    static const char *const keys[] = {"user_instructions", "system_calls", "allocations",
                                       "response_bytes", NULL};
    struct json_at at = json_at_key(routes, name);
    int route = route_find(name);
    if (route < 0) {
        json_at_refuse(&at, "there is no such route");
        return;
    }
    if (!json_at_object(&at, keys))
        return;
    c->counted[route] = true;
    for (int k = 0; k < COUNT_KINDS; k++) {
        struct json_at one = json_at_key(&at, kinds[k].name);
        c->per_request[route][k] = json_at_measure(&one);
        if (c->per_request[route][k] < 0)
            json_at_refuse(&one, "a count is 0 or more");
    }
}

static void read_routes(struct counts *c, const struct json_at *at)
{
    const char *name;
    json_t *value;
    if (!json_is_object(at->value))
        return;
    json_object_foreach(at->value, name, value)
    {
        read_route(c, at, name);
    }
}

int counts_load(struct counts *c, const char *path, struct err *e)
{
    static const char *const keys[] = {"schema",     "schema_version",     "server", "arguments",
                                       "depends_on", "counts_per_request", NULL};
    struct json_in in;
    *c = (struct counts){0};
    int rc = json_in_open(&in, path, e);
    if (rc == 0) {
        struct json_at root = json_in_root(&in);
        if (json_at_object(&root, keys)) {
            json_at_schema(&root, "parity/counts", 1);
            c->server = field_text(&root, "server");
            c->arguments = field_text(&root, "arguments");
            struct json_at facts = field_object(&root, "depends_on");
            struct json_at routes = field_object(&root, "counts_per_request");
            read_facts(&c->depends_on, &facts);
            read_routes(c, &routes);
        }
        rc = e->code ? -1 : 0;
    }
    json_in_close(&in);
    return rc;
}

static json_t *count_json(double v)
{
    if (!isfinite(v))
        return json_null();
    double hundredths = round(v * 100);
    return fmod(hundredths, 100) == 0 ? json_integer((json_int_t)(hundredths / 100))
                                      : json_real(hundredths / 100);
}

static json_t *text(const char *s)
{
    return s ? json_string(s) : json_null();
}

char *counts_to_json(const struct counts *c)
{
    json_t *facts = json_object(), *routes = json_object();
    for (size_t i = 0; i < c->depends_on.n; i++)
        json_object_set_new(facts, c->depends_on.item[i].key, text(c->depends_on.item[i].text));
    for (int route = 0; route < ROUTE_COUNT; route++) {
        if (!c->counted[route])
            continue;
        json_t *one = json_object();
        for (int k = 0; k < COUNT_KINDS; k++)
            json_object_set_new(one, kinds[k].name, count_json(c->per_request[route][k]));
        json_object_set_new(routes, route_get((enum route_id)route)->name, one);
    }
    json_t *root = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "schema", "parity/counts",
                             "schema_version", 1, "server", text(c->server), "arguments",
                             text(c->arguments), "depends_on", facts, "counts_per_request", routes);
    char *json = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    assert(json);
    json_decref(root);
    return json;
}

void counts_fini(struct counts *c)
{
    free(c->server);
    free(c->arguments);
    facts_fini(&c->depends_on);
    for (int k = 0; k < COUNT_KINDS; k++)
        free(c->why_not[k]);
    *c = (struct counts){0};
}
