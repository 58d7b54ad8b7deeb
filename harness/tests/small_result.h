/* small_result: a result in memory with as many servers and comparisons as a test wants, and
   nothing measured in it. Server 0 ("a") is the reference; all cells are health by wrk, keep-alive,
   one connection level a comparison. Include cmocka.h first. */
#ifndef TESTS_SMALL_RESULT_H
#define TESTS_SMALL_RESULT_H

#include "base/alloc.h"
#include "model/result.h"

#include <stdio.h>

static inline struct plan small_plan(size_t servers, size_t comparisons, unsigned blocks)
{
    struct plan p = {.suite = {.name = xstrdup("small"),
                               .title = xstrdup("a small one"),
                               .path = xstrdup("small.json"),
                               .reference = xstrdup("a"),
                               .routes = {ROUTE_HEALTH},
                               .routes_n = 1,
                               .connections_n = comparisons,
                               .keepalive = true,
                               .workers = 1,
                               .blocks = blocks,
                               .duration_s = 2,
                               .warmup_s = 0.5,
                               .seed = 7}};
    strings_add(&p.suite.generators, "wrk");
    for (size_t i = 0; i < servers; i++) {
        struct manifest *m = xgrow(&p.servers, &p.servers_n, sizeof *m);
        m->name = xasprintf("%c", (char)('a' + i));
        m->title = xasprintf("server %s", m->name);
        m->path = xasprintf("servers/%s/server.json", m->name);
        m->dir = xstrdup("servers");
        strings_add(&p.suite.servers, m->name);
    }
    for (size_t c = 0; c < comparisons; c++) {
        struct comparison *one = xgrow(&p.comparisons, &p.comparisons_n, sizeof *one);
        *one = (struct comparison){p.cells_n, servers};
        p.suite.connections[c] = 8u << c;
        for (size_t i = 0; i < servers; i++) {
            struct cell *cell = xgrow(&p.cells, &p.cells_n, sizeof *cell);
            *cell = (struct cell){.server = i,
                                  .route = ROUTE_HEALTH,
                                  .connections = p.suite.connections[c],
                                  .keepalive = true,
                                  .comparison = c};
        }
    }
    return p;
}

static inline void small_result(struct result *r, size_t servers, size_t comparisons,
                                unsigned blocks)
{
    struct plan p = small_plan(servers, comparisons, blocks);
    result_init(r, &p);
    snprintf(r->started, sizeof r->started, "2026-01-31T12:00:00Z");
}

/* A trial of a cell that ran 2 s at this rate, for this CPU time a request. */
static inline struct trial *small_trial(struct result *r, size_t cell, unsigned block, double rate,
                                        double cpu_ns)
{
    struct trial *t = xgrow(&r->trials, &r->trials_n, sizeof *t);
    trial_init(t);
    t->cell = cell;
    t->block = block;
    t->verdict = VERDICT_VALID;
    t->tally.duration_s = 2;
    t->tally.requests = t->tally.ok = (int64_t)(rate * 2 + 0.5);
    t->usage.server_cpu_s = cpu_ns * 1e-9 * (double)t->tally.requests;
    return t;
}

#endif
