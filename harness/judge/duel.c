/* duel: see judge/duel.h. The tests themselves are stats/'s; this file decides what is fed to them
   and what their decisions mean together. */
#include "judge/duel.h"

#include "base/alloc.h"
#include "judge/duel_block.h"
#include "judge/duel_plan.h"
#include "stats/robust.h"
#include "stats/signed_rank.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void add_series(struct duel *d, int route)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (!d->rules.metric[m])
            continue;
        struct duel_series *s = xgrow(&d->series, &d->series_n, sizeof *s);
        *s = (struct duel_series){.route = route,
                                  .metric = (enum metric)m,
                                  .interval = {NAN, NAN, NAN, 0, 0},
                                  .estimate = NAN,
                                  .sd = NAN,
                                  .resolution = NAN,
                                  .detect = d->rules.detect};
    }
}

/* The tests of all series begin anew, by j->plan. detect is chosen at the first look where nobody
   gave it: until then no slowdown is large enough to be excluded. */
static void start_tests(struct duel_judge *j)
{
    const struct duel_rules *r = &j->duel->rules;
    double nothing = nextafter(r->margin, INFINITY);
    for (size_t i = 0; i < j->duel->series_n && !r->anytime; i++)
        sequential_init(&j->test[i].looks, &j->plan, r->margin,
                        isnan(r->detect) ? nothing : r->detect);
}

int duel_judge_start(struct duel_judge *j, struct duel *d)
{
    struct duel_rules *r = &d->rules;
    *j = (struct duel_judge){.duel = d};
    assert(d->series_n == 0 && d->routes_n > 0);
    if (r->composite)
        add_series(d, -1);
    for (size_t i = 0; i < d->routes_n && !r->composite; i++)
        add_series(d, (int)i);
    r->alpha_each = r->alpha / (double)d->series_n;
    r->alpha_bound = r->alpha;
    if (r->anytime)
        return 0;
    if (duel_plan_make(&j->plan, r->blocks, r->alpha_each, r->beta - r->alpha_each) < 0)
        return -1;
    r->alpha_each = j->plan.alpha;
    r->alpha_bound = sequential_plan_alpha_bound(&j->plan) * (double)d->series_n;
    start_tests(j);
    return 0;
}

void duel_judge_fini(struct duel_judge *j)
{
    for (size_t i = 0; i < DUEL_SERIES_MAX; i++)
        if (j->test[i].started)
            eprocess_test_fini(&j->test[i].ever);
    *j = (struct duel_judge){0};
}

static double value_of(const struct duel *d, const struct duel_series *s,
                       const struct duel_block *b)
{
    double sum = 0;
    if (s->route >= 0)
        return b->route[s->route].slowdown[s->metric];
    for (size_t i = 0; i < d->routes_n; i++)
        sum += b->route[i].slowdown[s->metric];
    return sum / (double)d->routes_n;
}

/* The values of all blocks that count; the caller frees. */
static double *values_of(const struct duel *d, const struct duel_series *s, size_t *n)
{
    double *x = xcalloc(d->blocks_n, sizeof *x);
    *n = 0;
    for (size_t i = 0; i < d->blocks_n; i++)
        if (!d->blocks[i].dropped[0])
            x[(*n)++] = value_of(d, s, &d->blocks[i]);
    return x;
}

static void feed_looks(struct duel_judge *j, struct duel_series *s, struct sequential *test,
                       double value)
{
    const struct duel_rules *r = &j->duel->rules;
    bool at_look = test->look_count < test->plan.look_count &&
                   test->n + 1 == test->plan.looks[test->look_count].n;
    if (isnan(s->detect) && at_look && test->n + 1 >= DUEL_DETECT_BLOCKS)
        s->detect = duel_plan_detect(r->margin, s->resolution);
    if (!isnan(s->detect))
        test->delta1 = s->detect;
    sequential_feed(test, value);
    s->looks = test->look_count;
    s->interval = sequential_interval(test);
    /* An interval that lies below detect as a whole excludes it, however noisy the run: B is
       plainly faster. Wrong with alpha_each at most, which the plan's beta leaves room for. */
    if (at_look && test->decision != DECISION_FAIL && s->interval.high < s->detect)
        test->decision = DECISION_PASS;
    s->decision = test->decision;
}

