/* published_read: reads configs/published/NAME.json strictly. The rows keep the source's names;
   what they are measured by here follows from runs_as, route_as and workers, of the table or of the
   whole document. */
#include "model/published.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/json_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct published *p;
    struct json_at root, table; /* the table that is being read */
    const char *reference, *reference_table;
};

static char *text_or_null(const struct json_at *parent, const char *key)
{
    struct json_at at = json_at_key(parent, key);
    return at.value ? xstrdup(json_at_text(&at)) : NULL;
}

/* What a table's or the document's map (runs_as, route_as) makes of a name; else the name. */
static const char *mapped(const struct reading *r, const char *map, const char *name)
{
    const struct json_at *const places[] = {&r->table, &r->root};
    for (size_t i = 0; i < 2; i++) {
        struct json_at at = json_at_key(places[i], map), one = json_at_key(&at, name);
        if (at.value && one.value)
            return json_at_text(&one);
    }
    return name;
}

/* Workers that a row's server has: the row's own, or those of the table; 1 is what every suite
   gives anyway. */
static unsigned workers_of(const struct reading *r, const struct json_at *row, const char *server)
{
    struct json_at own = json_at_key(row, "workers"), map = json_at_key(&r->table, "workers");
    struct json_at of_table = json_at_key(&map, server);
    if (own.value)
        return (unsigned)json_at_whole(&own, 1, 1024);
    return map.value && of_table.value ? (unsigned)json_at_whole(&of_table, 1, 1024) : 1;
}

static enum route_id route_of(const struct reading *r, const struct json_at *at)
{
    const char *name = mapped(r, "route_as", json_at_text(at));
    int id = route_find(name);
    if (id < 0)
        json_at_refuse(at, "\"%s\" is no route, and route_as doesn't say which one it is", name);
    return id < 0 ? ROUTE_HEALTH : (enum route_id)id;
}

/* 69428 is good to 1, 62269.41 to 0.01. */
static double resolution_of(const struct json_at *at)
{
    return json_is_integer(at->value) ? 1 : 0.01;
}

static void read_row(struct reading *r, const struct json_at *at)
{
    static const char *const keys[] = {
        "server", "route",      "connections", "requests_per_s", "requests", "workers", "threads",
        "run",    "body_bytes", "mean_ms",     "p50_ms",         "p66_ms",   "p75_ms",  "p80_ms",
        "p90_ms", "p95_ms",     "p98_ms",      "p99_ms",         "max_ms",   NULL};
    struct json_at server = json_at_key(at, "server"), route = json_at_key(at, "route");
    struct json_at level = json_at_key(at, "connections"), rate = json_at_key(at, "requests_per_s");
    struct json_at requests = json_at_key(at, "requests"), run = json_at_key(at, "run");
    struct json_at p50 = json_at_key(at, "p50_ms"), p99 = json_at_key(at, "p99_ms");
    struct json_at workers = json_at_key(at, "workers");
    struct json_at generator = json_at_key(&r->table, "generator");
    struct json_at of_table = json_at_key(&generator, "requests");
    if (!json_at_object(at, keys))
        return;
    struct published *p = r->p;
    struct published_row *row = xgrow(&p->rows, &p->rows_n, sizeof *row);
    row->table = p->tables_n - 1;
    row->server = xstrdup(json_at_text(&server));
    row->page = xstrdup(json_at_text(&route));
    unsigned n = workers_of(r, at, row->server);
    const char *runs_as = mapped(r, "runs_as", row->server);
    row->cell =
        (struct published_cell){.server = n > 1 ? xasprintf("%s:%u", runs_as, n) : xstrdup(runs_as),
                                .route = route_of(r, &route),
                                .connections = (unsigned)json_at_whole(&level, 1, 1000000),
                                .keepalive = p->tables[row->table].keepalive};
    row->workers = workers.value ? n : 0;
    row->run = (unsigned)json_at_whole_or(&run, 1, 1000, 0);
    row->requests =
        json_at_whole_or(&requests, 1, 100000000, json_at_whole_or(&of_table, 1, 100000000, 0));
    row->requests_per_s = json_at_number(&rate, 1, 1e12);
    row->resolution = resolution_of(&rate);
    row->p50_ms = json_at_number_or(&p50, 0, 1e9, NAN);
    row->p99_ms = json_at_number_or(&p99, 0, 1e9, NAN);
}

static bool is_like(const struct published_row *a, const struct published_row *b)
{
    return a->cell.connections == b->cell.connections && a->run == b->run;
}

