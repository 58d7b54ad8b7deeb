/* published_outcome: see published_outcome.h. */
#include "model/published_outcome.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

const char *published_word_name(enum published_word w)
{
    static const char *const names[] = {
#define X(id, name, meaning) name,
        PUBLISHED_WORDS(X)
#undef X
    };
    return names[w];
}

const char *published_word_meaning(enum published_word w)
{
    static const char *const meanings[] = {
#define X(id, name, meaning) meaning,
        PUBLISHED_WORDS(X)
#undef X
    };
    return meanings[w];
}

static const struct interval unknown = {NAN, NAN, NAN, 0, 0};

void published_outcome_init(struct published_outcome *o, const struct published_plan *plan)
{
    *o = (struct published_outcome){.document = plan->document, .plan = plan};
    o->runs = xcalloc(plan->parts_n, sizeof *o->runs);
    o->rows = xcalloc(plan->document->rows_n, sizeof *o->rows);
    o->claims = xcalloc(plan->document->claims_n, sizeof *o->claims);
    for (size_t i = 0; i < plan->document->rows_n; i++)
        o->rows[i] = (struct published_finding){.verdict = VERDICT_NOT_RUN,
                                                .requests_per_s = NAN,
                                                .p50_us = NAN,
                                                .p99_us = NAN,
                                                .ratio = NAN,
                                                .throughput = unknown,
                                                .cpu = unknown,
                                                .word = WORD_CANT_TELL};
    for (size_t i = 0; i < plan->document->claims_n; i++)
        o->claims[i] = (struct published_judgement){
            .value = unknown, .said = WORD_CANT_TELL, .data = WORD_CANT_TELL};
}

void published_outcome_fini(struct published_outcome *o)
{
    for (size_t i = 0; o->runs && i < o->plan->parts_n; i++) {
        free(o->runs[i].failed);
        free(o->runs[i].cpus);
    }
    for (size_t i = 0; i < o->memory_n; i++)
        free(o->memory[i].server);
    facts_fini(&o->environment);
    facts_fini(&o->missing);
    free(o->command);
    free(o->memory);
    free(o->claims);
    free(o->rows);
    free(o->runs);
    *o = (struct published_outcome){0};
}
