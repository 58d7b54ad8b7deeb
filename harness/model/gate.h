/* gate: what a gate looked at and what it found, as gate.json holds it. Plain data. */
#ifndef MODEL_GATE_H
#define MODEL_GATE_H

#include "model/facts.h"
#include "model/strings.h"

#include <stdbool.h>

enum gate_tier {
    GATE_COUNTS, /* exact counts a request */
    GATE_DUEL,   /* the build against its base, measured in pairs */
    GATE_TREND,  /* the parity ratio against its history */
    GATE_TIERS
};

enum gate_outcome {
    GATE_PASS,
    GATE_IMPROVED,     /* passes; the old level no longer guards the new one */
    GATE_NEW,          /* nothing to compare with yet */
    GATE_NOTE,         /* for people: a drift, a change point */
    GATE_NOT_COMPARED, /* there is something to compare with, but it can't be compared */
    GATE_INCONCLUSIVE,
    GATE_MISSING, /* was measured before and isn't now */
    GATE_FAIL,
    GATE_OUTCOMES
};

enum gate_verdict {
    GATE_VERDICT_RUNNING,
    GATE_VERDICT_PASS,
    GATE_VERDICT_FAIL,
    GATE_VERDICT_INCONCLUSIVE
};

struct gate_check { /* a row of the table */
    enum gate_tier tier;
    enum gate_outcome outcome;
    char *series;            /* "health instructions": a name that stays */
    char *unit;              /* of before and now, "" = none */
    double before, now;      /* NaN = not known */
    double worse, low, high; /* of now against before in percent, + = worse; its interval */
    double allowed;          /* percent; NaN = none is allowed, or no such rule */
    char *words;             /* what was found, by which rule, what to do */
};

struct gate {
    enum gate_verdict verdict;
    char *reason; /* the verdict in one line */
    bool asked[GATE_TIERS], interrupted;
    char started[32];
    double elapsed_s;
    char *command, *base, *head; /* as asked, with commits; base NULL = none */
    struct facts environment;
    struct strings notes;
    struct gate_check *checks;
    size_t checks_n;
};

const char *gate_tier_name(enum gate_tier t);       /* counts duel trend */
const char *gate_outcome_name(enum gate_outcome o); /* pass improved new note not_compared ... */
const char *gate_verdict_name(enum gate_verdict v); /* PASS FAIL INCONCLUSIVE */

/* Adds a check with all figures NaN; series and words are taken over. The pointer is valid until
   the next one is added. */
struct gate_check *gate_add(struct gate *g, enum gate_tier tier, enum gate_outcome outcome,
                            char *series, char *words);

/* How many checks have this outcome; tier GATE_TIERS = of any. */
size_t gate_count_of(const struct gate *g, enum gate_tier tier, enum gate_outcome outcome);

char *gate_to_json(const struct gate *g); /* the caller frees */
void gate_fini(struct gate *g);           /* safe twice */

#endif
