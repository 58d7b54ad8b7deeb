/* duel_slice: one slice as the generator writes it: a JSON line. */
#ifndef MODEL_DUEL_SLICE_H
#define MODEL_DUEL_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DUEL_PIDS_MAX = 256
};

struct duel_slice {
    unsigned target;                                            /* which URL was loaded */
    uint64_t start_ns, stop_ns, first_ns, last_ns, duration_ns; /* first, last: answers; 0 = none */
    uint64_t ok, failed, unanswered;
    uint64_t errors; /* of all kinds */
    bool wrong;      /* some of them were wrong answers: status, framing, length or body */
    char what[120];  /* "status 12, reset 1", or "" */
    double client_cpu_ns, client_spin_ns; /* of its CPU time, what it spent looking in vain */
    double cpu_ns[DUEL_PIDS_MAX];         /* of each process, in the order given; NaN = gone */
    size_t pids_n;
};

/* Answers per second from the first send to the last answer of a slice. Not from the first answer:
   where a server answers all connections at once, that one's whole burst would come for nothing.
   NaN for fewer than two. */
double duel_slice_rate(const struct duel_slice *s);

struct duel_slices {
    struct duel_slice *item;
    size_t n;
};

/* Reads lines as `volley --slices` writes them; a line that is no slice (the summary) is skipped.
   name is for messages. Returns 0, or -1 with err set (EXIT_MACHINE): a line that isn't JSON or
   lacks a field, named by its number. */
struct err;
int duel_slices_read(struct duel_slices *s, const char *text, const char *name, struct err *e);
void duel_slices_fini(struct duel_slices *s); /* safe twice */

/* The same lines without their histograms, which are most of their bytes (caller frees). */
char *duel_slices_lean(const char *text);

#endif
