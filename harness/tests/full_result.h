/* full_result: a result with something of everything in it. Include cmocka.h first. */
#ifndef TESTS_FULL_RESULT_H
#define TESTS_FULL_RESULT_H

#include "tests/small_result.h"

#include <math.h>

static inline void full_trial(struct trial *t)
{
    struct tally *a = &t->tally;
    struct latency *l = &a->latency;
    for (int i = 0; i < ERROR_KINDS; i++)
        a->errors[i] = i % 2 ? i : -1;
    a->threads = 2;
    a->connections = 8;
    a->reconnects = 0;
    a->bytes = INT64_MAX;
    a->reported_per_s = 12345.678;
    l->mean = 0.1;
    l->min = 0;
    l->max = 1e9;
    l->resolution = 10;
    l->corrected = true;
    l->p[LATENCY_P50] = 1.0 / 3;
    l->p[LATENCY_P99] = 1e-300;
    t->paired_log_ratio[METRIC_CPU] = -0.0625;
    t->usage.steal_share = 0.02;
    t->usage.wall_s = 2.125;
    t->position = 1;
    snprintf(t->started, sizeof t->started, "2026-01-31T12:00:05Z");
    snprintf(t->raw, sizeof t->raw, "raw/000");
    snprintf(t->note, sizeof t->note, "few errors: read 1 (\xe2\x82\xac)");
}

static inline void full_cells(struct result *r)
{
    struct cell_result *c = &r->cells[0];
    c->verdict = VERDICT_VALID;
    c->trials = 3;
    c->valid = 2;
    c->requests_per_s = 61234.5;
    c->requests_per_s_low = 60000;
    c->requests_per_s_high = 62000.25;
    c->latency[LATENCY_P50] = 0; /* measured, and below the resolution (noahgibbs/rsb#1) */
    c->latency_resolution = 1000;
    c->latency_corrected = c->latency_censored = true;
    c->cpu_ns_per_request = 10500;
    c->server_busy = 0.98;
    r->cells[1].verdict = VERDICT_CLIENT_BOUND;
    snprintf(r->cells[1].note, sizeof r->cells[1].note, "the generator was 99 %% busy");
}

static inline void full_ratio(struct result *r, enum metric metric, struct interval value,
                              const char *note)
{
    struct ratio *x = xgrow(&r->ratios, &r->ratios_n, sizeof *x);
    *x = (struct ratio){.comparison = 1, .server = 1, .metric = metric, .value = value};
    snprintf(x->note, sizeof x->note, "%s", note);
}

static inline void full_fairness(struct result *r)
{
    struct fairness_item *item = xgrow(&r->fairness, &r->fairness_n, sizeof *item);
    item->name = xstrdup("head bytes");
    item->value = xcalloc(3, sizeof *item->value);
    item->reason = xcalloc(3, sizeof *item->reason);
    item->value[0] = xstrdup("172");
    item->value[1] = xstrdup("158");
    item->reason[1] = xstrdup("sends no Date \xf0\x9f\x95\x90");
    item = xgrow(&r->fairness, &r->fairness_n, sizeof *item);
    item->name = xstrdup("backlog");
    item->value = xcalloc(3, sizeof *item->value);
    item->reason = xcalloc(3, sizeof *item->reason);
    item->broken = true;
}

/* Something of everything: 3 servers, 2 comparisons, a skipped cell, trials with and without
   figures, ratios with and without an interval. */
static inline void full_result(struct result *r)
{
    struct plan p = small_plan(3, 2, 3);
    p.servers[2].url = xstrdup("http://127.0.0.1:8080");
    plan_skip(&p, 5, "no level for it: \"quotes\" \\ and\nlines");
    result_init(r, &p);
    r->state = RUN_INTERRUPTED;
    snprintf(r->started, sizeof r->started, "2026-01-31T12:00:00Z");
    snprintf(r->ended, sizeof r->ended, "2026-01-31T12:10:00Z");
    r->command = xstrdup("parity run small --out 'x y'");
    r->fingerprint = xstrdup("machine=1\nnginx=2");
    facts_text(&r->environment, "cpu_model", "Example CPU @ 2.00GHz");
    facts_text(&r->environment, "governor", NULL);
    facts_number(&r->environment, "memory_mib", 7946);
    facts_number(&r->environment, "load", 0.1);
    strings_add(&r->warnings, "steal was 4 %");
    facts_text(&r->servers[0].facts, "version", "nginx/1.22.1");
    strings_add(&r->servers[0].conf, "conf/a/nginx.conf");
    r->servers[2].failed = xstrdup("it isn't there");
    full_cells(r);
    full_trial(small_trial(r, 0, 0, 61234.5, 10500));
    small_trial(r, 4, 2, 1000.0 / 3, 9000.1);
    struct trial *nothing = small_trial(r, 1, 1, 1, 1);
    trial_init(nothing); /* died before anything was measured: all -1 and NaN */
    nothing->cell = 1;
    nothing->block = 1;
    nothing->verdict = VERDICT_SERVER_DIED;
    full_ratio(r, METRIC_THROUGHPUT, (struct interval){1.0625, 1.03, 1.1, 0.96875, 3}, "");
    full_ratio(r, METRIC_CPU, (struct interval){0.9, NAN, NAN, 0, 2}, "2 blocks are too few");
    full_ratio(r, METRIC_CPU, (struct interval){NAN, NAN, INFINITY, NAN, 0}, "the cell is errors");
    r->ratios[1].paired = true;
    struct witness *w = xgrow(&r->witnesses, &r->witnesses_n, sizeof *w);
    *w = (struct witness){1, 2, AGREEMENT_NO, 0.9, 1.01, true};
    w = xgrow(&r->witnesses, &r->witnesses_n, sizeof *w);
    *w = (struct witness){1, 2, AGREEMENT_OPEN, NAN, NAN, false};
    full_fairness(r);
}

static inline char *full_json(void)
{
    struct result r;
    full_result(&r);
    char *text = result_to_json(&r);
    result_fini(&r);
    result_fini(&r);
    return text;
}

#endif
