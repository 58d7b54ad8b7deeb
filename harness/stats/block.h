/* block: the unit of inference. Its slices run in palindromes (ABBA ABBA ..., or BAAB BAAB ...), so
   that a linear drift cancels; a fair coin chooses which, so that its value is symmetric about the
   truth whatever the noise does. Its value is the log slowdown of B against A. Which blocks count
   is for others to say. */
#ifndef STATS_BLOCK_H
#define STATS_BLOCK_H

#include <stddef.h>

struct random;

#define BLOCK_TRIM 0.2

/* Draws the order of one palindrome of all targets 0..targets-1 (>= 2): a random permutation, then
   the same backwards; 2 * targets numbers. For two targets that is the fair coin between 0110 and
   1001. A block repeats its one palindrome for all its slices. */
void block_draw_order(struct random *r, size_t targets, size_t *order);

struct block {
    size_t targets;
    const size_t *order;  /* from block_draw_order; borrowed */
    const double *slices; /* slice i, in time order, loaded target order[i % (2 * targets)] */
    size_t n;             /* slices; those after the last whole palindrome are left out */
};

/* Value of a block whose slices are rates (requests / s; more is better): of each palindrome
   s = ((ln a1 + ln a2) - (ln b1 + ln b2)) / 2, then the mean with BLOCK_TRIM of the palindromes
   trimmed on each side. Positive: b is slower than a. A palindrome with a slice of a or b that is
   NaN (not measured) or <= 0 is left out; NaN when none is left. */
double block_slowdown_of_rates(const struct block *block, size_t a, size_t b);

/* The same for costs (CPU time per request; less is better): positive when b costs more than a. */
double block_slowdown_of_costs(const struct block *block, size_t a, size_t b);

#endif
