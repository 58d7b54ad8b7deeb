/* cells: trials -> what is known of each cell, and ratios to the reference by blocks. Pure. */
#ifndef JUDGE_CELLS_H
#define JUDGE_CELLS_H

#include "judge/validity.h"
#include "model/result.h"

/* Fills r->cells from r->trials (k for the shares of CPU). Cells that have no trial keep the
   verdict and note that they have; skipped ones say so. */
void cells_judge(struct result *r, const struct conditions *k);

/* Replaces r->ratios: for each comparison, server but the reference, and metric. Throughput pairs
   valid trials of one block; CPU per request pairs client-bound ones as well, for the generator's
   limit leaves it true. */
void ratios_judge(struct result *r);

/* The same between any two cells of one plan and metric, into x->value, x->paired and x->note.
   Slices side by side pair cells of one comparison; others are paired by their blocks. */
void ratio_between(const struct result *r, size_t ours, size_t theirs, struct ratio *x);

/* Replaces r->witnesses: for each paired ratio, what the other generators' ratios of the same
   route, level, mode, server and metric say. Two intervals agree when they overlap. Where a witness
   has too few blocks for an interval it agrees when the range of its blocks meets the paired
   interval; that it doesn't proves nothing. ratios_judge calls it. */
void witnesses_judge(struct result *r);

/* The exit code that a run's verdicts ask for: EXIT_DONE; EXIT_FAIL when a server failed a
   contract, died, sent errors or no answer at all; EXIT_MACHINE when a tool failed;
   EXIT_INCONCLUSIVE when no cell is valid. */
int cells_exit_code(const struct result *r);

#endif
