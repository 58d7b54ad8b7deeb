/* duel_session: one duel from its wish to its printed verdict. */
#ifndef COMMAND_DUEL_SESSION_H
#define COMMAND_DUEL_SESSION_H

#include "run/duel.h"

struct duel_outcome {
    enum duel_verdict verdict;
    double cpu_ns_per_request; /* of A on the first route; NaN = not measured */
};

/* Measures and prints: progress to stderr, then JSON (json) or the verdict to stdout. outcome may
   be NULL. Returns the exit code, or -1 with err set. */
int duel_session(const struct duel_wish *wish, bool json, struct duel_outcome *outcome,
                 struct err *e);

/* parity duel --self-test: A against itself must not FAIL, A against a handicapped A must. The wish
   says what the user asked for; its sides, margin and budget are the test's own. Returns the exit
   code, or -1 with err set. */
int duel_self_test(const struct duel_wish *wish, bool quick, struct err *e);

#endif
