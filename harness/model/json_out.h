/* json_out: what every writer of our JSON files needs. All return new references. */
#ifndef MODEL_JSON_OUT_H
#define MODEL_JSON_OUT_H

#include "model/facts.h"
#include "model/strings.h"

#include <jansson.h>

json_t *json_out_real(double v); /* null for what is not finite: not measured */

/* Text of any origin (logs, tools, git, paths): bytes that aren't UTF-8 become '?', so that no key
   is lost. NULL gives null. */
json_t *json_out_text(const char *s);

void json_out_put(json_t *object, const char *key, json_t *value); /* takes value over */

json_t *json_out_list(const struct strings *s);
json_t *json_out_facts(const struct facts *f); /* an object: texts and numbers by key */

#endif
