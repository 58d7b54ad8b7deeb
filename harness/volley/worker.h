/* worker: one thread's connections and the loop that loads them. A worker holds its share of the
   connections to every target at once and loads one target at a time. Nothing is shared with other
   workers but const data and the stop flag. */
#ifndef VOLLEY_WORKER_H
#define VOLLEY_WORKER_H

#include "volley/tally.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct err;
struct flags;
struct target;
struct transport_ops;
struct worker;

/* What all workers are told. Outlives them. */
struct worker_plan {
    const struct flags *options;
    const struct target *targets;
    unsigned target_count;
    const struct transport_ops *engine;
    const struct sockaddr_storage *sources; /* to bind to, in turn; NULL: the kernel's choice */
    unsigned source_count;
    const atomic_int *stop; /* set by a signal: end soon */
};

/* A worker for the index-th of --threads equal shares. Call it and everything below in the thread
   that will run it. Returns NULL with err set (EXIT_MACHINE). */
struct worker *worker_new(const struct worker_plan *plan, unsigned index, struct err *e);
void worker_free(struct worker *w);

/* Opens all connections, retrying those that fail for a bounded time. */
void worker_connect(struct worker *w);

/* Loads one target for length_ns (or until its --requests are done), then drains it: waits for late
   answers at most --drain. What happened is in worker_tally. */
void worker_slice(struct worker *w, unsigned target, uint64_t length_ns);

/* The counts of one target since their last reset; the caller resets them. */
struct tally *worker_tally(struct worker *w, unsigned target);

/* How many connections to a target were ever open at once, and whether any may open again. */
unsigned worker_achieved(const struct worker *w, unsigned target);
bool worker_alive(const struct worker *w, unsigned target);

/* Gives --requests a fresh start (a warm-up has used some). */
void worker_renew_quota(struct worker *w);

/* Nothing is left of --requests. Never without that option. */
bool worker_spent(const struct worker *w, unsigned target);

/* Length and fingerprint of the answer that this worker's others were compared with. False: none
 * yet. */
bool worker_reference(const struct worker *w, unsigned target, uint64_t *len, uint64_t *hash);

#endif
