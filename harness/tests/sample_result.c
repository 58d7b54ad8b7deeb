/* sample_result: see sample_result.h. Rates come from a small model of a server (a ceiling and a
   cost per connection) and seeded noise; ratios from the real statistics. */
#include "tests/sample_result.h"

#include "base/alloc.h"
#include "stats/random.h"
#include "stats/robust.h"
#include "stats/signed_rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NGINX,
    REACTOR,
    LIGHTTPD,
    SERVERS
};

static const char *const names[SERVERS] = {"nginx", "reactor", "lighttpd"};
static const char *const versions[SERVERS] = {"nginx/1.22.1", "parity reactor 0.1",
                                              "lighttpd/1.4.69 (ssl) <b>&\"'"};
static const unsigned levels[] = {16, 64, 256, 1024};

static void make_suite(struct suite *s, unsigned blocks)
{
    *s = (struct suite){.name = xstrdup("sample"),
                        .title = xstrdup("A sample: keep_alive^2 & <routes>"),
                        .path = xstrdup("configs/suites/sample.json"),
                        .reference = xstrdup("nginx"),
                        .routes = {ROUTE_HEALTH, ROUTE_JSON, ROUTE_SMALL},
                        .routes_n = 3,
                        .connections_n = 4,
                        .keepalive = true,
                        .close = true,
                        .workers = 1,
                        .blocks = blocks,
                        .duration_s = 5,
                        .warmup_s = 1,
                        .seed = 20260131};
    memcpy(s->connections, levels, sizeof levels);
    for (int i = 0; i < SERVERS; i++)
        strings_add(&s->servers, names[i]);
    strings_add(&s->generators, "wrk");
    strings_add(&s->generators, "ab");
}

static void add_servers(struct plan *p)
{
    for (int i = 0; i < SERVERS; i++) {
        struct manifest *m = xgrow(&p->servers, &p->servers_n, sizeof *m);
        m->name = xstrdup(names[i]);
        m->title = xasprintf("%s as packaged", names[i]);
        m->path = xasprintf("servers/%s/server.json", names[i]);
        m->dir = xasprintf("servers/%s", names[i]);
    }
}

static void add_comparison(struct plan *p, enum route_id route, size_t generator, bool keepalive)
{
    for (size_t l = 0; l < p->suite.connections_n; l++) {
        struct comparison *c = xgrow(&p->comparisons, &p->comparisons_n, sizeof *c);
        *c = (struct comparison){p->cells_n, SERVERS};
        for (size_t i = 0; i < SERVERS; i++) {
            struct cell *cell = xgrow(&p->cells, &p->cells_n, sizeof *cell);
            *cell = (struct cell){.server = i,
                                  .route = route,
                                  .generator = generator,
                                  .connections = p->suite.connections[l],
                                  .keepalive = keepalive,
                                  .comparison = p->comparisons_n - 1};
            if (route == ROUTE_SMALL && i == REACTOR && generator == 1)
                cell->skipped = xstrdup("the reactor offers no files to HTTP/1.0 clients here");
        }
    }
}

static enum verdict cell_verdict(const struct cell *c)
{
    if (c->skipped)
        return VERDICT_SKIPPED;
    if (c->generator == 0 && c->route == ROUTE_HEALTH && c->keepalive && c->connections == 256 &&
        c->server != LIGHTTPD)
        return VERDICT_CLIENT_BOUND;
    if (c->server == LIGHTTPD && c->connections == 1024 && c->keepalive)
        return c->generator == 0 ? VERDICT_KEEPALIVE_LOST : VERDICT_ERRORS;
    if (c->server == REACTOR && c->connections == 1024 && c->route == ROUTE_JSON &&
        c->generator == 1)
        return VERDICT_SERVER_DIED;
    return VERDICT_VALID;
}

static double model_rate(const struct cell *c)
{
    static const double base[SERVERS] = {64000, 70000, 63500};
    double rate = base[c->server] * (c->generator == 1 ? 0.45 : 1) * (c->keepalive ? 1 : 0.3);
    rate *= c->route == ROUTE_HEALTH ? 1 : c->route == ROUTE_JSON ? 0.96 : 0.82;
    if (cell_verdict(c) == VERDICT_KEEPALIVE_LOST || cell_verdict(c) == VERDICT_ERRORS)
        rate *= 0.2;
    return rate * (1 - 0.035 * fabs(log2(c->connections / 64.0)));
}

