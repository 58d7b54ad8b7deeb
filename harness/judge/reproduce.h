/* reproduce: does a published ratio hold on this machine? Pure.

   The rule, for a row whose published ratio to its base is p (from the two figures, each good to
   half of its last digit: p_low to p_high) and whose ratio here has the 95 % interval [low, high]:

   window     = [p_low / REPRODUCE_TOLERANCE, p_high x REPRODUCE_TOLERANCE]
   holds      = [low, high] lies within the window
   differs    = [low, high] and the window have nothing in common
   can't tell = they overlap, or there is no interval (invalid cells, fewer than six blocks)

   "holds" is thus a test of equivalence, not a failure to see a difference: Schuirmann's two
   one-sided tests (J. Pharmacokinetics and Biopharmaceutics 15, 1987) in their interval form, at
   2.5 % each side.

   REPRODUCE_TOLERANCE stands for another machine, another year, and for the published figures
   having no interval of their own. It comes from the sources themselves: where one of them gives
   the same ratio to nginx more than once (177 pairs: LeanTea's eleven runs of its CI, its laptop's
   two, the two tables of LEAR), three quarters of the pairs agree within 20 %. A ratio nearer than
   that is not told apart by their own figures. test_reproduce computes it from configs/published.
 */
#ifndef JUDGE_REPRODUCE_H
#define JUDGE_REPRODUCE_H

#include "model/published_outcome.h"
#include "model/result.h"

#define REPRODUCE_TOLERANCE 1.20

/* The published range widened by the tolerance. */
struct published_range reproduce_window(const struct published_range *published);

/* HOLDS, DIFFERS or CANT_TELL. */
enum published_word reproduce_word(const struct interval *measured,
                                   const struct published_range *window);

/* Fills o->rows, o->claims and the counts of o->runs. results has one per part of the plan, NULL
   where o->runs says why there is none; o->missing and o->memory are filled before. */
void reproduce_judge(struct published_outcome *o, const struct result *const *results);

/* Of claims only; reproduce_judge calls it. */
void reproduce_judge_claims(struct published_outcome *o, const struct result *const *results);

/* Where a cell is measured in a part, or why not: then cell is the plan's cells_n, and why is
   filled. */
struct reproduce_place {
    const struct result *result; /* NULL: the part did not run */
    size_t cell;
};
struct reproduce_place reproduce_find(const struct published_outcome *o,
                                      const struct result *const *results, size_t part,
                                      const struct published_cell *cell, const char *generator,
                                      char *why, size_t size);

#endif
