/* reproduce: rows. See reproduce.h for the rule. */
#include "judge/reproduce.h"

#include "judge/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const volley = "volley";

struct published_range reproduce_window(const struct published_range *published)
{
    return (struct published_range){.low = published->low / REPRODUCE_TOLERANCE,
                                    .high = published->high * REPRODUCE_TOLERANCE,
                                    .known = published->known};
}

enum published_word reproduce_word(const struct interval *measured,
                                   const struct published_range *window)
{
    if (!window->known || isnan(measured->low) || isnan(measured->high))
        return WORD_CANT_TELL;
    if (measured->low >= window->low && measured->high <= window->high)
        return WORD_HOLDS;
    if (measured->high < window->low || measured->low > window->high)
        return WORD_DIFFERS;
    return WORD_CANT_TELL;
}

struct reproduce_place reproduce_find(const struct published_outcome *o,
                                      const struct result *const *results, size_t part,
                                      const struct published_cell *cell, const char *generator,
                                      char *why, size_t size)
{
    struct reproduce_place place = {.result = results[part]};
    const struct fact *missing = facts_find(&o->missing, cell->server);
    if (missing || !place.result) {
        const char *failed = o->runs[part].failed;
        snprintf(why, size, "%.390s", missing ? missing->text : failed ? failed : "it was not run");
        place.result = NULL;
        return place;
    }
    place.cell = published_plan_find(&place.result->plan, cell, generator);
    if (place.cell == place.result->plan.cells_n) {
        snprintf(why, size, "there is no such cell in its run");
        place.result = NULL;
    }
    return place;
}

/* A cell without any trial says why; one with trials says nothing. */
static bool was_not_run(const struct reproduce_place *at, char *why, size_t size)
{
    const struct cell_result *c = &at->result->cells[at->cell];
    if (c->trials)
        return false;
    snprintf(why, size, "%s%s%.360s", c->verdict == VERDICT_SKIPPED ? "" : verdict_name(c->verdict),
             c->verdict == VERDICT_SKIPPED || !c->note[0] ? "" : ": ", c->note);
    return true;
}

static void take_figures(struct published_finding *f, const struct reproduce_place *at)
{
    const struct cell_result *c = &at->result->cells[at->cell];
    f->verdict = c->verdict;
    snprintf(f->note, sizeof f->note, "%.290s", c->note);
    f->requests_per_s = c->requests_per_s;
    f->p50_us = c->latency[LATENCY_P50];
    f->p99_us = c->latency[LATENCY_P99];
}

/* The evidence against the cell that keeps a ratio from being taken, or "". */
static const char *evidence(const struct reproduce_place *ours, const struct reproduce_place *base)
{
    const struct cell_result *a = &ours->result->cells[ours->cell];
    const struct cell_result *b = &base->result->cells[base->cell];
    return a->verdict != VERDICT_VALID ? a->note : b->verdict != VERDICT_VALID ? b->note : "";
}

/* Why there is no word; for a client-bound pair also what its CPU time says. */
static void explain(struct published_finding *f, const struct ratio *rate, const char *because)
{
    char capacity[120] = "";
    if (isfinite(f->cpu.estimate) && !isfinite(rate->value.estimate))
        snprintf(capacity, sizeof capacity,
                 "; by its CPU time per request one core could do %.2f times its base's rate",
                 1 / f->cpu.estimate);
    if (rate->note[0])
        snprintf(f->why, sizeof f->why, "%.150s%s%.100s%s%s", rate->note, because[0] ? " (" : "",
                 because, because[0] ? ")" : "", capacity);
    else
        snprintf(f->why, sizeof f->why, "the interval lies across the tolerance (%.3g to %.3g)",
                 f->window.low, f->window.high);
}

static void judge_ratio(struct published_finding *f, const struct reproduce_place *ours,
                        const struct reproduce_place *base)
{
    struct ratio rate = {.metric = METRIC_THROUGHPUT}, cpu = {.metric = METRIC_CPU};
    ratio_between(ours->result, ours->cell, base->cell, &rate);
    ratio_between(ours->result, ours->cell, base->cell, &cpu);
    f->throughput = rate.value;
    f->cpu = cpu.value;
    f->paired = rate.paired;
    f->word = reproduce_word(&f->throughput, &f->window);
    if (f->word == WORD_CANT_TELL)
        explain(f, &rate, evidence(ours, base));
}

static void judge_row(struct published_outcome *o, const struct result *const *results, size_t i)
{
    const struct published *p = o->document;
    const struct published_row *row = &p->rows[i], *base = &p->rows[row->base];
    struct published_finding *f = &o->rows[i];
    size_t part = o->plan->part_of_row[i];
    const char *tool = p->tables[row->table].generator;
    struct published_range range = published_ratio(p, i, &f->ratio);
    f->window = reproduce_window(&range);
    f->word = WORD_CANT_RUN;
    struct reproduce_place at =
        reproduce_find(o, results, part, &row->cell, tool, f->why, sizeof f->why);
    if (!at.result)
        return;
    take_figures(f, &at);
    struct reproduce_place ours =
        reproduce_find(o, results, part, &row->cell, volley, f->why, sizeof f->why);
    bool by_tool = !was_not_run(&at, f->why, sizeof f->why);
    if (!ours.result || (was_not_run(&ours, f->why, sizeof f->why) && !by_tool))
        return;
    f->why[0] = '\0';
    f->word = WORD_REFERENCE;
    if (row->base == i)
        return;
    f->word = WORD_CANT_RUN;
    if (published_same_cell(&row->cell, &base->cell)) {
        snprintf(f->why, sizeof f->why, "what sets it apart from its base has no counterpart here");
        return;
    }
    struct reproduce_place theirs =
        reproduce_find(o, results, part, &base->cell, volley, f->why, sizeof f->why);
    if (theirs.result)
        judge_ratio(f, &ours, &theirs);
}

static void count_cells(struct published_run *run, const struct result *r)
{
    for (size_t i = 0; r && i < r->plan.cells_n; i++) {
        run->cells += r->plan.cells[i].skipped == NULL;
        run->valid += r->cells[i].verdict == VERDICT_VALID && !r->plan.cells[i].skipped;
    }
}

void reproduce_judge(struct published_outcome *o, const struct result *const *results)
{
    for (size_t i = 0; i < o->plan->parts_n; i++)
        count_cells(&o->runs[i], results[i]);
    for (size_t i = 0; i < o->document->rows_n; i++)
        judge_row(o, results, i);
    reproduce_judge_claims(o, results);
}
