/* reproduce_memory: what a connection costs a server in memory of its own. */
#ifndef RUN_REPRODUCE_MEMORY_H
#define RUN_REPRODUCE_MEMORY_H

#include "model/published_outcome.h"

struct run;

/* Boots a server of an open run, opens connections that send nothing, then has each answer one
   request and keeps it; fills *m but its server's name. What goes wrong is m->why. */
void reproduce_memory(struct run *run, const struct manifest *manifest, enum route_id route,
                      struct published_memory *m);

#endif