static double model_cpu_ns(const struct cell *c)
{
    static const double base[SERVERS] = {10900, 8300, 12400};
    return base[c->server] * (c->keepalive ? 1 : 2.9) * (1 + c->connections / 9000.0);
}

static void fill_trial(struct trial *t, const struct cell *c, struct random *noise)
{
    double rate = model_rate(c) * exp(0.012 * random_normal(noise));
    double seconds = 5.0, cpu_ns = model_cpu_ns(c) * exp(0.006 * random_normal(noise));
    struct tally *a = &t->tally;
    t->verdict = cell_verdict(c);
    snprintf(t->started, sizeof t->started, "2026-01-31T12:%02u:00Z", t->block % 60);
    a->duration_s = seconds;
    a->requests = a->ok = (int64_t)(rate * seconds);
    a->connections = c->connections;
    a->latency.mean = 1e6 * c->connections / rate;
    for (int i = 0; i < LATENCY_N; i++)
        a->latency.p[i] = a->latency.mean * (0.9 + 0.55 * i * (1 + 0.1 * random_normal(noise)));
    a->latency.resolution = 1;
    t->usage.server_cpu_s = cpu_ns * 1e-9 * (double)a->requests;
    t->usage.client_cpu_s = 4.4;
    if (t->verdict == VERDICT_SERVER_DIED)
        trial_init(t), t->verdict = VERDICT_SERVER_DIED;
    if (t->verdict == VERDICT_ERRORS)
        a->errors[ERROR_TIMEOUT] = 652;
}

static void add_trials(struct result *r)
{
    struct random noise;
    random_seed(&noise, r->plan.suite.seed);
    for (unsigned block = 0; block < r->plan.suite.blocks; block++)
        for (size_t i = 0; i < r->plan.cells_n; i++) {
            if (r->plan.cells[i].skipped)
                continue;
            struct trial *t = xgrow(&r->trials, &r->trials_n, sizeof *t);
            trial_init(t);
            t->cell = i;
            t->block = block;
            fill_trial(t, &r->plan.cells[i], &noise);
            t->cell = i;
            t->block = block;
        }
}

static double median_of(const struct result *r, size_t cell, double (*get)(const struct trial *))
{
    double values[256];
    size_t n = 0;
    for (size_t i = 0; i < r->trials_n && n < 256; i++)
        if (r->trials[i].cell == cell && isfinite(get(&r->trials[i])))
            values[n++] = get(&r->trials[i]);
    return robust_median(values, n);
}

static double p50(const struct trial *t)
{
    return t->tally.latency.p[LATENCY_P50];
}

static double p99(const struct trial *t)
{
    return t->tally.latency.p[LATENCY_P99];
}

static void note_verdict(struct cell_result *v)
{
    const char *note = "";
    switch (v->verdict) {
    case VERDICT_CLIENT_BOUND: note = "client CPU 99 % of its share, server 63 %"; break;
    case VERDICT_KEEPALIVE_LOST: note = "1024 connections asked, 61 220 opened"; break;
    case VERDICT_ERRORS: note = "652 timeouts in 31 000 answers"; break;
    case VERDICT_SERVER_DIED: note = "signal 11 after 1.2 s; its log ends with \"<oops>\""; break;
    default: break;
    }
    snprintf(v->note, sizeof v->note, "%s", note);
}

