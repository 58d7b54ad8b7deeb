/* published_json: an outcome -> reproduce.json (results/schema/reproduced.schema.json). What was
   not measured becomes null. */
#include "model/published_outcome.h"

#include "base/alloc.h"
#include "model/json_out.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *count(uint64_t v)
{
    return v ? json_integer((json_int_t)v) : json_null();
}

static json_t *interval_json(const struct interval *v)
{
    json_t *o = json_object();
    json_out_put(o, "estimate", json_out_real(v->estimate));
    json_out_put(o, "low", json_out_real(v->low));
    json_out_put(o, "high", json_out_real(v->high));
    json_out_put(o, "confidence", json_out_real(v->confidence));
    json_out_put(o, "blocks", json_integer((json_int_t)v->n));
    return o;
}

static json_t *range_json(const struct published_range *r)
{
    json_t *o = json_object();
    if (!r->known)
        return json_decref(o), json_null();
    json_out_put(o, "low", json_out_real(r->low));
    json_out_put(o, "high", json_out_real(r->high));
    return o;
}

static json_t *cell_json(const struct published_cell *c)
{
    json_t *o = json_object();
    json_out_put(o, "server", json_out_text(c->server));
    json_out_put(o, "route", json_out_text(route_get(c->route)->name));
    json_out_put(o, "connections", json_integer(c->connections));
    json_out_put(o, "mode", json_string(c->keepalive ? "keep-alive" : "close"));
    return o;
}

static json_t *published_row_json(const struct published *p, const struct published_row *row)
{
    json_t *o = json_object();
    json_out_put(o, "table", json_out_text(p->tables[row->table].id));
    json_out_put(o, "server", json_out_text(row->server));
    json_out_put(o, "route", json_out_text(row->page));
    json_out_put(o, "connections", json_integer(row->cell.connections));
    json_out_put(o, "workers", count(row->workers));
    json_out_put(o, "run", count(row->run));
    json_out_put(o, "requests_per_s", json_out_real(row->requests_per_s));
    json_out_put(o, "p50_us", json_out_real(row->p50_ms * 1e3));
    json_out_put(o, "p99_us", json_out_real(row->p99_ms * 1e3));
    return o;
}

static json_t *row_json(const struct published_outcome *o, size_t i)
{
    const struct published_row *row = &o->document->rows[i];
    const struct published_finding *f = &o->rows[i];
    json_t *j = json_object(), *measured = json_object(), *ratio = json_object();
    json_out_put(measured, "verdict", json_string(verdict_name(f->verdict)));
    json_out_put(measured, "note", json_out_text(f->note));
    json_out_put(measured, "requests_per_s", json_out_real(f->requests_per_s));
    json_out_put(measured, "p50_us", json_out_real(f->p50_us));
    json_out_put(measured, "p99_us", json_out_real(f->p99_us));
    json_out_put(ratio, "base", json_integer((json_int_t)row->base));
    json_out_put(ratio, "published", json_out_real(f->ratio));
    json_out_put(ratio, "window", range_json(&f->window));
    json_out_put(ratio, "requests_per_s", interval_json(&f->throughput));
    json_out_put(ratio, "cpu_ns_per_request", interval_json(&f->cpu));
    json_out_put(ratio, "paired", json_boolean(f->paired));
    json_out_put(j, "published", published_row_json(o->document, row));
    json_out_put(j, "cell", cell_json(&row->cell));
    json_out_put(j, "run", json_out_text(o->plan->parts[o->plan->part_of_row[i]].name));
    json_out_put(j, "measured", measured);
    json_out_put(j, "ratio", ratio);
    json_out_put(j, "word", json_string(published_word_name(f->word)));
    json_out_put(j, "why", json_out_text(f->why));
    return j;
}

static json_t *claim_json(const struct published_outcome *o, size_t i)
{
    const struct published_claim *c = &o->document->claims[i];
    const struct published_judgement *g = &o->claims[i];
    json_t *j = json_object(), *said = json_object(), *data = json_object();
    json_out_put(said, "text", json_out_text(c->said));
    json_out_put(said, "range", range_json(&c->said_range));
    json_out_put(said, "word", json_string(published_word_name(g->said)));
    json_out_put(data, "text", json_out_text(c->data));
    json_out_put(data, "range", range_json(&c->data_range));
    json_out_put(data, "word", json_string(published_word_name(g->data)));
    json_out_put(j, "id", json_out_text(c->id));
    json_out_put(j, "said", said);
    json_out_put(j, "own_data", data);
    json_out_put(j, "measured", json_out_text(g->measured));
    json_out_put(j, "value", interval_json(&g->value));
    json_out_put(j, "why", json_out_text(g->why));
    return j;
}

static json_t *run_json(const struct published_outcome *o, size_t i)
{
    const struct published_part *x = &o->plan->parts[i];
    json_t *j = json_object();
    json_out_put(j, "name", json_out_text(x->name));
    json_out_put(j, "generator", json_out_text(x->generator));
    json_out_put(j, "threads", count(x->threads));
    json_out_put(j, "duration_s", x->requests ? json_null() : json_out_real(x->duration_s));
    json_out_put(j, "requests", count(x->requests));
    json_out_put(j, "adapted", json_out_list(&x->adapted));
    json_out_put(j, "cpus", json_out_text(o->runs[i].cpus));
    json_out_put(j, "cells", json_integer((json_int_t)o->runs[i].cells));
    json_out_put(j, "valid_cells", json_integer((json_int_t)o->runs[i].valid));
    json_out_put(j, "failed", json_out_text(o->runs[i].failed));
    return j;
}

static json_t *memory_json(const struct published_memory *m)
{
    json_t *j = json_object();
    json_out_put(j, "server", json_out_text(m->server));
    json_out_put(j, "connections", json_integer(m->connections));
    json_out_put(j, "idle_bytes", json_out_real(m->idle_bytes));
    json_out_put(j, "used_bytes", json_out_real(m->used_bytes));
    json_out_put(j, "resolution_bytes", json_out_real(m->resolution_bytes));
    json_out_put(j, "why", json_out_text(m->why));
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
    json_out_put(j, "schema", json_string("parity/reproduced"));
    json_out_put(j, "schema_version", json_integer(1));
    json_out_put(j, "id", json_out_text(p->id));
    json_out_put(j, "title", json_out_text(p->title));
    json_out_put(j, "source", json_out_text(p->source));
    json_out_put(j, "host", json_out_text(p->host));
    json_out_put(j, "state", json_string(o->interrupted ? "interrupted" : "complete"));
    json_out_put(j, "quick", json_boolean(o->plan->quick));
    json_out_put(j, "started", json_out_text(o->started));
    json_out_put(j, "ended", json_out_text(o->ended));
    json_out_put(j, "command", json_out_text(o->command));
    json_out_put(j, "seed", json_integer((json_int_t)o->seed));
    json_out_put(j, "adaptations", json_out_list(&p->adaptations));
    json_out_put(j, "environment", json_out_facts(&o->environment));
    json_out_put(j, "missing", json_out_facts(&o->missing));
    json_out_put(j, "runs", runs);
    json_out_put(j, "rows", rows);
    json_out_put(j, "claims", claims);
    json_out_put(j, "memory", memory);
    char *out = json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(j);
    assert(out);
    return out;
}
