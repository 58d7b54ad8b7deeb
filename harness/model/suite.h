/* suite: what to compare: servers x routes x generators x connection levels x blocks. */
#ifndef MODEL_SUITE_H
#define MODEL_SUITE_H

#include "model/route.h"
#include "model/strings.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct json_at;

enum {
    SUITE_LEVELS_MAX = 64,
    SUITE_GENERATORS_MAX = 16
};

struct suite {
    char *name;
    char *title;
    char *path;             /* the file it came from */
    struct strings servers; /* as manifest_resolve takes them */
    char *reference;        /* the server that ratios are taken against */
    struct strings generators;
    enum route_id routes[ROUTE_COUNT];
    size_t routes_n;
    unsigned connections[SUITE_LEVELS_MAX];
    size_t connections_n;
    bool keepalive, close; /* at least one */
    bool contracts_only;   /* nothing is loaded: no generators, no cells (parity check) */
    unsigned workers;      /* of each server */
    unsigned blocks;
    struct strings blocks_of; /* generators that get another number of blocks: */
    unsigned blocks_of_n[SUITE_GENERATORS_MAX];
    double duration_s;          /* of a trial's measured part */
    struct strings duration_of; /* generators that get another duration: */
    double duration_of_s[SUITE_GENERATORS_MAX];
    uint64_t requests; /* that end a trial of a generator that counts them; 0 = its duration does */
    double warmup_s;   /* discarded before it */
    uint64_t seed;     /* 0 = draw one */
};

/* Loads a suite file; refuses it with file, line and key (EXIT_USAGE). */
int suite_load(struct suite *s, const char *path, struct err *e);

/* Reads a suite object that is part of another document; what is wrong is recorded in root's err.
 *s is zeroed by the caller. */
void suite_read(struct suite *s, const struct json_at *root);

/* A path, or the name of a suite in configs/suites. */
int suite_resolve(struct suite *s, const char *what, struct err *e);
void suite_names(struct strings *names);

/* Checks ranges and combinations after flags changed fields. Returns 0 or -1. */
int suite_check(const struct suite *s, struct err *e);

/* Blocks of the i-th generator, and the most that any has. */
unsigned suite_blocks(const struct suite *s, size_t generator);
unsigned suite_blocks_most(const struct suite *s);
/* "6 blocks", "6 blocks (wrk 2, ab 2)". Static buffer. */
const char *suite_blocks_text(const struct suite *s);

/* Measured seconds of a trial of the i-th generator. */
double suite_duration(const struct suite *s, size_t generator);

/* All generators get so many blocks, or seconds. */
void suite_set_blocks(struct suite *s, unsigned blocks);
void suite_set_duration(struct suite *s, double duration_s);

void suite_fini(struct suite *s); /* safe twice */

#endif
