/* random: a seeded generator, the same numbers on every machine for the same seed. Not for secrets.
   xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS
   47(4), 2021; https://prng.di.unimi.it), its state filled by splitmix64 (Steele, Lea and Flood,
   OOPSLA 2014). */
#ifndef STATS_RANDOM_H
#define STATS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

/* Starts r anew; every seed is good, 0 too. */
void random_seed(struct random *r, uint64_t seed);

uint64_t random_next(struct random *r);

/* Uniform in 0..n-1 without bias; n > 0. */
uint64_t random_below(struct random *r, uint64_t n);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_unit(struct random *r);

/* A fair coin. */
bool random_coin(struct random *r);

/* Puts items into a random order, each of the n! equally likely (Fisher and Yates). */
void random_shuffle(struct random *r, size_t *items, size_t n);

/* Exponential with this mean (> 0, any unit): the gaps of a Poisson process. */
double random_exponential(struct random *r, double mean);

/* Normal with mean 0 and sd 1. */
double random_normal(struct random *r);

#endif
