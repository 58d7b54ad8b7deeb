/* duel_words: the verdict in words. Never "no difference", never "significant" without a size: what
   was seen, how sure it is, and what this run could have seen. */
#include "present/duel.h"

#include "base/alloc.h"
#include "present/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slowdowns as percentages with as many digits as the run resolves. */
struct words {
    FILE *to;
    const struct duel *d;
};

static int decimals(double resolution)
{
    return resolution < 0.01 ? 2 : 1; /* NaN: 1 */
}

static void put_percent(FILE *to, double slowdown, double resolution)
{
    fprintf(to, "%.*f", decimals(resolution), duel_percent_of_slowdown(slowdown));
}

/* "B is 4.10 % slower than A" or "B takes 4.28 % more CPU per request than A". */
static void put_finding(FILE *to, const struct duel_series *s)
{
    int digits = decimals(s->resolution);
    double v = s->estimate, cost = expm1(v) * 100, loss = duel_percent_of_slowdown(v);
    if (s->metric == METRIC_CPU)
        fprintf(to, "B takes %.*f %% %s CPU per request than A, a slowdown of %.*f %%", digits,
                fabs(cost), v > 0 ? "more" : "less", digits, loss);
    else if (v > 0)
        fprintf(to, "B is %.*f %% slower than A", digits, loss);
    else
        fprintf(to, "B is %.*f %% faster than A", digits, fabs(expm1(-v)) * 100);
}

static void put_interval(FILE *to, const struct duel_series *s)
{
    if (!isfinite(s->interval.low))
        return;
    fprintf(to, "%.1f %% sequential interval of the slowdown: ", s->interval.confidence * 100);
    put_percent(to, s->interval.low, s->resolution);
    fputs(" to ", to);
    put_percent(to, s->interval.high, s->resolution);
    fputs(" %", to);
}

static const struct duel_series *worst(const struct duel *d, enum decision decision)
{
    const struct duel_series *found = NULL;
    for (size_t i = 0; i < d->series_n; i++) {
        const struct duel_series *s = &d->series[i];
        if (s->decision == decision && !(decision == DECISION_PASS && s->refused) &&
            (!found || s->estimate > found->estimate))
            found = s;
    }
    return found;
}

static void put_run(const struct words *w)
{
    fprintf(w->to, "%s, %s", figure_many(w->d->counted, "block").text,
            figure_duration(w->d->elapsed_s).text);
}

static void put_rule(const struct words *w)
{
    const struct duel_rules *r = &w->d->rules;
    fprintf(w->to, " Rule: slowdown > %.3g %%, false alarm <= %.3g %%.",
            duel_percent_of_slowdown(r->margin), r->alpha * 100);
}

static void put_fail(const struct words *w)
{
    const struct duel_series *s = worst(w->d, DECISION_FAIL);
    put_finding(w->to, s);
    fputs(" (", w->to);
    put_interval(w->to, s);
    fputs("), ", w->to);
    put_run(w);
    fprintf(w->to, ", %s.", duel_series_title(w->d, s));
    put_rule(w);
}

/* The largest upper bound and the largest slowdown that could have gone unseen, of what is judged.
 */
static void bounds(const struct duel *d, double *high, double *seen, double *resolution)
{
    *high = *seen = -INFINITY;
    *resolution = 0;
    for (size_t i = 0; i < d->series_n; i++) {
        const struct duel_series *s = &d->series[i];
        double sees = d->rules.anytime ? s->detect : d->rules.margin + s->resolution;
        if (s->refused)
            continue;
        *high = fmax(*high, isfinite(s->interval.high) ? s->interval.high : INFINITY);
        *seen = fmax(*seen, sees);
        *resolution = fmax(*resolution, s->resolution);
    }
}

/* Two one-sided tests: parity is claimed when every interval lies within +-margin, and never for
   throughput that the generator limits. */
static bool is_equal_within(const struct duel *d, double margin)
{
    for (size_t i = 0; i < d->series_n; i++)
        if (d->series[i].refused || !(d->series[i].interval.low >= -margin) ||
            !(d->series[i].interval.high <= margin))
            return false;
    return margin > 0;
}

