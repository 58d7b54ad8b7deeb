/* result: construction and names. Its JSON is in result_json.c (out) and result_read.c (in). */
#include "model/result.h"

#include "base/alloc.h"

#include <stdlib.h>

const char *run_state_name(enum run_state s)
{
    static const char *const names[] = {"running", "complete", "interrupted", "failed"};
    return names[s];
}

void result_init(struct result *r, struct plan *p)
{
    *r = (struct result){.plan = *p};
    *p = (struct plan){0};
    r->servers = xcalloc(r->plan.servers_n, sizeof *r->servers);
    r->cells = xcalloc(r->plan.cells_n, sizeof *r->cells);
    for (size_t i = 0; i < r->plan.cells_n; i++)
        cell_result_init(&r->cells[i]);
}

static void item_fini(struct fairness_item *item, size_t servers_n)
{
    free(item->name);
    for (size_t i = 0; i < servers_n; i++) {
        free(item->value[i]);
        free(item->reason[i]);
    }
    free(item->value);
    free(item->reason);
}

void result_fini(struct result *r)
{
    for (size_t i = 0; r->servers && i < r->plan.servers_n; i++) {
        facts_fini(&r->servers[i].facts);
        strings_fini(&r->servers[i].conf);
        free(r->servers[i].failed);
    }
    for (size_t i = 0; i < r->fairness_n; i++)
        item_fini(&r->fairness[i], r->plan.servers_n);
    free(r->command);
    free(r->fingerprint);
    facts_fini(&r->environment);
    strings_fini(&r->warnings);
    free(r->servers);
    free(r->fairness);
    free(r->trials);
    free(r->cells);
    free(r->ratios);
    free(r->witnesses);
    plan_fini(&r->plan);
    *r = (struct result){0};
}
