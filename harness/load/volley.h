/* volley: drives bin/volley, Parity's own generator, which loads all servers of a comparison in
   interleaved slices. Known by its command line and its JSON alone. */
#ifndef LOAD_VOLLEY_H
#define LOAD_VOLLEY_H

struct err;
struct generator;
struct load;

extern const struct generator volley_generator;

/* Path of the program (caller frees), or NULL with err set. */
char *volley_find(struct err *e);

/* Seconds that one server is loaded at a time: long against what starting and draining a slice
   costs (connections x a request), but short enough for two palindromes in the load's duration,
   which is a whole number of palindromes. */
double volley_slice_s(const struct load *l);

#endif
