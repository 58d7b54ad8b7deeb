/* gate_checks: finding checks of a gate in its tests. Include cmocka.h first. */
#ifndef TESTS_GATE_CHECKS_H
#define TESTS_GATE_CHECKS_H

#include "model/gate.h"

#include <string.h>

/* The check whose series' name is this, or NULL. */
static inline const struct gate_check *gate_find(const struct gate *g, const char *series)
{
    for (size_t i = 0; i < g->checks_n; i++)
        if (strcmp(g->checks[i].series, series) == 0)
            return &g->checks[i];
    return NULL;
}

#define assert_check(g, series, wanted, part)                                                      \
    gate_assert((g), (series), (wanted), (part), __FILE__, __LINE__)

/* Fails unless there is such a check with this outcome, and these words in its own. */
static inline void gate_assert(const struct gate *g, const char *series, enum gate_outcome wanted,
                               const char *part, const char *file, int line)
{
    const struct gate_check *c = gate_find(g, series);
    if (c && c->outcome == wanted && strstr(c->words, part))
        return;
    for (size_t i = 0; i < g->checks_n; i++)
        print_error("%s: %s: %s\n", g->checks[i].series, gate_outcome_name(g->checks[i].outcome),
                    g->checks[i].words);
    print_error("\"%s\" should be %s: ...%s...\n", series, gate_outcome_name(wanted), part);
    _fail(file, line);
}

#endif
