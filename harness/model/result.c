/* result: construction and names. Its JSON is in result_json.c (out) and result_read.c (in). */
#include "model/result.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

const char *metric_name(enum metric m)
{
    static const char *const names[METRIC_COUNT] = {"requests_per_s", "cpu_ns_per_request"};
    return names[m];
}

const char *run_state_name(enum run_state s)
{
    static const char *const names[] = {"running", "complete", "interrupted", "failed"};
    return names[s];
}

/* Nothing is known of it: 0 would be a measured zero. */
static void cell_init(struct cell_result *c)
{
    *c = (struct cell_result){.verdict = VERDICT_NOT_RUN, .requests_per_s = NAN};
    c->requests_per_s_low = c->requests_per_s_high = NAN;
    c->latency_mean = c->latency_resolution = NAN;
    for (int i = 0; i < LATENCY_N; i++)
        c->latency[i] = NAN;
    c->cpu_ns_per_request = c->client_cpu_ns_per_request = NAN;
    c->server_busy = c->client_busy = c->peak_rss_kib = NAN;
}

void result_init(struct result *r, struct plan *p)
{
    *r = (struct result){.plan = *p};
    *p = (struct plan){0};
    r->servers = xcalloc(r->plan.servers_n, sizeof *r->servers);
    r->cells = xcalloc(r->plan.cells_n, sizeof *r->cells);
    for (size_t i = 0; i < r->plan.cells_n; i++)
        cell_init(&r->cells[i]);
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
    plan_fini(&r->plan);
    *r = (struct result){0};
}