static void put_pass(const struct words *w)
{
    double high, seen, resolution;
    bounds(w->d, &high, &seen, &resolution);
    fputs("no slowdown above ", w->to);
    put_percent(w->to, high, resolution);
    fprintf(w->to, " %% (one-sided %.4g %% bound); this run would have caught ",
            100 - 100 * w->d->rules.alpha_each);
    put_percent(w->to, seen, resolution);
    fprintf(w->to, " %% with %.0f %% power. ", 100 - 100 * w->d->rules.beta);
    for (size_t i = 0; i < w->d->series_n; i++)
        if (w->d->series[i].refused)
            fprintf(w->to, "Not judged, for its ratio is compressed: %s. ",
                    duel_series_title(w->d, &w->d->series[i]));
    put_run(w);
    fputc('.', w->to);
    put_rule(w);
    if (is_equal_within(w->d, w->d->rules.margin))
        fprintf(w->to, " Equal within +-%.3g %%.", duel_percent_of_slowdown(w->d->rules.margin));
}

/* How long a run would take that tells margin and the smallest step apart: blocks grow with the
   square of the noise. */
static void put_needed(const struct words *w, const struct duel_series *s)
{
    double step = s->detect - w->d->rules.margin, ratio = s->resolution / step;
    double needed_s = w->d->elapsed_s * ratio * ratio;
    if (!(ratio > 1) || !isfinite(needed_s))
        return;
    fprintf(w->to, ": would need about %s for ", figure_duration(needed_s).text);
    put_percent(w->to, s->detect, s->resolution);
    fputs(" %", w->to);
}

static void put_noise(const struct words *w)
{
    const struct duel_series *s = NULL;
    for (size_t i = 0; i < w->d->series_n; i++) {
        const struct duel_series *one = &w->d->series[i];
        if (one->decision != DECISION_PASS && !one->refused && (!s || one->sd > s->sd))
            s = one;
    }
    if (!s || !isfinite(s->sd)) {
        fputs("too few blocks to say anything", w->to);
        return;
    }
    fprintf(w->to, "%s, ", duel_series_title(w->d, s));
    put_interval(w->to, s);
    if (s->resolution > s->detect - w->d->rules.margin)
        fprintf(w->to, "; machine too noisy (block sd %.2g %%)", s->sd * 100);
    else
        fprintf(w->to, "; between what is allowed and what can be told from it");
    put_needed(w, s);
    fputs(". ", w->to);
    put_run(w);
    fputc('.', w->to);
}

static void put_inconclusive(const struct words *w)
{
    size_t dropped = w->d->blocks_n - w->d->counted;
    switch (w->d->cause) {
    case DUEL_CAUSE_A_FAULT:
        fprintf(w->to, "A is at fault, so nothing is said of B: %s.", w->d->reason);
        break;
    case DUEL_CAUSE_DROPPED:
        fprintf(w->to,
                "%zu of %s %s dropped (the last: %s); the machine or a server was not fit to "
                "measure.",
                dropped, figure_many(w->d->blocks_n, "block").text, dropped == 1 ? "was" : "were",
                w->d->blocks_n ? w->d->blocks[w->d->blocks_n - 1].dropped : "");
        break;
    case DUEL_CAUSE_CLIENT_BOUND:
        fputs("the generator was the limit, not the servers: the ratio of throughputs is "
              "compressed towards 1 and is no sign of parity. Use --metric cpu, more connections, "
              "or more CPUs for the generator.",
              w->to);
        break;
    case DUEL_CAUSE_TIME:
        fprintf(w->to, "time was over after %zu of %s. ", w->d->counted,
                figure_many(w->d->rules.blocks, "block").text);
        put_noise(w);
        break;
    case DUEL_CAUSE_INTERRUPTED:
        fprintf(w->to, "interrupted. ");
        put_noise(w);
        break;
    default: put_noise(w);
    }
}

char *duel_verdict_words(const struct duel *d)
{
    char *text = NULL;
    size_t size;
    struct words w = {.to = open_memstream(&text, &size), .d = d};
    locale_t before = figure_locale_begin();
    fprintf(w.to, "%s  ", duel_verdict_name(d->verdict));
    if (d->verdict == DUEL_FAIL && d->cause == DUEL_CAUSE_B_FAULT)
        fprintf(w.to, "B is at fault: %s.", d->reason);
    else if (d->verdict == DUEL_FAIL)
        put_fail(&w);
    else if (d->verdict == DUEL_PASS)
        put_pass(&w);
    else
        put_inconclusive(&w);
    figure_locale_end(before);
    fclose(w.to);
    return text;
}