/* See published_load. */
static size_t find_base(const struct reading *r, size_t index, size_t first)
{
    const struct published *p = r->p;
    const struct published_row *row = &p->rows[index];
    for (size_t i = 0; r->reference && i < p->rows_n; i++) {
        const struct published_row *b = &p->rows[i];
        bool there = r->reference_table && strcmp(p->tables[b->table].id, r->reference_table) == 0;
        bool here = !r->reference_table && b->table == row->table && is_like(row, b);
        if ((there || here) && strcmp(b->server, r->reference) == 0 &&
            strcmp(b->page, row->page) == 0)
            return i;
    }
    for (size_t i = first; i < index; i++)
        if (strcmp(p->rows[i].cell.server, row->cell.server) == 0 &&
            strcmp(p->rows[i].page, p->rows[first].page) == 0 && is_like(row, &p->rows[i]))
            return i;
    for (size_t i = first; i < index; i++)
        if (strcmp(p->rows[i].server, row->server) == 0)
            return i;
    return index;
}

/* Rows of one server that differ only in what the servers here don't have (round 1's threads) are
   held against the first of them. */
static void find_bases(struct reading *r, size_t first)
{
    struct json_at reference = json_at_key(&r->table, "reference");
    struct json_at elsewhere = json_at_key(&r->table, "reference_table");
    r->reference = json_at_text_or(&reference, NULL);
    r->reference_table = json_at_text_or(&elsewhere, NULL);
    for (size_t i = first; i < r->p->rows_n; i++)
        r->p->rows[i].base = find_base(r, i, first);
}

static void read_generator(struct published_table *t, const struct json_at *at)
{
    static const char *const keys[] = {"name",     "threads",   "duration_s",
                                       "requests", "keepalive", NULL};
    if (!json_at_object(at, keys))
        return;
    struct json_at name = json_at_key(at, "name"), threads = json_at_key(at, "threads");
    struct json_at duration = json_at_key(at, "duration_s"), keep = json_at_key(at, "keepalive");
    t->generator = xstrdup(json_at_text(&name));
    if (strcmp(t->generator, "wrk") != 0 && strcmp(t->generator, "ab") != 0)
        json_at_refuse(&name, "is \"%s\"; it must be wrk or ab", t->generator);
    t->threads = (unsigned)json_at_whole_or(&threads, 1, 1024, 0);
    t->duration_s = json_at_number_or(&duration, 0.1, 3600, NAN);
    t->keepalive = json_at_bool(&keep);
}

static void read_table(struct reading *r, const struct json_at *at)
{
    static const char *const keys[] = {
        "id",      "host",     "note",    "generator", "reference", "reference_table",
        "runs_as", "route_as", "workers", "rows",      NULL};
    if (!json_at_object(at, keys))
        return;
    struct json_at id = json_at_key(at, "id"), generator = json_at_key(at, "generator");
    struct json_at rows = json_at_key(at, "rows");
    struct published_table *t = xgrow(&r->p->tables, &r->p->tables_n, sizeof *t);
    size_t first = r->p->rows_n;
    r->table = *at;
    t->id = xstrdup(json_at_text(&id));
    t->host = text_or_null(at, "host");
    t->note = text_or_null(at, "note");
    read_generator(t, &generator);
    if (!t->generator)
        t->generator = xstrdup("");
    if (!json_at_array(&rows) || json_at_count(&rows) == 0)
        json_at_refuse(&rows, "must have at least one row");
    for (size_t i = 0; i < json_at_count(&rows); i++) {
        struct json_at one = json_at_index(&rows, i);
        read_row(r, &one);
        if (isnan(t->duration_s) && r->p->rows_n > first && !r->p->rows[r->p->rows_n - 1].requests)
            json_at_refuse(&one, "says neither how long nor how many requests");
    }
    find_bases(r, first);
}

static void read_cell(struct published_cell *c, const struct json_at *at)
{
    static const char *const keys[] = {"server", "route", "connections", "keepalive", NULL};
    if (!json_at_object(at, keys))
        return;
    struct json_at server = json_at_key(at, "server"), route = json_at_key(at, "route");
    struct json_at level = json_at_key(at, "connections"), keep = json_at_key(at, "keepalive");
    int id = route_find(json_at_text(&route));
    if (id < 0)
        json_at_refuse(&route, "\"%s\" is no route", json_at_text(&route));
    *c = (struct published_cell){.server = xstrdup(json_at_text(&server)),
                                 .route = id < 0 ? ROUTE_HEALTH : (enum route_id)id,
                                 .connections = (unsigned)json_at_whole(&level, 1, 1000000),
                                 .keepalive = json_at_bool(&keep)};
}

