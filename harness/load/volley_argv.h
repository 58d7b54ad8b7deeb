/* volley_argv: what the command lines of volley have in common, whether it loads for a comparison
   or for a duel. */
#ifndef LOAD_VOLLEY_ARGV_H
#define LOAD_VOLLEY_ARGV_H

#include "model/route.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strings;

/* An option with its value, which it takes over. */
void volley_argv_add(struct strings *argv, const char *option, char *value_taken);

/* The route's request, and what a right answer to it is: status and length are always compared;
   bodies that the route's table has, byte by byte as well, which for less than a hundred bytes
   costs nothing that could be seen. */
void volley_argv_request(struct strings *argv, enum route_id id, bool keepalive);

/* The processes that serve the index-th URL; none: nothing is added. */
void volley_argv_pids(struct strings *argv, size_t index, const pid_t *pids, size_t n);

#endif