/* The e-process needs detect from its first bet on, so it starts when that is known. */
static void feed_ever(struct duel_judge *j, struct duel_series *s, struct duel_test *t,
                      const double *x, size_t n)
{
    const struct duel_rules *r = &j->duel->rules;
    if (n < DUEL_DETECT_BLOCKS)
        return;
    if (isnan(s->detect))
        s->detect = duel_plan_detect(r->margin, s->sd / 2);
    if (!t->started) {
        t->started = true;
        eprocess_test_init(&t->ever, r->margin, s->detect, r->alpha_each, r->beta);
        for (size_t i = 0; i + 1 < n; i++)
            eprocess_test_feed(&t->ever, x[i]);
    }
    s->decision = eprocess_test_feed(&t->ever, x[n - 1]);
    s->looks = n;
    s->interval = eprocess_interval(x, n, 2 * r->alpha_each);
    s->resolution = (s->interval.high - s->interval.low) / 2;
}

static void feed_series(struct duel_judge *j, size_t index)
{
    struct duel_series *s = &j->duel->series[index];
    struct duel_test *t = &j->test[index];
    double *x = values_of(j->duel, s, &s->n);
    size_t before = s->looks;
    s->sd = robust_sd(x, s->n);
    s->estimate = signed_rank_estimate(x, s->n);
    if (j->duel->rules.anytime) {
        feed_ever(j, s, t, x, s->n);
    } else {
        s->resolution = sequential_plan_resolution(&j->plan, s->sd);
        feed_looks(j, s, &t->looks, x[s->n - 1]);
    }
    bool looked = s->looks > before;
    struct duel_point *p = xgrow(&s->course, &s->course_n, sizeof *p);
    *p = (struct duel_point){.n = s->n,
                             .estimate = s->estimate,
                             .low = looked ? s->interval.low : NAN,
                             .high = looked ? s->interval.high : NAN};
    free(x);
}

static enum duel_verdict end(struct duel *d, enum duel_verdict verdict, enum duel_cause cause)
{
    d->verdict = verdict;
    d->cause = cause;
    return verdict;
}

void duel_judge_end(struct duel_judge *j, enum duel_cause cause, const char *reason)
{
    if (j->duel->verdict != DUEL_RUNNING)
        return;
    snprintf(j->duel->reason, sizeof j->duel->reason, "%s", reason);
    end(j->duel, DUEL_INCONCLUSIVE, cause);
}

/* A side's errors in a block as a reason: "errors on json: status 12". */
static void explain_errors(struct duel *d, const struct duel_block *b, enum duel_who who)
{
    size_t route = 0;
    while (route + 1 < d->routes_n && !b->route[route].side[who].errors)
        route++;
    snprintf(d->reason, sizeof d->reason, "errors on %s in block %u: %s",
             route_get(d->routes[route])->name, b->index + 1, b->route[route].side[who].what);
}

static enum duel_verdict blame(struct duel *d, enum duel_who who)
{
    return who == DUEL_B ? end(d, DUEL_FAIL, DUEL_CAUSE_B_FAULT)
                         : end(d, DUEL_INCONCLUSIVE, DUEL_CAUSE_A_FAULT);
}

/* Faults and errors of one side alone. */
static enum duel_verdict judge_faults(struct duel_judge *j, const struct duel_block *b)
{
    struct duel *d = j->duel;
    bool wrong[DUEL_SIDES], alone[DUEL_SIDES];
    if (b->fault != DUEL_FAULT_NONE) {
        snprintf(d->reason, sizeof d->reason, "%s", b->note);
        return blame(d, b->fault == DUEL_FAULT_B ? DUEL_B : DUEL_A);
    }
    uint64_t of_a = duel_block_errors(b, d, DUEL_A, &wrong[DUEL_A]);
    uint64_t of_b = duel_block_errors(b, d, DUEL_B, &wrong[DUEL_B]);
    alone[DUEL_A] = of_a && !of_b;
    alone[DUEL_B] = of_b && !of_a;
    for (int who = 0; who < DUEL_SIDES; who++) {
        j->lost[who] += alone[who];
        if (!alone[who])
            continue;
        explain_errors(d, b, who);
        if (wrong[who] || (j->lost[who] >= DUEL_LOST_BLOCKS && !j->lost[!who]))
            return blame(d, who);
    }
    d->reason[0] = '\0';
    return DUEL_RUNNING;
}

