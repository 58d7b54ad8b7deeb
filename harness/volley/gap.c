/* gap: see gap.h. Up in small steps, down in large ones: an idle server costs more than a look. */
#include "volley/gap.h"

enum {
    SHARE = 8,
    WANTED_MOST = 16,
    STEP_NS = 100,
    GAP_MOST_NS = 10000
};

unsigned gap_wanted(uint64_t in_flight)
{
    uint64_t wanted = in_flight / SHARE;
    if (wanted < 2)
        return 0; /* so few that the server would idle */
    return wanted < WANTED_MOST ? (unsigned)wanted : WANTED_MOST;
}

uint64_t gap_next(uint64_t gap_ns, uint64_t answers, unsigned wanted)
{
    if (wanted == 0)
        return 0;
    if (answers >= wanted)
        return gap_ns - gap_ns / 4;
    uint64_t longer = gap_ns + gap_ns / 16 + STEP_NS;
    return longer < GAP_MOST_NS ? longer : GAP_MOST_NS;
}
