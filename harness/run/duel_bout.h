/* duel_bout: both servers up for one block, or for the pilot, started in a random order, each on a
   random port and with a stack moved by a random amount of environment; loaded in turn; stopped. */
#ifndef RUN_DUEL_BOUT_H
#define RUN_DUEL_BOUT_H

#include "model/duel.h"

struct duel_run;
struct err;

/* Measures block number index into b. Servers that don't come up or die are b->fault. Returns 0; or
   -1 with err set when the generator or the machine failed. When a stop was asked meanwhile the
   block is to be thrown away. */
int duel_bout_block(struct duel_run *r, unsigned index, struct duel_block *b, struct err *e);

/* Loads each side alone on each route and fills the duel's slice_s (unless the wish says it) and
   overhead_s: what a block costs besides its slices. */
int duel_bout_pilot(struct duel_run *r, struct err *e);

#endif
