/* gap: how long a client that never sleeps (--busy-poll) lets pass between two looks for answers.
   Looking each time one answer is there costs a system call an answer, and then the client is the
   limit; so it lets a few come together, but never so many that the server runs out of requests. */
#ifndef VOLLEY_GAP_H
#define VOLLEY_GAP_H

#include <stdint.h>

/* Answers that should come together: an eighth of what is in flight, at most 16. 0 = don't wait:
   so few are in flight that the server would idle. */
unsigned gap_wanted(uint64_t in_flight);

/* The gap in ns, at most 10 us, to use after one of gap_ns brought so many answers. */
uint64_t gap_next(uint64_t gap_ns, uint64_t answers, unsigned wanted);

#endif
