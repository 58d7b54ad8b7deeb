/* summary_json: results as JSON. Numbers carry their unit in the key; what was not measured is
 * null; never NaN. */
#ifndef VOLLEY_SUMMARY_JSON_H
#define VOLLEY_SUMMARY_JSON_H

#include "volley/session.h"

#include <jansson.h>

struct flags;
struct target;

/* What a summary says beside the run's own figures. */
struct summary_about {
    const struct flags *options;
    const struct target *targets;
    const char *started; /* ISO 8601 */
    bool interrupted;
};

/* New references, which the caller owns. */
json_t *summary_json_slice(const struct session_slice *slice, bool open_loop);
json_t *summary_json(const struct session *run, const struct summary_about *about);

#endif
