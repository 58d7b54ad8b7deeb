/* affinity: which CPUs this process may run on. */
#ifndef VOLLEY_AFFINITY_H
#define VOLLEY_AFFINITY_H

struct err;

/* Binds the calling thread, and those that it will make, to a list as "1" or "0,2-3". Returns 0, or
   -1 with err set (EXIT_USAGE). */
int affinity_set(const char *list, struct err *e);

#endif
