/* published_json: an outcome -> reproduce.json (results/schema/reproduced.schema.json). What was
   not measured becomes null. */
#include "model/published_outcome.h"

#include "base/alloc.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *count(uint64_t v)
{
    return v ? json_integer((json_int_t)v) : json_null();
}

/* Bytes that aren't UTF-8 (a log, a tool's words) become '?'. */
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

static json_t *list(const struct strings *s)
{
    json_t *a = json_array();
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(a, text(s->item[i]));
    return a;
}

static json_t *facts_json(const struct facts *f)
{
    json_t *o = json_object();
    for (size_t i = 0; i < f->n; i++)
        put(o, f->item[i].key, f->item[i].text ? text(f->item[i].text) : real(f->item[i].number));
    return o;
}

static json_t *interval_json(const struct interval *v)
{
    json_t *o = json_object();
    put(o, "estimate", real(v->estimate));
    put(o, "low", real(v->low));
    put(o, "high", real(v->high));
    put(o, "confidence", real(v->confidence));
    put(o, "blocks", json_integer((json_int_t)v->n));
    return o;
}

static json_t *range_json(const struct published_range *r)
{
    json_t *o = json_object();
    if (!r->known)
        return json_decref(o), json_null();
    put(o, "low", real(r->low));
    put(o, "high", real(r->high));
    return o;
}

static json_t *cell_json(const struct published_cell *c)
{
    json_t *o = json_object();
    put(o, "server", text(c->server));
    put(o, "route", text(route_get(c->route)->name));
    put(o, "connections", json_integer(c->connections));
    put(o, "mode", json_string(c->keepalive ? "keep-alive" : "close"));
    return o;
}

static json_t *published_row_json(const struct published *p, const struct published_row *row)
{
    json_t *o = json_object();
    put(o, "table", text(p->tables[row->table].id));
    put(o, "server", text(row->server));
    put(o, "route", text(row->page));
    put(o, "connections", json_integer(row->cell.connections));
    put(o, "workers", count(row->workers));
    put(o, "run", count(row->run));
    put(o, "requests_per_s", real(row->requests_per_s));
    put(o, "p50_us", real(row->p50_ms * 1e3));
    put(o, "p99_us", real(row->p99_ms * 1e3));
    return o;
}

static json_t *row_json(const struct published_outcome *o, size_t i)
{
    const struct published_row *row = &o->document->rows[i];
    const struct published_finding *f = &o->rows[i];
    json_t *j = json_object(), *measured = json_object(), *ratio = json_object();
    put(measured, "verdict", json_string(verdict_name(f->verdict)));
    put(measured, "note", text(f->note));
    put(measured, "requests_per_s", real(f->requests_per_s));
    put(measured, "p50_us", real(f->p50_us));
    put(measured, "p99_us", real(f->p99_us));
    put(ratio, "base", json_integer((json_int_t)row->base));
    put(ratio, "published", real(f->ratio));
    put(ratio, "window", range_json(&f->window));
    put(ratio, "requests_per_s", interval_json(&f->throughput));
    put(ratio, "cpu_ns_per_request", interval_json(&f->cpu));
    put(ratio, "paired", json_boolean(f->paired));
    put(j, "published", published_row_json(o->document, row));
    put(j, "cell", cell_json(&row->cell));
    put(j, "run", text(o->plan->parts[o->plan->part_of_row[i]].name));
    put(j, "measured", measured);
    put(j, "ratio", ratio);
    put(j, "word", json_string(published_word_name(f->word)));
    put(j, "why", text(f->why));
    return j;
}

static json_t *claim_json(const struct published_outcome *o, size_t i)
{
    const struct published_claim *c = &o->document->claims[i];
    const struct published_judgement *g = &o->claims[i];
    json_t *j = json_object(), *said = json_object(), *data = json_object();
    put(said, "text", text(c->said));
    put(said, "range", range_json(&c->said_range));
    put(said, "word", json_string(published_word_name(g->said)));
    put(data, "text", text(c->data));
    put(data, "range", range_json(&c->data_range));
    put(data, "word", json_string(published_word_name(g->data)));
    put(j, "id", text(c->id));
    put(j, "said", said);
    put(j, "own_data", data);
    put(j, "measured", text(g->measured));
    put(j, "value", interval_json(&g->value));
    put(j, "why", text(g->why));
    return j;
}

static json_t *run_json(const struct published_outcome *o, size_t i)
{
    const struct published_part *x = &o->plan->parts[i];
    json_t *j = json_object();
    put(j, "name", text(x->name));
    put(j, "generator", text(x->generator));
    put(j, "threads", count(x->threads));
    put(j, "duration_s", x->requests ? json_null() : real(x->duration_s));
    put(j, "requests", count(x->requests));
    put(j, "adapted", list(&x->adapted));
    put(j, "cpus", text(o->runs[i].cpus));
    put(j, "cells", json_integer((json_int_t)o->runs[i].cells));
    put(j, "valid_cells", json_integer((json_int_t)o->runs[i].valid));
    put(j, "failed", text(o->runs[i].failed));
    return j;
}

static json_t *memory_json(const struct published_memory *m)
{
    json_t *j = json_object();
    put(j, "server", text(m->server));
    put(j, "connections", json_integer(m->connections));
    put(j, "idle_bytes", real(m->idle_bytes));
    put(j, "used_bytes", real(m->used_bytes));
    put(j, "resolution_bytes", real(m->resolution_bytes));
    put(j, "why", text(m->why));
    return j;
}

char *published_outcome_json(const struct published_outcome *o)
{
    const struct published *p = o->document;
    json_t *j = json_object(), *runs = json_array(), *rows = json_array(), *claims = json_array(),
           *memory = json_array();
    for (size_t i = 0; i < o->plan->parts_n; i++)
        json_array_append_new(runs, run_json(o, i));
    for (size_t i = 0; i < p->rows_n; i++)
        json_array_append_new(rows, row_json(o, i));
    for (size_t i = 0; i < p->claims_n; i++)
        json_array_append_new(claims, claim_json(o, i));
    for (size_t i = 0; i < o->memory_n; i++)
        json_array_append_new(memory, memory_json(&o->memory[i]));
    put(j, "schema", json_string("parity/reproduced"));
    put(j, "schema_version", json_integer(1));
    put(j, "id", text(p->id));
    put(j, "title", text(p->title));
    put(j, "source", text(p->source));
    put(j, "host", text(p->host));
    put(j, "state", json_string(o->interrupted ? "interrupted" : "complete"));
    put(j, "quick", json_boolean(o->plan->quick));
    put(j, "started", text(o->started));
    put(j, "ended", text(o->ended));
    put(j, "command", text(o->command));
    put(j, "seed", json_integer((json_int_t)o->seed));
    put(j, "adaptations", list(&p->adaptations));
    put(j, "environment", facts_json(&o->environment));
    put(j, "missing", facts_json(&o->missing));
    put(j, "runs", runs);
    put(j, "rows", rows);
    put(j, "claims", claims);
    put(j, "memory", memory);
    char *out = json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(j);
    assert(out);
    return out;
}
