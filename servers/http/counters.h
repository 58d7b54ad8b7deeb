/* counters: what a worker has done. In memory that all workers share, each its own line. */
#ifndef HTTP_COUNTERS_H
#define HTTP_COUNTERS_H

#include <stdint.h>

struct counters {
    uint64_t pid;
    uint64_t requests; /* answered, refusals included */
    uint64_t accepted;
    uint64_t closed;
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t status[6]; /* answers by class: [2] = 2xx; [0] and [1] stay 0 */
    uint64_t malformed; /* refused by the parser or the body decoder */
    uint64_t timeouts;  /* header, body */
    uint64_t write_timeouts;
    char engine[8];
} __attribute__((aligned(128)));

struct counters_board {
    unsigned workers;
    uint64_t restarts; /* workers replaced */
    struct counters of[];
};

/* A board that children of fork() share with their parent; never freed. */
struct counters_board *counters_open(unsigned workers);

/* The board as JSON, NUL-terminated; the caller frees. */
char *counters_json(const struct counters_board *board);

#endif
