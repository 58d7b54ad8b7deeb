/* summary_json: results as JSON. Numbers carry their unit in the key; what was not measured is
 * null; never NaN. */
#ifndef VOLLEY_SUMMARY_JSON_H
#define VOLLEY_SUMMARY_JSON_H

#include "volley/session.h"

#include <jansson.h>

/* For json_dumpf: numbers to 12 digits, more than anything here is measured to. */
#define SUMMARY_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(12))

struct flags;
struct target;

/* What a summary says beside the run's own figures. */
struct summary_about {
    const struct flags *options;
    const struct target *targets;
    const char *started; /* ISO 8601 */
    bool interrupted;
};

/* New references, which the caller owns.

   A slice: type "slice", slice (its number), target (of the URL, from 0), start_ns stop_ns first_ns
   last_ns (CLOCK_MONOTONIC: first send, no more sends, first and last answer or null), duration_ns,
   counts, client_cpu_ns, client_spin_ns (the part of it spent looking for events in vain),
   server_cpu_ns (per --pid, in order; null: gone), with --rate late_sends unsent lag_p99_ns, and
   histogram. Counts are requests ok failed unanswered errors{} late_answers connections_opened
   reconnects bytes_read.

   A summary: type "summary", what was asked for (options{}) and chosen (engine, seed), interrupted,
   lagged and lagged_reason (null in a closed loop), wall_s, and targets[]: url, counts,
   connections_achieved (open at once), connections_not_closed, duration_s (sum of its slices),
   requests_per_s (right answers), latency_us{mean min max p50 p75 p90 p99 p99_9 p99_99 histogram},
   client_cpu_ns_per_request, server_cpu_ns_per_request, slices (how many), open_loop{rate_per_s
   poisson late_sends unsent lag_us{} lagged reason} or null. */
json_t *summary_json_slice(const struct session_slice *slice, bool open_loop);
json_t *summary_json(const struct session *run, const struct summary_about *about);

#endif