static void judge_cell(struct result *r, size_t cell)
{
    struct cell_result *v = &r->cells[cell];
    const struct cell *c = &r->plan.cells[cell];
    v->verdict = cell_verdict(c);
    note_verdict(v);
    v->requests_per_s = median_of(r, cell, trial_requests_per_s);
    v->requests_per_s_low = v->requests_per_s * 0.985;
    v->requests_per_s_high = v->requests_per_s * 1.02;
    v->cpu_ns_per_request = median_of(r, cell, trial_server_cpu_ns);
    v->client_cpu_ns_per_request = median_of(r, cell, trial_client_cpu_ns);
    for (int i = 0; i < LATENCY_N; i++)
        v->latency[i] = NAN;
    v->latency[LATENCY_P50] = median_of(r, cell, p50);
    v->latency[LATENCY_P99] = median_of(r, cell, p99);
    v->latency_mean = v->latency[LATENCY_P50];
    v->latency_corrected = c->generator == 0;
    v->latency_censored = v->verdict == VERDICT_ERRORS;
    v->latency_resolution = 1;
    v->peak_rss_kib = 5200;
    v->server_busy = 0.97;
    v->client_busy = v->verdict == VERDICT_CLIENT_BOUND ? 0.99 : 0.81;
    v->trials = c->skipped ? 0 : r->plan.suite.blocks;
    v->valid = v->verdict == VERDICT_VALID ? v->trials : 0;
    if (cell == 0 && v->valid > 2)
        v->valid--; /* one trial of the very first cell was left out */
}

static bool usable(enum verdict v, enum metric m)
{
    return v == VERDICT_VALID || (m == METRIC_CPU && v == VERDICT_CLIENT_BOUND);
}

static void add_ratio(struct result *r, size_t cell, enum metric m)
{
    const struct cell *c = &r->plan.cells[cell];
    size_t reference = r->plan.comparisons[c->comparison].first + r->plan.reference;
    enum verdict mine = r->cells[cell].verdict, its = r->cells[reference].verdict;
    struct ratio *q = xgrow(&r->ratios, &r->ratios_n, sizeof *q);
    *q = (struct ratio){.comparison = c->comparison, .server = c->server, .metric = m};
    q->value = (struct interval){NAN, NAN, NAN, 0, 0};
    if (!usable(mine, m) || !usable(its, m)) {
        snprintf(q->note, sizeof q->note, "%s: %s", usable(mine, m) ? "nginx" : names[c->server],
                 verdict_name(usable(mine, m) ? its : mine));
        return;
    }
    double logs[256];
    size_t n = 0;
    for (size_t i = 0; i < r->trials_n; i++)
        for (size_t k = 0; r->trials[i].cell == cell && k < r->trials_n; k++)
            if (r->trials[k].cell == reference && r->trials[k].block == r->trials[i].block)
                logs[n++] = m == METRIC_CPU ? log(trial_server_cpu_ns(&r->trials[i]) /
                                                  trial_server_cpu_ns(&r->trials[k]))
                                            : log(trial_requests_per_s(&r->trials[i]) /
                                                  trial_requests_per_s(&r->trials[k]));
    q->value = signed_rank_interval(logs, n, 0.05);
    q->value.estimate = exp(q->value.estimate);
    q->value.low = exp(q->value.low);
    q->value.high = exp(q->value.high);
}

static void add_item(struct result *r, const char *name, const char *const *values,
                     const char *reason)
{
    struct fairness_item *item = xgrow(&r->fairness, &r->fairness_n, sizeof *item);
    item->name = xstrdup(name);
    item->value = xcalloc(SERVERS, sizeof *item->value);
    item->reason = xcalloc(SERVERS, sizeof *item->reason);
    for (int i = 0; i < SERVERS; i++)
        item->value[i] = values[i] ? xstrdup(values[i]) : NULL;
    if (reason)
        item->reason[LIGHTTPD] = xstrdup(reason);
    item->broken = !reason && values[LIGHTTPD] && strcmp(values[0], values[LIGHTTPD]) != 0;
}

static void add_fairness(struct result *r)
{
    add_item(r, "health body", (const char *const[]){"OK", "OK", "OK"}, NULL);
    add_item(r, "workers", (const char *const[]){"1", "1", "1"}, NULL);
    add_item(r, "head bytes", (const char *const[]){"172", "158", "149"},
             "lighttpd's Server field is shorter and it sends no Connection: keep-alive");
    add_item(r, "backlog", (const char *const[]){"1024", "1024", NULL}, NULL);
    add_item(r, "keep-alive held",
             (const char *const[]){"2500 requests", "2500 requests", "closed after 1000 <script>"},
             NULL);
}

