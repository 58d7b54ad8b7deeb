/* duel: a duel for people: a line while it runs, the verdict at its end. Pure. */
#ifndef PRESENT_DUEL_H
#define PRESENT_DUEL_H

#include "model/duel.h"

#include <stdio.h>

/* "block 12/48  health throughput: B 0.31 % slower (-0.20 to 0.82)  could see 0.60 %  38 s left",
   the series that is nearest to a FAIL. Before the first value: what is being done. */
void duel_write_line(char *to, size_t size, const struct duel *d, double left_s);

/* The table of series, both sides' figures, the verdict in words with its rule, and what belongs to
   it: blocks, looks, noise, seed. color = ANSI allowed. */
void duel_write_verdict(FILE *to, const struct duel *d, bool color);

/* The verdict alone: "FAIL  B is 4.1 % slower than A (...), 30 blocks, 38 s, health throughput.
   ...", one line (caller frees). */
char *duel_verdict_words(const struct duel *d);

/* Median over the blocks that count of a route's figure of one side; NaN = not measured. */
double duel_median(const struct duel *d, size_t route, enum duel_who who, size_t field_offset);

#endif
