/* published_plan: a published comparison -> the runs that measure it here. Pure. */
#ifndef MODEL_PUBLISHED_PLAN_H
#define MODEL_PUBLISHED_PLAN_H

#include "model/plan.h"
#include "model/published.h"

#define PUBLISHED_CEILING "ceiling" /* the server that answers without looking: the limit */

enum published_weight { /* of its cells: how long their slices must be */
    PUBLISHED_USUAL,
    PUBLISHED_MANY,  /* connections */
    PUBLISHED_LARGE, /* answers */
    PUBLISHED_WEIGHTS
};

/* Everything that is measured under the same flags of the published generator, in one run. */
struct published_part {
    char *name;        /* a folder's: "wrk-15s", "ab-50000" */
    char *generator;   /* the published one; volley joins it for the ratio */
    unsigned threads;  /* of it, as published; 0 = not said */
    double duration_s; /* of its trials */
    uint64_t requests; /* that end its trials instead; 0 = by time */
    enum published_weight weight;
    struct strings adapted;       /* what is not as published, in words */
    struct published_cell *cells; /* distinct; their servers are borrowed */
    size_t cells_n;
};

struct published_plan {
    const struct published *document; /* borrowed */
    bool quick;
    struct published_part *parts;
    size_t parts_n;
    size_t *part_of_row;   /* indices of parts */
    size_t *part_of_claim; /* the same; parts_n = none (memory) */
};

/* quick merges all flags of one generator and shortens everything. client_cpus limits wrk's threads
   (for the words only; the generator knows them itself). */
void published_plan_make(struct published_plan *p, const struct published *document, bool quick,
                         unsigned client_cpus);
void published_plan_fini(struct published_plan *p); /* safe twice */

/* The part's suite, of the servers that can run here (a subset of its cells'), the first of which
   becomes the reference of the slices. The caller owns it. */
void published_plan_suite(const struct published_plan *p, size_t part,
                          const struct strings *servers, uint64_t seed, struct suite *s);

/* Marks the cells of a plan made from that suite which nothing published asks for. */
void published_plan_skip(const struct published_plan *p, size_t part, struct plan *plan);

/* Index of what measures a cell in a plan; plan->cells_n when it isn't there. */
size_t published_plan_find(const struct plan *plan, const struct published_cell *cell,
                           const char *generator);

#endif
