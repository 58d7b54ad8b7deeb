/* sample_duel: see sample_duel.h. */
#include "tests/sample_duel.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

const struct sample_load sample_quiet = {
    .rate = 100000, .noise = 0.01, .server_busy = 0.99, .client_busy = 0.6, .slices = 200};

void sample_duel_slices(struct duel_slices *s, const struct sample_load *load, const size_t *order,
                        bool b_first, struct random *r)
{
    uint64_t at_ns = 1000000000;
    *s = (struct duel_slices){0};
    for (size_t i = 0; i < load->slices; i++) {
        struct duel_slice *one = xgrow(&s->item, &s->n, sizeof *one);
        size_t target = order[i % 4];
        bool is_b = (target == 0) == b_first;
        double drift = load->drift * (double)i / (double)load->slices;
        double loss = is_b ? load->slowdown : 0;
        double rate = load->rate * exp(drift - loss + load->noise * random_normal(r));
        double cost = 1e9 / load->rate * exp(loss - drift + load->noise * random_normal(r));
        one->target = (unsigned)target;
        one->start_ns = at_ns;
        one->stop_ns = at_ns + 5000000;
        one->ok = (uint64_t)(rate * 0.005);
        one->first_ns = at_ns + 100000;
        one->last_ns = at_ns + (uint64_t)((double)one->ok / rate * 1e9);
        one->duration_ns = one->last_ns - one->start_ns;
        one->pids_n = 2;
        one->cpu_ns[0] = cost * (double)one->ok * load->server_busy;
        one->cpu_ns[1] = 0;
        one->client_cpu_ns = load->client_busy * (double)one->duration_ns;
        at_ns += 5500000;
    }
}

void sample_duel(struct duel *d, size_t blocks, double margin_percent, double detect_percent)
{
    *d = (struct duel){.routes_n = 1,
                       .connections = 64,
                       .workers = 1,
                       .seed = 7,
                       .budget_s = 60,
                       .block_s = 1,
                       .overhead_s = 0.2,
                       .elapsed_s = 38,
                       .state = RUN_COMPLETE};
    d->routes[0] = ROUTE_HEALTH;
    d->slice_s[0] = 0.005;
    d->side[DUEL_A].name = xstrdup("reactor@main");
    d->side[DUEL_B].name = xstrdup("reactor");
    d->side[DUEL_A].title = xstrdup("reactor@main (0123456789ab)");
    d->side[DUEL_B].title = xstrdup("reactor");
    strcpy(d->started, "2026-01-31T12:00:00Z");
    d->rules = (struct duel_rules){.margin = duel_slowdown_of_percent(margin_percent),
                                   .detect = duel_slowdown_of_percent(detect_percent),
                                   .alpha = 0.01,
                                   .beta = 0.05,
                                   .blocks = blocks,
                                   .metric = {true, true}};
}

void sample_block(struct duel_block *b, const struct duel *d, double throughput, double cpu)
{
    *b = (struct duel_block){.index = (unsigned)d->blocks_n,
                             .order = "ABBA",
                             .first_started = 'A',
                             .first_url = 'B',
                             .seconds = 1.2,
                             .steal_share = 0.01};
    for (size_t i = 0; i < d->routes_n; i++) {
        b->route[i].slices = 180;
        b->route[i].slowdown[METRIC_THROUGHPUT] = throughput;
        b->route[i].slowdown[METRIC_CPU] = cpu;
        for (int who = 0; who < DUEL_SIDES; who++)
            b->route[i].side[who] = (struct duel_side_figures){.requests_per_s = 91234.5,
                                                               .cpu_ns_per_request = 9876.5,
                                                               .server_busy = 0.99,
                                                               .client_busy = 0.7,
                                                               .idle_share = 0};
    }
}