static void add_facts(struct result *r)
{
    facts_text(&r->environment, "cpu_model", "Example CPU @ 2.00GHz");
    facts_number(&r->environment, "cores", 2);
    facts_text(&r->environment, "kernel", "6.1.0-18-amd64");
    facts_number(&r->environment, "memory_mib", 7946);
    facts_text(&r->environment, "governor", NULL);
    facts_text(&r->environment, "a_very_long_value",
               "0123456789012345678901234567890123456789012345678901234567890123456789");
    strings_add(&r->warnings, "CPU steal was up to 4 % during the run: neighbours share this "
                              "machine");
    strings_add(&r->warnings, "frequency scaling is on (governor: ondemand)");
    for (int i = 0; i < SERVERS; i++) {
        facts_text(&r->servers[i].facts, "version", versions[i]);
        facts_text(&r->servers[i].facts, "sha256",
                   "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
        facts_number(&r->servers[i].facts, "workers", 1);
        strings_add(&r->servers[i].conf,
                    i == REACTOR ? "conf/reactor/argv" : "conf/nginx/nginx.conf");
    }
}

static void begin(struct result *r, struct plan *p)
{
    result_init(r, p);
    r->state = RUN_COMPLETE;
    snprintf(r->started, sizeof r->started, "2026-01-31T12:00:00Z");
    snprintf(r->ended, sizeof r->ended, "2026-01-31T12:41:07Z");
    r->command = xstrdup("bin/parity run sample --seed 20260131 --title '<x>'");
    r->fingerprint = xstrdup("5e884898da28047151d0e56f8dc62927");
    add_facts(r);
    add_fairness(r);
}

void sample_result_make(struct result *r, unsigned blocks)
{
    struct plan p = {.reference = NGINX};
    make_suite(&p.suite, blocks);
    add_servers(&p);
    add_comparison(&p, ROUTE_HEALTH, 0, true);
    add_comparison(&p, ROUTE_HEALTH, 0, false);
    add_comparison(&p, ROUTE_HEALTH, 1, true);
    add_comparison(&p, ROUTE_JSON, 0, true);
    add_comparison(&p, ROUTE_JSON, 1, true);
    add_comparison(&p, ROUTE_SMALL, 1, true);
    begin(r, &p);
    add_trials(r);
    for (size_t i = 0; i < r->plan.cells_n; i++)
        judge_cell(r, i);
    for (size_t i = 0; i < r->plan.cells_n; i++)
        for (int m = 0; m < METRIC_COUNT && r->plan.cells[i].server != NGINX; m++)
            add_ratio(r, i, (enum metric)m);
}

void sample_result_make_invalid(struct result *r)
{
    struct plan p = {.reference = NGINX};
    make_suite(&p.suite, 3);
    p.suite.connections_n = 1;
    add_servers(&p);
    add_comparison(&p, ROUTE_HEALTH, 0, true);
    begin(r, &p);
    r->state = RUN_INTERRUPTED;
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        struct cell_result *v = &r->cells[i];
        v->verdict = VERDICT_BOOT_FAILED;
        v->requests_per_s = v->requests_per_s_low = v->requests_per_s_high = NAN;
        v->cpu_ns_per_request = v->client_cpu_ns_per_request = v->latency_mean = NAN;
        for (int k = 0; k < LATENCY_N; k++)
            v->latency[k] = NAN;
        snprintf(v->note, sizeof v->note, "port 8080 is in use by python3 (pid 77)");
        r->servers[i].failed = xstrdup("port 8080 is in use by python3 (pid 77)");
    }
}

void sample_result_make_alone(struct result *r)
{
    struct plan p = {.reference = NGINX};
    make_suite(&p.suite, 1);
    p.suite.connections_n = p.suite.routes_n = 1;
    add_servers(&p);
    while (p.servers_n > 1)
        manifest_fini(&p.servers[--p.servers_n]);
    struct comparison *c = xgrow(&p.comparisons, &p.comparisons_n, sizeof *c);
    c->n = 1;
    struct cell *cell = xgrow(&p.cells, &p.cells_n, sizeof *cell);
    *cell = (struct cell){.connections = 16, .keepalive = true};
    result_init(r, &p);
    r->state = RUN_COMPLETE;
    add_trials(r);
    judge_cell(r, 0);
}