/* [low, high]; null as high = without end. */
static void read_range(struct published_range *range, const struct json_at *at)
{
    if (!at->value)
        return;
    struct json_at low = json_at_index(at, 0), high = json_at_index(at, 1);
    if (!json_at_array(at) || json_at_count(at) != 2) {
        json_at_refuse(at, "must be [low, high]");
        return;
    }
    range->known = true;
    range->low = json_at_number(&low, 0, 1e9);
    range->high = json_is_null(high.value) ? INFINITY : json_at_number(&high, range->low, 1e9);
}

static enum claim_kind kind_of(const struct json_at *at)
{
    static const char *const names[] = {"ratio", "ceiling", "memory"};
    const char *name = json_at_text(at);
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum claim_kind)i;
    json_at_refuse(at, "is \"%s\"; it must be ratio, ceiling or memory", name);
    return CLAIM_RATIO;
}

static void read_claim_cells(struct published_claim *c, const struct json_at *at)
{
    struct json_at of = json_at_key(at, "of"), to = json_at_key(at, "to");
    struct json_at server = json_at_key(at, "server"), route = json_at_key(at, "route");
    if (c->kind != CLAIM_MEMORY) {
        read_cell(&c->of, &of);
        read_cell(&c->to, &to);
        return;
    }
    int id = route_find(json_at_text(&route));
    if (id < 0)
        json_at_refuse(&route, "\"%s\" is no route", json_at_text(&route));
    c->of = (struct published_cell){.server = xstrdup(json_at_text(&server)),
                                    .route = id < 0 ? ROUTE_HEALTH : (enum route_id)id};
}

static void read_claim(struct published *p, const struct json_at *at)
{
    static const char *const keys[] = {"id",         "kind",       "of",         "to",
                                       "server",     "route",      "generator",  "needs_cpus",
                                       "said",       "said_ratio", "said_bytes", "data",
                                       "data_ratio", "data_bytes", NULL};
    if (!json_at_object(at, keys))
        return;
    struct json_at id = json_at_key(at, "id"), kind = json_at_key(at, "kind");
    struct json_at said = json_at_key(at, "said"), data = json_at_key(at, "data");
    struct json_at cpus = json_at_key(at, "needs_cpus");
    struct published_claim *c = xgrow(&p->claims, &p->claims_n, sizeof *c);
    c->id = xstrdup(json_at_text(&id));
    c->kind = kind_of(&kind);
    c->generator = text_or_null(at, "generator");
    c->needs_cpus = (unsigned)json_at_whole_or(&cpus, 1, 1024, 0);
    c->said = xstrdup(json_at_text(&said));
    c->data = xstrdup(json_at_text(&data));
    bool bytes = c->kind == CLAIM_MEMORY;
    struct json_at said_range = json_at_key(at, bytes ? "said_bytes" : "said_ratio");
    struct json_at data_range = json_at_key(at, bytes ? "data_bytes" : "data_ratio");
    read_range(&c->said_range, &said_range);
    read_range(&c->data_range, &data_range);
    read_claim_cells(c, at);
}

static void read_all(struct published *p, const struct json_at *root)
{
    static const char *const keys[] = {
        "schema", "schema_version", "id",       "title",       "host",   "source", "servers",
        "routes", "runs_as",        "route_as", "adaptations", "tables", "claims", NULL};
    if (!json_at_object(root, keys))
        return;
    json_at_schema(root, "parity/published", 1);
    struct json_at id = json_at_key(root, "id"), title = json_at_key(root, "title");
    struct json_at host = json_at_key(root, "host"), source = json_at_key(root, "source");
    struct json_at adapted = json_at_key(root, "adaptations");
    struct json_at tables = json_at_key(root, "tables"), claims = json_at_key(root, "claims");
    struct reading r = {.p = p, .root = *root};
    p->id = xstrdup(json_at_text(&id));
    p->title = xstrdup(json_at_text(&title));
    p->host = xstrdup(json_at_text(&host));
    p->source = xstrdup(json_at_text(&source));
    json_at_strings(&adapted, &p->adaptations);
    if (!json_at_array(&tables) || json_at_count(&tables) == 0)
        json_at_refuse(&tables, "must have at least one table");
    for (size_t i = 0; i < json_at_count(&tables); i++) {
        struct json_at one = json_at_index(&tables, i);
        read_table(&r, &one);
    }
    for (size_t i = 0; i < json_at_count(&claims); i++) {
        struct json_at one = json_at_index(&claims, i);
        read_claim(p, &one);
    }
}

int published_load(struct published *p, const char *path, struct err *e)
{
    struct json_in in;
    struct err own = {0};
    *p = (struct published){0};
    if (json_in_open(&in, path, &own) == 0) {
        struct json_at root = json_in_root(&in);
        read_all(p, &root);
    }
    json_in_close(&in);
    return own.code ? err_set(e, own.code, "%s", own.text) : 0;
}
