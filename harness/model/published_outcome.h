/* published_outcome: what this machine made of a published comparison, row by row. Plain data:
   judge/reproduce.c fills it, present/ shows it. */
#ifndef MODEL_PUBLISHED_OUTCOME_H
#define MODEL_PUBLISHED_OUTCOME_H

#include "model/facts.h"
#include "model/judged.h"
#include "model/published_plan.h"
#include "model/published_word.h"

struct published_finding { /* of a row */
    enum verdict verdict;  /* of the published generator's cell here; its figures are no more than
                              that allows */
    char note[300];        /* the verdict's evidence */
    double requests_per_s, p50_us, p99_us; /* NaN = not measured */
    double ratio;                          /* as published */
    struct published_range window;         /* that ratio, its rounding, and the tolerance */
    struct interval throughput, cpu;       /* ratios by volley, of this row to its base */
    bool paired;                           /* by slices side by side */
    enum published_word word;
    char why[400]; /* the word's reason, or "" */
};

struct published_memory { /* a server's memory, by the connections that it holds */
    char *server;
    unsigned connections;          /* that were opened */
    double idle_bytes, used_bytes; /* a connection: before its first byte; after one answer */
    double resolution_bytes;       /* of both: a page of each process */
    char why[300];                 /* that there is none, or "" */
};

struct published_judgement {        /* of a claim */
    char measured[300];             /* the figures in words */
    struct interval value;          /* ratio or bytes */
    enum published_word said, data; /* how the two statements fare here */
    char why[400];
};

struct published_run {   /* a part of the plan, as it went */
    char *failed;        /* why nothing of it was measured, or NULL */
    char *cpus;          /* "server 0, generator 1 (2 cores)" */
    size_t valid, cells; /* cells that are valid, and all that were to be measured */
};

struct published_outcome {
    const struct published *document; /* borrowed, as is the plan */
    const struct published_plan *plan;
    char started[32], ended[32];
    char *command;
    uint64_t seed;
    bool interrupted;
    struct facts environment;
    struct facts missing;               /* servers that can't run here -> why */
    unsigned server_cpus;               /* that the servers had; 0 = nothing ran */
    struct published_run *runs;         /* one a part */
    struct published_finding *rows;     /* one a row */
    struct published_judgement *claims; /* one a claim */
    struct published_memory *memory;
    size_t memory_n;
};

void published_outcome_init(struct published_outcome *o, const struct published_plan *plan);
void published_outcome_fini(struct published_outcome *o); /* safe twice */

/* JSON text (NULL never; the caller frees). NaN becomes null. */
char *published_outcome_json(const struct published_outcome *o);

#endif
