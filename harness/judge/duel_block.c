/* duel_block: see duel_block.h. A value is a trimmed mean of paired log ratios (stats/block.h); the
   other figures are medians, for people and for the guards. */
#include "judge/duel_block.h"

#include "base/alloc.h"
#include "stats/block.h"
#include "stats/robust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One number a slice, all slices in time order. */
struct columns {
    double *rate, *cost, *busy, *client;
    size_t n; /* slices that follow the order */
};

static enum duel_who side_of(const struct duel_input *in, size_t target)
{
    return (target == 0) == in->b_first ? DUEL_B : DUEL_A;
}

/* CPU time of a side's processes in a slice, ns. */
static double clocks(const struct duel_input *in, const struct duel_slice *s, enum duel_who who)
{
    enum duel_who loaded = side_of(in, s->target);
    size_t first = who == loaded ? 0 : in->pids_n[loaded];
    double sum = 0;
    if (in->pids_n[who] == 0 || first + in->pids_n[who] > s->pids_n)
        return NAN;
    for (size_t i = 0; i < in->pids_n[who]; i++)
        sum += s->cpu_ns[first + i];
    return sum;
}

static void fill(struct columns *c, const struct duel_input *in)
{
    const struct duel_slices *all = in->slices;
    c->rate = xcalloc(all->n, sizeof *c->rate);
    c->cost = xcalloc(all->n, sizeof *c->cost);
    c->busy = xcalloc(all->n, sizeof *c->busy);
    c->client = xcalloc(all->n, sizeof *c->client);
    for (c->n = 0; c->n < all->n; c->n++) {
        const struct duel_slice *s = &all->item[c->n];
        if (s->target != in->order[c->n % 4])
            break; /* a target can't be loaded any more: the rest is no palindrome */
        double time = (double)s->duration_ns, cpu = clocks(in, s, side_of(in, s->target));
        c->rate[c->n] = duel_slice_rate(s);
        c->cost[c->n] = s->ok ? cpu / (double)s->ok : NAN;
        c->busy[c->n] = cpu / (time * in->server_cpus);
        c->client[c->n] =
            fmax(s->client_cpu_ns - s->client_spin_ns, 0) / (time * in->client_threads);
    }
}

static double median_of_side(const double *column, const struct columns *c,
                             const struct duel_input *in, enum duel_who who)
{
    double *x = xcalloc(c->n, sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (side_of(in, in->slices->item[i].target) == who && isfinite(column[i]))
            x[n++] = column[i];
    double median = robust_median(x, n);
    free(x);
    return median;
}

/* What a side used while the other one was loaded. */
static double idle_share(const struct duel_input *in, enum duel_who who)
{
    double used = 0, time = 0;
    for (size_t i = 0; i < in->slices->n; i++) {
        const struct duel_slice *s = &in->slices->item[i];
        if (side_of(in, s->target) == who)
            continue;
        used += clocks(in, s, who);
        time += (double)s->duration_ns;
    }
    return time > 0 ? used / time : NAN;
}

static void count_errors(struct duel_side_figures *f, const struct duel_slice *s)
{
    uint64_t errors = s->errors > s->unanswered ? s->errors : s->unanswered;
    if (!errors)
        return;
    f->errors += errors;
    f->wrong |= s->wrong;
    if (!f->what[0])
        snprintf(f->what, sizeof f->what, "%s", s->what[0] ? s->what : "unanswered");
}

void duel_block_figures(struct duel_figures *f, const struct duel_input *in)
{
    struct columns c;
    size_t a = in->b_first, b = !in->b_first;
    *f = (struct duel_figures){.slices = in->slices->n};
    fill(&c, in);
    struct block rates = {.targets = 2, .order = in->order, .slices = c.rate, .n = c.n};
    struct block costs = {.targets = 2, .order = in->order, .slices = c.cost, .n = c.n};
    f->slowdown[METRIC_THROUGHPUT] = block_slowdown_of_rates(&rates, a, b);
    f->slowdown[METRIC_CPU] = block_slowdown_of_costs(&costs, a, b);
    for (int who = 0; who < DUEL_SIDES; who++) {
        struct duel_side_figures *s = &f->side[who];
        s->requests_per_s = median_of_side(c.rate, &c, in, who);
        s->cpu_ns_per_request = median_of_side(c.cost, &c, in, who);
        s->server_busy = median_of_side(c.busy, &c, in, who);
        s->client_busy = median_of_side(c.client, &c, in, who);
        s->idle_share = idle_share(in, who);
    }
    for (size_t i = 0; i < in->slices->n; i++)
        count_errors(&f->side[side_of(in, in->slices->item[i].target)], &in->slices->item[i]);
    free(c.rate);
    free(c.cost);
    free(c.busy);
    free(c.client);
}

uint64_t duel_block_errors(const struct duel_block *b, const struct duel *d, enum duel_who who,
                           bool *wrong)
{
    uint64_t sum = 0;
    *wrong = false;
    for (size_t i = 0; i < d->routes_n; i++) {
        sum += b->route[i].side[who].errors;
        *wrong |= b->route[i].side[who].wrong;
    }
    return sum;
}

static bool is_missing(const struct duel_block *b, const struct duel *d, size_t route)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        if (d->rules.metric[m] && !isfinite(b->route[route].slowdown[m]))
            return true;
    return false;
}

void duel_block_guard(struct duel_block *b, const struct duel *d)
{
    char *to = b->dropped;
    size_t size = sizeof b->dropped;
    bool wrong;
    if (b->steal_share > DUEL_STEAL_MOST)
        snprintf(to, size, "steal %.0f %%", b->steal_share * 100);
    else if (duel_block_errors(b, d, DUEL_A, &wrong) || duel_block_errors(b, d, DUEL_B, &wrong))
        snprintf(to, size, "errors");
    for (size_t i = 0; i < d->routes_n && !to[0]; i++) {
        for (int who = 0; who < DUEL_SIDES && !to[0]; who++)
            if (b->route[i].side[who].idle_share > DUEL_IDLE_MOST)
                snprintf(to, size, "%c used %.1f %% of a CPU while the other one was loaded",
                         duel_letter(who), b->route[i].side[who].idle_share * 100);
        if (!to[0] && is_missing(b, d, i))
            snprintf(to, size, "%.150s", b->note[0] ? b->note : "too few answers for a value");
    }
}

/* Median over the counted blocks of a side's share on a route. */
static double median_share(const struct duel *d, size_t route, enum duel_who who, bool client)
{
    double *x = xcalloc(d->blocks_n, sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < d->blocks_n; i++) {
        const struct duel_side_figures *s = &d->blocks[i].route[route].side[who];
        double share = client ? s->client_busy : s->server_busy;
        if (!d->blocks[i].dropped[0] && isfinite(share))
            x[n++] = share;
    }
    double median = robust_median(x, n);
    free(x);
    return median;
}

bool duel_is_client_bound(const struct duel *d, size_t route)
{
    for (int who = 0; who < DUEL_SIDES; who++)
        if (!(median_share(d, route, who, false) >= DUEL_SERVER_BUSY_LEAST) ||
            !(median_share(d, route, who, true) <= DUEL_CLIENT_BUSY_MOST))
            return true; /* also when a share isn't known */
    return false;
}
