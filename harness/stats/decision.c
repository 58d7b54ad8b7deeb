/* decision: see decision.h. */
#include "stats/decision.h"

#include <assert.h>

const char *decision_name(enum decision decision)
{
    static const char *const names[] = {"CONTINUE", "FAIL", "PASS", "UNDECIDED"};
    assert((unsigned)decision < sizeof names / sizeof *names);
    return names[decision];
}