/* More dropped than a run of the planned length may have. */
static bool dropped_too_many(const struct duel *d)
{
    size_t dropped = d->blocks_n - d->counted;
    size_t all = d->rules.anytime ? d->blocks_n : d->rules.blocks + dropped;
    bool enough = !d->rules.anytime || all >= 12;
    return enough && (double)dropped > DUEL_DROPPED_MOST * (double)all;
}

static bool is_refused(const struct duel *d, const struct duel_series *s)
{
    if (s->metric != METRIC_THROUGHPUT)
        return false;
    if (s->route >= 0)
        return d->client_bound[s->route];
    for (size_t i = 0; i < d->routes_n; i++)
        if (d->client_bound[i])
            return true;
    return false;
}

static enum duel_verdict decide(struct duel *d)
{
    size_t failed = 0, open = 0, judged = 0, passed = 0;
    for (size_t i = 0; i < d->routes_n; i++)
        d->client_bound[i] = duel_is_client_bound(d, i);
    for (size_t i = 0; i < d->series_n; i++) {
        struct duel_series *s = &d->series[i];
        s->refused = is_refused(d, s);
        failed += s->decision == DECISION_FAIL;
        open += s->decision == DECISION_CONTINUE && !s->refused;
        judged += !s->refused;
        passed += s->decision == DECISION_PASS && !s->refused;
    }
    bool passes = judged > 0 && passed == judged;
    bool over = !d->rules.anytime && d->counted >= d->rules.blocks;
    if (!failed && !passes && !over && (open > 0 || judged == 0))
        return DUEL_RUNNING;
    if ((double)(d->blocks_n - d->counted) > DUEL_DROPPED_MOST * (double)d->blocks_n)
        return end(d, DUEL_INCONCLUSIVE, DUEL_CAUSE_DROPPED);
    if (failed)
        return end(d, DUEL_FAIL, DUEL_CAUSE_MEASURED);
    if (passes)
        return end(d, DUEL_PASS, DUEL_CAUSE_MEASURED);
    return end(d, DUEL_INCONCLUSIVE, judged ? DUEL_CAUSE_NOISE : DUEL_CAUSE_CLIENT_BOUND);
}

enum duel_verdict duel_judge_feed(struct duel_judge *j, const struct duel_block *block)
{
    struct duel *d = j->duel;
    assert(d->verdict == DUEL_RUNNING);
    struct duel_block *b = xgrow(&d->blocks, &d->blocks_n, sizeof *b);
    *b = *block;
    duel_block_guard(b, d);
    if (judge_faults(j, b) != DUEL_RUNNING)
        return d->verdict;
    if (b->dropped[0])
        return dropped_too_many(d) ? end(d, DUEL_INCONCLUSIVE, DUEL_CAUSE_DROPPED) : DUEL_RUNNING;
    d->counted++;
    for (size_t i = 0; i < d->series_n; i++)
        feed_series(j, i);
    return decide(d);
}

size_t duel_judge_replan(struct duel_judge *j)
{
    struct duel *d = j->duel;
    struct duel_rules *r = &d->rules;
    size_t blocks = sequential_plan_blocks(&j->plan);
    double alpha = r->alpha / (double)d->series_n;
    assert(!r->anytime && !isnan(r->detect));
    for (size_t i = 0; i < d->series_n; i++) {
        size_t need = sequential_plan_horizon(&j->plan, d->series[i].sd, r->detect - r->margin);
        blocks = need > blocks ? need : blocks;
    }
    if (blocks == sequential_plan_blocks(&j->plan) || j->test[0].looks.look_count > 0 ||
        duel_plan_make(&j->plan, blocks, alpha, r->beta - alpha) < 0)
        return r->blocks;
    r->blocks = blocks;
    r->alpha_each = j->plan.alpha;
    r->alpha_bound = sequential_plan_alpha_bound(&j->plan) * (double)d->series_n;
    start_tests(j);
    for (size_t i = 0; i < d->series_n; i++) {
        size_t n;
        double *x = values_of(d, &d->series[i], &n);
        for (size_t k = 0; k < n; k++)
            sequential_feed(&j->test[i].looks, x[k]);
        free(x);
    }
    return blocks;
}
