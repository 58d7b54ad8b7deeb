/* allan: how long a slice should be. The Allan variance of log rates says how much two neighbouring
   slices of a length differ by noise: falling with the length while the noise is white, rising once
   it drifts (Allan, Proc. IEEE 54, 1966; Riley, NIST SP 1065, 2008). */
#ifndef STATS_ALLAN_H
#define STATS_ALLAN_H

#include <stddef.h>

/* Allan variance of the log rates of slices that are m base intervals long, from the counts of n
   base intervals in a row: half the mean square difference of neighbours, overlapping estimate.
   Slices without a count are left out. NaN when fewer than two whole slices fit (2 m > n). */
double allan_variance(const double *counts, size_t n, size_t m);

/* The slice length, of those offered, that makes a run of fixed time most precise when each slice
   is preceded by a guard: the smallest allan_variance(m) * (m + guard). Lengths and guard are in
   base intervals (guard may be a fraction); a length that n counts hold fewer than 8 times is not
   considered. Returns the length, 0 when none could be judged. */
size_t allan_best_length(const double *counts, size_t n, const size_t *lengths, size_t length_count,
                         double guard);

#endif
