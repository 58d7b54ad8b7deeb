/* gate_trend: parity ratios against their history. See judge/gate.h. The published rule, an alert
   below 80 % of the previous best, done so that it can fire: with the right direction, on one kind
   of machine, and only when the intervals of both leave no doubt. */
#include "judge/gate.h"

#include "base/alloc.h"
#include "judge/gate_drift.h"
#include "judge/gate_level.h"
#include "model/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *series_name(const struct level_series *s)
{
    return xasprintf("%s/%s %s", history_series_name(s->like), s->against,
                     s->metric == METRIC_THROUGHPUT ? "throughput" : "CPU per request");
}

/* Of a cell without a ratio: whose fault it is. */
static enum gate_outcome blame(enum verdict v)
{
    switch (v) {
    case VERDICT_CONTRACT_BROKEN:
    case VERDICT_BOOT_FAILED:
    case VERDICT_SERVER_DIED:
    case VERDICT_ERRORS:
    case VERDICT_KEEPALIVE_LOST: return GATE_FAIL;
    case VERDICT_VALID:
    case VERDICT_CLIENT_BOUND:
    case VERDICT_SHARED_CORES:
    case VERDICT_INCONSISTENT:
    case VERDICT_UNSTABLE: return GATE_NOT_COMPARED;
    default: return GATE_MISSING;
    }
}

/* No ratio now. */
static void add_unmeasured(struct gate *g, const struct level_series *s)
{
    enum verdict v = s->like->verdict;
    gate_add(g, GATE_TREND, blame(v), series_name(s),
             v == VERDICT_VALID
                 ? xasprintf("no ratio: the other side has no valid figure")
                 : xasprintf("no ratio: the cell is %s (%s)", verdict_name(v), verdict_meaning(v)));
}

static void add_new(struct gate *g, const struct gate_trend_input *in, const struct level_series *s,
                    const struct level *l, const struct interval *now)
{
    char *words;
    if (!in->history || in->history->n == 0)
        words = xstrdup("the history begins with this run");
    else if (l->elsewhere)
        words =
            xasprintf("%zu earlier run%s on other kinds of machine, none on this one (%s): not "
                      "compared",
                      l->elsewhere, l->elsewhere == 1 ? "" : "s", machine_title(&in->now->machine));
    else if (l->n)
        words = xstrdup("no baseline: the earlier ratios are 0");
    else
        words = xstrdup("not in the history yet");
    struct gate_check *c = gate_add(g, GATE_TREND, GATE_NEW, series_name(s), words);
    c->now = now->estimate;
}

static double percent(double loss)
{
    return -expm1(-loss) * 100;
}

static const char *commit_of(const struct history_run *run)
{
    return run->commit ? run->commit : run->time;
}

/* "; nginx was 1.22.1 there and is 1.24.0 now", or "". */
static char *version_news(const struct history_run *before, const struct history_run *now,
                          const char *server)
{
    char *was = xstrdup(facts_show(&before->versions, server));
    const char *is = facts_show(&now->versions, server);
    char *text = strcmp(was, is) == 0
                     ? xstrdup("")
                     : xasprintf("; mind that %s was %s there and is %s now", server, was, is);
    free(was);
    return text;
}

static void compare(struct gate *g, const struct gate_trend_input *in, const struct level_series *s,
                    const struct level_point *best, const struct interval *now)
{
    struct level_loss loss = level_loss(&best->ratio, now, s->metric);
    double allowed = -log1p(-in->drop / 100);
    enum gate_outcome outcome = loss.least > allowed      ? GATE_FAIL
                                : loss.estimate > allowed ? GATE_INCONCLUSIVE
                                : loss.most < 0           ? GATE_IMPROVED
                                                          : GATE_PASS;
    char *news = version_news(best->run, in->now, s->against);
    char *words = xasprintf(
        "%.3g of %s now, %.3g at %.12s, the best of the last %zu: %.1f %% %s, allowed %.3g %%%s%s",
        now->estimate, s->against, best->ratio.estimate, commit_of(best->run), in->last,
        fabs(percent(loss.estimate)), loss.estimate > 0 ? "worse" : "better", in->drop,
        outcome == GATE_INCONCLUSIVE ? "; but the intervals don't exclude that it is less" : "",
        news);
    struct gate_check *c = gate_add(g, GATE_TREND, outcome, series_name(s), words);
    c->before = best->ratio.estimate;
    c->now = now->estimate;
    c->worse = percent(loss.estimate);
    c->low = percent(loss.least);
    c->high = percent(loss.most);
    c->allowed = in->drop;
    free(news);
}

