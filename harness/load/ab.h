/* ab: drives the real ApacheBench (2.3). */
#ifndef LOAD_AB_H
#define LOAD_AB_H

struct generator;

extern const struct generator ab_generator;

#endif
