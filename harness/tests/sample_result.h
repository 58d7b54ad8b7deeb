/* sample_result: a believable result made in memory for the tests of present: nginx (reference),
   reactor and lighttpd on health (keep-alive and close), json and small, by wrk and ab, at 4
   levels. Some cells are client_bound, one has errors, one died, small by ab is skipped for the
   reactor, and lighttpd keeps no connection at 1024. Always the same figures. */
#ifndef TESTS_SAMPLE_RESULT_H
#define TESTS_SAMPLE_RESULT_H

#include "model/result.h"

/* With as many blocks: fewer than 6 are too few for intervals. result_fini ends it. */
void sample_result_make(struct result *r, unsigned blocks);

/* The same with one route, generator and level, all of it not valid. */
void sample_result_make_invalid(struct result *r);

/* nginx alone, one valid cell, one block. */
void sample_result_make_alone(struct result *r);

#endif