static void judge_series(struct gate *g, const struct gate_trend_input *in,
                         const struct level_series *s)
{
    struct level l;
    struct interval now = level_ratio(in->now, s->like, s->against, s->metric);
    level_gather(&l, in, s);
    size_t best = level_best(&l, in->last, s->metric);
    if (!isfinite(now.estimate)) {
        add_unmeasured(g, s);
    } else if (best == l.n) {
        add_new(g, in, s, &l, &now);
    } else {
        compare(g, in, s, &l.points[best], &now);
        char *name = series_name(s);
        drift_judge(g, &l, &now, s->metric, name);
        free(name);
    }
    level_fini(&l);
}

/* Throughput and CPU per request, against each other server of the run. */
static void judge_cell(struct gate *g, const struct gate_trend_input *in,
                       const struct history_series *like)
{
    for (size_t i = 0; i < in->now->series_n; i++) {
        const struct history_series *other = &in->now->series[i];
        struct history_series mine = *like;
        mine.server = other->server;
        if (strcmp(other->server, in->server) == 0 || !history_same(&mine, other))
            continue;
        for (int m = 0; m < METRIC_COUNT; m++) {
            struct level_series s = {like, other->server, (enum metric)m};
            judge_series(g, in, &s);
        }
    }
}

static const struct history_run *last_comparable(const struct gate_trend_input *in)
{
    for (size_t i = in->history ? in->history->n : 0; i-- > 0;) {
        const struct history_run *run = &in->history->runs[i];
        if (strcmp(run->machine.key, in->now->machine.key) == 0 &&
            strcmp(run->suite, in->now->suite) == 0 && strcmp(run->id, in->now->id) != 0)
            return run;
    }
    return NULL;
}

static bool is_there(const struct gate_trend_input *in, const struct history_run *before,
                     const struct history_series *s)
{
    for (size_t i = 0; i < in->now->series_n; i++)
        if (level_find(in, before, &in->now->series[i]) == s)
            return true;
    return false;
}

/* Series that the last comparable run had and this one hasn't: dropped, or renamed. */
static void find_missing(struct gate *g, const struct gate_trend_input *in)
{
    const struct history_run *before = last_comparable(in);
    for (size_t i = 0; before && i < before->series_n; i++) {
        const struct history_series *s = &before->series[i];
        if (strcmp(s->server, in->server) == 0 && !is_there(in, before, s))
            gate_add(
                g, GATE_TREND, GATE_MISSING, xstrdup(history_series_name(s)),
                xasprintf("the last run had it (%.12s) and this one has not; if it has another "
                          "name now: --rename 'OLD=NEW'; if it is gone for good: --missing "
                          "warn, once",
                          commit_of(before)));
    }
}

void gate_judge_trend(struct gate *g, const struct gate_trend_input *in)
{
    size_t found = 0;
    for (size_t i = 0; i < in->now->series_n; i++) {
        if (strcmp(in->now->series[i].server, in->server) != 0)
            continue;
        judge_cell(g, in, &in->now->series[i]);
        found++;
    }
    if (!found)
        gate_add(g, GATE_TREND, GATE_MISSING, xasprintf("%s ratios", in->server),
                 xasprintf("the result has no cell of %s", in->server));
    find_missing(g, in);
}
