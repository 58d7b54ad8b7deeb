/* sample_duel: made-up slices and blocks of a duel, with a known slowdown in them. */
#ifndef TESTS_SAMPLE_DUEL_H
#define TESTS_SAMPLE_DUEL_H

#include "judge/duel_block.h"
#include "model/duel.h"
#include "stats/random.h"

struct sample_load {
    double rate;                     /* of A, requests/s */
    double slowdown;                 /* of B, log; its CPU per request grows by as much */
    double drift;                    /* log rate gained over the whole block by both */
    double noise;                    /* sd of a slice's log rate and log cost */
    double server_busy, client_busy; /* shares */
    size_t slices;
};

/* Slices of 5 ms in the order (of targets), one clock for the loaded side, one for the other. The
   caller ends them with duel_slices_fini. */
void sample_duel_slices(struct duel_slices *s, const struct sample_load *load, const size_t *order,
                        bool b_first, struct random *r);

/* A quiet load of 100k/s, both sides saturated, 200 slices. */
extern const struct sample_load sample_quiet;

/* A duel with these rules and one route, ready for duel_judge_start: margin and detect in percent
   (detect NaN = chosen), both metrics. */
void sample_duel(struct duel *d, size_t blocks, double margin_percent, double detect_percent);

/* A block whose values are these, saturated servers, without errors. */
void sample_block(struct duel_block *b, const struct duel *d, double throughput, double cpu);

#endif
