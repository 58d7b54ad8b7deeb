/* duel_block: slices -> a block's values, and the guards that drop a block. The guards were
   declared before the run, treat both sides alike and never look at who is slower. */
#ifndef JUDGE_DUEL_BLOCK_H
#define JUDGE_DUEL_BLOCK_H

#include "model/duel.h"
#include "model/duel_slice.h"

#define DUEL_STEAL_MOST   0.20  /* of the block's CPU time, taken by the hypervisor */
#define DUEL_IDLE_MOST    0.005 /* of a CPU, used by a server while the other one was loaded */
#define DUEL_DROPPED_MOST 0.25  /* of the blocks */
/* The generator is the limit when a server under load leaves its CPUs idle, or the generator
   doesn't: then throughput's ratio is compressed towards 1. */
#define DUEL_SERVER_BUSY_LEAST 0.95
#define DUEL_CLIENT_BUSY_MOST  0.95

struct duel_input {
    const struct duel_slices *slices;
    const size_t *order;       /* of targets in a palindrome of four */
    bool b_first;              /* target 0 is B */
    size_t pids_n[DUEL_SIDES]; /* each slice has the loaded side's clocks, then the other's */
    unsigned server_cpus;      /* that a server can use: workers, or CPUs if fewer */
    unsigned client_threads;
};

/* Fills the figures of one route. */
void duel_block_figures(struct duel_figures *f, const struct duel_input *in);

/* Fills b->dropped when a guard says so; d's rules say what is tested. Errors are no guard's
   matter, unless both sides have them: see judge/duel.h. */
void duel_block_guard(struct duel_block *b, const struct duel *d);

/* Errors of a side on all routes of a block; wrong = an answer was wrong. */
uint64_t duel_block_errors(const struct duel_block *b, const struct duel *d, enum duel_who who,
                           bool *wrong);

/* Is the route's throughput limited by the generator: by the medians over the blocks that count. */
bool duel_is_client_bound(const struct duel *d, size_t route);

#endif
