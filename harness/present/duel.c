/* duel: see present/duel.h. The words of the verdict are in duel_words.c. */
#include "present/duel.h"

#include "base/alloc.h"
#include "present/figure.h"
#include "stats/robust.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

double duel_median(const struct duel *d, size_t route, enum duel_who who, size_t field_offset)
{
    double *x = xcalloc(d->blocks_n, sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < d->blocks_n; i++) {
        const struct duel_side_figures *f = &d->blocks[i].route[route].side[who];
        double v = *(const double *)((const char *)f + field_offset);
        if (!d->blocks[i].dropped[0] && isfinite(v))
            x[n++] = v;
    }
    double median = robust_median(x, n);
    free(x);
    return median;
}

static const struct duel_series *nearest_to_fail(const struct duel *d)
{
    const struct duel_series *found = NULL;
    for (size_t i = 0; i < d->series_n; i++)
        if (isfinite(d->series[i].estimate) && (!found || d->series[i].estimate > found->estimate))
            found = &d->series[i];
    return found;
}

void duel_write_line(char *to, size_t size, const struct duel *d, double left_s)
{
    char blocks[40], interval[60] = "", sees[60] = "";
    const struct duel_series *s = nearest_to_fail(d);
    if (d->rules.blocks)
        snprintf(blocks, sizeof blocks, "block %zu/%zu", d->counted, d->rules.blocks);
    else
        snprintf(blocks, sizeof blocks, "block %zu", d->counted);
    if (!s) {
        snprintf(to, size, "%s  no value yet  %s left", blocks, figure_duration(left_s).text);
        return;
    }
    double percent = duel_percent_of_slowdown(s->estimate);
    if (isfinite(s->interval.low))
        snprintf(interval, sizeof interval, " (%.2f to %.2f)",
                 duel_percent_of_slowdown(s->interval.low),
                 duel_percent_of_slowdown(s->interval.high));
    if (isfinite(s->resolution))
        snprintf(sees, sizeof sees, "  can see %.2f %%", s->resolution * 100);
    snprintf(to, size, "%s  %s: B %.2f %% %s%s%s  %s left", blocks, duel_series_title(d, s),
             fabs(percent), percent < 0 ? "faster" : "slower", interval, sees,
             figure_duration(left_s).text);
}

static void put_series(FILE *to, const struct duel *d, const struct duel_series *s)
{
    char interval[40] = "-", detect[20] = "-";
    const char *says = s->decision == DECISION_CONTINUE    ? "open"
                       : s->decision == DECISION_UNDECIDED ? "undecided"
                                                           : decision_name(s->decision);
    if (isfinite(s->interval.low))
        snprintf(interval, sizeof interval, "%+.2f .. %+.2f %%",
                 duel_percent_of_slowdown(s->interval.low),
                 duel_percent_of_slowdown(s->interval.high));
    if (isfinite(s->resolution))
        snprintf(detect, sizeof detect, "%.2f %%", s->resolution * 100);
    fprintf(to, "%-26s %+9.2f %%  %20s  %7.2f %%  %9s  %s%s\n", duel_series_title(d, s),
            duel_percent_of_slowdown(s->estimate), interval, s->sd * 100, detect, says,
            s->refused && s->decision != DECISION_FAIL ? " (compressed: no sign of parity)" : "");
}

#define FIELD(name) offsetof(struct duel_side_figures, name)

static void put_side(FILE *to, const struct duel *d, size_t route, enum duel_who who)
{
    double cpu_us = duel_median(d, route, who, FIELD(cpu_ns_per_request)) / 1e3;
    fprintf(to, "%c %-8s %8s requests/s  %9s CPU a request  server %s busy, generator %s\n",
            duel_letter(who), route_get(d->routes[route])->name,
            figure_rate(duel_median(d, route, who, FIELD(requests_per_s))).text,
            figure_time(cpu_us, " ").text,
            figure_percent(duel_median(d, route, who, FIELD(server_busy))).text,
            figure_percent(duel_median(d, route, who, FIELD(client_busy))).text);
}

static double mean_steal(const struct duel *d)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < d->blocks_n; i++)
        if (isfinite(d->blocks[i].steal_share)) {
            sum += d->blocks[i].steal_share;
            n++;
        }
    return n ? sum / (double)n : NAN;
}

static void put_circumstances(FILE *to, const struct duel *d)
{
    size_t looks = 0;
    for (size_t i = 0; i < d->series_n; i++)
        looks = d->series[i].looks > looks ? d->series[i].looks : looks;
    fprintf(to, "%zu of ", d->counted);
    if (d->rules.blocks)
        fprintf(to, "%s, %s", figure_many(d->rules.blocks, "block").text,
                figure_many(looks, "look").text);
    else
        fputs("any number of blocks, a look after each", to);
    fprintf(to, ", %zu dropped; slices of", d->blocks_n - d->counted);
    for (size_t i = 0; i < d->routes_n; i++)
        fprintf(to, "%s %s", i ? "," : "", figure_time(d->slice_s[i] * 1e6, " ").text);
    fprintf(to, "; steal %s; %s%s; seed %llu\n", figure_percent(mean_steal(d)).text,
            figure_many(d->connections, "connection").text,
            d->busy_poll ? ", a client that never sleeps" : "", (unsigned long long)d->seed);
    fprintf(to, "What holds for this machine holds for this machine: %s, %s cores, Linux %s.\n",
            facts_show(&d->environment, "cpu_model"), facts_show(&d->environment, "cores_usable"),
            facts_show(&d->environment, "kernel"));
}

/* Why a route's throughput can't be judged. */
static void put_limit(FILE *to, const struct duel *d, size_t route)
{
    const char *name = route_get(d->routes[route])->name;
    double server = duel_median(d, route, DUEL_A, FIELD(server_busy));
    double client = duel_median(d, route, DUEL_A, FIELD(client_busy));
    if (!d->client_bound[route])
        return;
    if (client > 0.95 || (client > 0.8 && client >= server))
        fprintf(to,
                "%s is generator bound: a slower server shows less in its throughput than it is "
                "slower; CPU per request is not compressed.\n",
                name);
    else
        fprintf(
            to,
            "%s did not saturate the servers: latency, the generator or neighbours have their "
            "part in its throughput, which compresses the ratio; not that of CPU per request.\n",
            name);
}

static const char *color_of(enum duel_verdict v)
{
    return v == DUEL_PASS ? "\033[32m" : v == DUEL_FAIL ? "\033[31m" : "\033[33m";
}

void duel_write_verdict(FILE *to, const struct duel *d, bool color)
{
    locale_t before = figure_locale_begin();
    fprintf(to, "A  %s\nB  %s\n\n", d->side[DUEL_A].title, d->side[DUEL_B].title);
    if (d->counted) {
        fprintf(to, "%-26s %11s  %20s  %9s  %9s\n", "", "slowdown", "interval", "block sd",
                "can see");
        for (size_t i = 0; i < d->series_n; i++)
            put_series(to, d, &d->series[i]);
        fputc('\n', to);
        for (size_t i = 0; i < d->routes_n; i++)
            for (int who = 0; who < DUEL_SIDES; who++)
                put_side(to, d, i, who);
    }
    put_circumstances(to, d);
    for (size_t i = 0; i < d->routes_n && d->counted; i++)
        put_limit(to, d, i);
    char *words = duel_verdict_words(d);
    size_t head = strcspn(words, " ");
    fprintf(to, "\n%s%.*s%s%s\n", color ? color_of(d->verdict) : "", (int)head, words,
            color ? "\033[0m" : "", words + head);
    free(words);
    figure_locale_end(before);
}
