/* order: which target is loaded next. Pure and seeded. */
#ifndef VOLLEY_ORDER_H
#define VOLLEY_ORDER_H

#include "stats/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum {
    ORDER_TARGETS_MAX = 64,
    ORDER_LIST_MAX = 1024
};

struct order {
    enum {
        ORDER_PALINDROME,
        ORDER_RANDOM,
        ORDER_LIST
    } kind;
    struct random random;
    size_t targets, round[ORDER_LIST_MAX], round_len, at;
};

/* text: "palindrome" (a random permutation, then its mirror: ABBA or BAAB, so that a linear drift
   cancels within each round), "random" (a random permutation each round), or a list as "0,1,1,0".
   Returns 0, or -1 with err set (EXIT_USAGE): a list must name every target. */
int order_init(struct order *o, const char *text, size_t targets, uint64_t seed, struct err *e);

size_t order_next(struct order *o);

/* Is the next one the first of a round? Only whole rounds compare targets fairly. */
bool order_at_round_start(const struct order *o);

#endif
