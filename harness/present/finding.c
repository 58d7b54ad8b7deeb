/* finding: words for ratios. Never "no difference": what could not be seen is said with the size
   that would have been seen; "equal" only where the whole interval lies inside a margin
   (Schuirmann, "two one-sided tests", 1987); no order without an interval. */
#include "present/finding.h"

#include "present/figure.h"
#include "present/panel.h"
#include "stats/distribution.h"

#include <math.h>

#define POWER 0.95

enum {
    BLOCKS_MAX = 64 /* more than enough where there are too few for an interval */
};

static bool has_interval(const struct interval *v)
{
    return isfinite(v->low) && isfinite(v->high) && v->low > 0;
}

enum finding finding_of(const struct ratio *ratio)
{
    if (!ratio || !isfinite(ratio->value.estimate) || ratio->value.estimate <= 0)
        return FINDING_NONE;
    const struct interval *v = &ratio->value;
    if (!has_interval(v))
        return FINDING_FEW;
    if (v->low > 1)
        return FINDING_HIGHER;
    if (v->high < 1)
        return FINDING_LOWER;
    return v->low >= 1 - FINDING_MARGIN && v->high <= 1 + FINDING_MARGIN ? FINDING_EQUAL
                                                                         : FINDING_OPEN;
}

double finding_detectable(const struct interval *v)
{
    if (!has_interval(v) || v->confidence <= 0 || v->confidence >= 1)
        return NAN;
    double z = distribution_normal_quantile((1 + v->confidence) / 2);
    double half = (log(v->high) - log(v->low)) / 2;
    return expm1(half * (z + distribution_normal_quantile(POWER)) / z);
}

const char *finding_subject(enum metric m)
{
    return m == METRIC_CPU ? "CPU per request" : "requests/s";
}

/* 0.087 and 0.113 as "8.7 to 11.3 %": as many decimals as tell the ends apart. */
static void write_percents(FILE *to, double low, double high)
{
    double a = fmin(fabs(low), fabs(high)) * 100, b = fmax(fabs(low), fabs(high)) * 100;
    int decimals = b - a < 0.2 ? 2 : b - a < 5 ? 1 : 0;
    fprintf(to, "(%.*f to %.*f %%)", decimals, a, decimals, b);
}

static void write_ratios(FILE *to, const struct interval *v)
{
    fprintf(to, "%s to %s", figure_ratio(v->low, v->low, v->high).text,
            figure_ratio(v->high, v->low, v->high).text);
}

/* Percents read well near 1, times far from it. */
static void write_separated(FILE *to, const struct ratio *ratio)
{
    const struct interval *v = &ratio->value;
    if (v->estimate >= 2 || v->estimate <= 0.5) {
        fprintf(to, "%s times the %s (", figure_ratio(v->estimate, v->low, v->high).text,
                finding_subject(ratio->metric));
        write_ratios(to, v);
        fputs(")", to);
        return;
    }
    const char *less = ratio->metric == METRIC_CPU ? "less" : "fewer";
    fprintf(to, "%s %s %s ", figure_percent(fabs(v->estimate - 1)).text,
            v->estimate > 1 ? "more" : less, finding_subject(ratio->metric));
    write_percents(to, v->low - 1, v->high - 1);
}

static void write_few(FILE *to, const struct result *r, const struct ratio *ratio)
{
    double blocks[BLOCKS_MAX], low = INFINITY, high = -INFINITY;
    size_t n = panel_block_ratios(r, ratio, blocks, BLOCKS_MAX);
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, blocks[i]);
        high = fmax(high, blocks[i]);
    }
    fprintf(to, "%s times the %s", figure_ratio(ratio->value.estimate, NAN, NAN).text,
            finding_subject(ratio->metric));
    if (n > 1)
        fprintf(to, " (blocks %s to %s)", figure_ratio(low, NAN, NAN).text,
                figure_ratio(high, NAN, NAN).text);
    fprintf(to, ", too few blocks for an interval: n=%zu", ratio->value.n);
}

void finding_write(FILE *to, const struct result *r, const struct ratio *ratio)
{
    const char *subject = finding_subject(ratio->metric);
    const struct interval *v = &ratio->value;
    switch (finding_of(ratio)) {
    case FINDING_HIGHER:
    case FINDING_LOWER: write_separated(to, ratio); break;
    case FINDING_EQUAL:
        fprintf(to, "%s equal within %.0f %% (ratio ", subject, FINDING_MARGIN * 100);
        write_ratios(to, v);
        fputs(")", to);
        break;
    case FINDING_OPEN:
        fprintf(to, "no difference seen in %s (ratio ", subject);
        write_ratios(to, v);
        fprintf(to, "; would have seen %s)", figure_percent(finding_detectable(v)).text);
        break;
    case FINDING_FEW: write_few(to, r, ratio); break;
    default:
        fprintf(to, "no ratio of %s", subject);
        if (ratio->note[0])
            fprintf(to, " (%s)", ratio->note);
    }
}

void finding_count(struct finding_count *count, const struct result *r, size_t server,
                   enum metric metric)
{
    *count = (struct finding_count){.lowest = NAN, .highest = NAN, .low = NAN, .high = NAN};
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        if (r->plan.cells[i].server != server)
            continue;
        const struct ratio *ratio = panel_ratio(r, i, metric);
        enum finding f = finding_of(ratio);
        count->of[f]++;
        count->n++;
        if (f == FINDING_NONE)
            continue;
        count->lowest = fmin(count->lowest, ratio->value.estimate);
        count->highest = fmax(count->highest, ratio->value.estimate);
        count->low = fmin(count->low, ratio->value.low);
        count->high = fmax(count->high, ratio->value.high);
    }
}

unsigned finding_confidence(const struct result *r)
{
    double lowest = 2;
    for (size_t i = 0; i < r->ratios_n; i++)
        if (has_interval(&r->ratios[i].value))
            lowest = fmin(lowest, r->ratios[i].value.confidence);
    return lowest > 1 ? 0 : (unsigned)floor(lowest * 100 + 1e-9);
}
