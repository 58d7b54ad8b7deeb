/* reproduce_claims: what a source says beside its tables, and what its own figures say against it:
   both are held against what was measured here, by the rule of reproduce.h. */
#include "judge/reproduce.h"

#include "judge/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const volley = "volley";

static void judge_both(struct published_judgement *j, const struct published_claim *c,
                       const struct interval *said, const struct interval *data)
{
    struct published_range of_said = reproduce_window(&c->said_range);
    struct published_range of_data = reproduce_window(&c->data_range);
    j->said = reproduce_word(said, &of_said);
    j->data = reproduce_word(data, &of_data);
}

/* Both cells of a claim by a generator; false: why says which one is missing. */
static bool find_both(const struct published_outcome *o, const struct result *const *results,
                      size_t claim, const char *generator, struct reproduce_place at[2])
{
    const struct published_claim *c = &o->document->claims[claim];
    struct published_judgement *j = &o->claims[claim];
    const struct published_cell *cells[] = {&c->of, &c->to};
    size_t part = o->plan->part_of_claim[claim];
    for (int i = 0; i < 2; i++) {
        if (part == o->plan->parts_n) {
            snprintf(j->why, sizeof j->why, "no part of the plan measures it");
            return false;
        }
        at[i] = reproduce_find(o, results, part, cells[i], generator, j->why, sizeof j->why);
        if (!at[i].result)
            return false;
    }
    return true;
}

static void say_ratio(struct published_judgement *j, const struct published_claim *c)
{
    const struct interval *v = &j->value;
    if (isfinite(v->estimate))
        snprintf(j->measured, sizeof j->measured,
                 "%s %s c=%u is %.3f of %s %s c=%u (%.3f to %.3f), by volley", c->of.server,
                 route_get(c->of.route)->name, c->of.connections, v->estimate, c->to.server,
                 route_get(c->to.route)->name, c->to.connections, v->low, v->high);
}

static void judge_ratio_claim(struct published_outcome *o, const struct result *const *results,
                              size_t claim)
{
    const struct published_claim *c = &o->document->claims[claim];
    struct published_judgement *j = &o->claims[claim];
    struct reproduce_place at[2];
    struct ratio rate = {.metric = METRIC_THROUGHPUT};
    j->said = j->data = WORD_CANT_RUN;
    if (!find_both(o, results, claim, volley, at))
        return;
    ratio_between(at[0].result, at[0].cell, at[1].cell, &rate);
    j->value = rate.value;
    snprintf(j->why, sizeof j->why, "%s", rate.note);
    say_ratio(j, c);
    judge_both(j, c, &j->value, &j->value);
    if (o->server_cpus >= c->needs_cpus)
        return;
    j->said = j->data = WORD_CANT_TELL;
    snprintf(j->why, sizeof j->why,
             "servers have %u CPU%s here and the claim is about %u: loops that share a CPU add "
             "nothing",
             o->server_cpus, o->server_cpus == 1 ? "" : "s", c->needs_cpus);
}

static void say_rate(char *to, size_t size, const char *server, const struct reproduce_place *at)
{
    const struct cell_result *c = &at->result->cells[at->cell];
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s %.0f/s (%s, client %.0f %% busy)", used ? ", " : "",
             server, c->requests_per_s, verdict_name(c->verdict), c->client_busy * 100);
}

/* The source's reading holds when the generator was the limit of both servers; then its own ratio
   says nothing, and what is said is held against volley's. */
static void judge_ceiling(struct published_outcome *o, const struct result *const *results,
                          size_t claim)
{
    const struct published_claim *c = &o->document->claims[claim];
    struct published_judgement *j = &o->claims[claim];
    struct reproduce_place at[2], by_volley[2], limit;
    struct published_cell ceiling = c->of;
    static char name[] = PUBLISHED_CEILING;
    char why[200];
    ceiling.server = name;
    j->said = j->data = WORD_CANT_RUN;
    if (!find_both(o, results, claim, c->generator, at) ||
        !find_both(o, results, claim, volley, by_volley))
        return;
    say_rate(j->measured, sizeof j->measured, c->of.server, &at[0]);
    say_rate(j->measured, sizeof j->measured, c->to.server, &at[1]);
    limit = reproduce_find(o, results, o->plan->part_of_claim[claim], &ceiling, c->generator, why,
                           sizeof why);
    if (limit.result)
        say_rate(j->measured, sizeof j->measured, PUBLISHED_CEILING, &limit);
    struct ratio rate = {.metric = METRIC_THROUGHPUT};
    ratio_between(by_volley[0].result, by_volley[0].cell, by_volley[1].cell, &rate);
    j->value = rate.value;
    judge_both(j, c, &j->value, &j->value);
    int bound = 0, valid = 0;
    for (int i = 0; i < 2; i++) {
        bound += at[i].result->cells[at[i].cell].verdict == VERDICT_CLIENT_BOUND;
        valid += at[i].result->cells[at[i].cell].verdict == VERDICT_VALID;
    }
    j->data = bound == 2 ? WORD_HOLDS : valid == 2 ? WORD_DIFFERS : WORD_CANT_TELL;
    if (isfinite(j->value.estimate))
        snprintf(j->why, sizeof j->why, "by volley %s is %.3f of %s (%.3f to %.3f)", c->of.server,
                 j->value.estimate, c->to.server, j->value.low, j->value.high);
    else
        snprintf(j->why, sizeof j->why, "by volley: %s", rate.note);
}

static struct interval within(double value, double resolution)
{
    return (struct interval){value, value - resolution, value + resolution, 1, 1};
}

static void judge_memory(struct published_outcome *o, size_t claim)
{
    const struct published_claim *c = &o->document->claims[claim];
    struct published_judgement *j = &o->claims[claim];
    const struct fact *missing = facts_find(&o->missing, c->of.server);
    j->said = j->data = WORD_CANT_RUN;
    snprintf(j->why, sizeof j->why, "%s", missing ? missing->text : "it was not measured");
    for (size_t i = 0; i < o->memory_n; i++) {
        const struct published_memory *m = &o->memory[i];
        size_t used = strlen(j->measured);
        if (m->why[0])
            continue;
        snprintf(j->measured + used, sizeof j->measured - used,
                 "%s%s %.0f bytes before the first byte, %.0f after one answer", used ? "; " : "",
                 m->server, m->idle_bytes, m->used_bytes);
        if (strcmp(m->server, c->of.server) != 0)
            continue;
        struct interval idle = within(m->idle_bytes, m->resolution_bytes);
        struct interval after = within(m->used_bytes, m->resolution_bytes);
        j->value = idle;
        judge_both(j, c, &idle, &after);
        snprintf(j->why, sizeof j->why, "of %u connections, to within %.0f bytes each",
                 m->connections, m->resolution_bytes);
    }
    for (size_t i = 0; i < o->memory_n; i++)
        if (strcmp(o->memory[i].server, c->of.server) == 0 && o->memory[i].why[0])
            snprintf(j->why, sizeof j->why, "%s", o->memory[i].why);
}

void reproduce_judge_claims(struct published_outcome *o, const struct result *const *results)
{
    for (size_t i = 0; i < o->document->claims_n; i++) {
        switch (o->document->claims[i].kind) {
        case CLAIM_RATIO: judge_ratio_claim(o, results, i); break;
        case CLAIM_CEILING: judge_ceiling(o, results, i); break;
        case CLAIM_MEMORY: judge_memory(o, i); break;
        }
    }
}
