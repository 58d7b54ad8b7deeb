/* volley_report: volley's summary and slices as figures. Pure: texts in, figures out. */
#ifndef LOAD_VOLLEY_REPORT_H
#define LOAD_VOLLEY_REPORT_H

#include "load/generator.h"

#include <stdbool.h>

struct duel_slices;

/* What the summary says of one target. */
struct volley_target {
    struct tally tally;
    char connect_error[80], framing_error[80]; /* the last and the first one; "" = none */
};

/* Reads `volley --json`. Returns 0, or -1 when text is no whole summary of n targets (*to then
   holds nothing measured). */
int volley_report_parse(const char *text, struct volley_target *to, size_t n);

/* Which slices there are, as `volley --slices` wrote them (model/duel_slice.h reads them). */
struct volley_turns {
    const struct duel_slices *slices;
    const size_t *order; /* the palindrome that was asked for: 2 * targets numbers; NULL with one */
    size_t targets, reference; /* reference == targets: none */
};

/* Both sides' CPU time in each target's slices, and its paired log ratios. */
void volley_report_share(const struct volley_turns *turns, struct load_share *shares);

#endif
