/* trial_read: one trial out of the JSON of a result. */
#ifndef MODEL_TRIAL_READ_H
#define MODEL_TRIAL_READ_H

#include "model/trial.h"

struct json_at;

extern const char *const latency_keys[LATENCY_N]; /* p50 p75 p90 p99 p99_9 p99_99 */

/* Fills all of *t but its cell. What is wrong is recorded in at's err. */
void trial_read(struct trial *t, const struct json_at *at, unsigned blocks, size_t servers_n);

/* A verdict by name; NOT_RUN and a refusal when there is none such. */
enum verdict trial_read_verdict(const struct json_at *parent);

#endif
