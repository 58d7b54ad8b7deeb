/* json_field: the fields of a JSON object by name, each of which must be there. Strict like
   json_in: what is missing or of another type is refused with file, line and key. */
#ifndef MODEL_JSON_FIELD_H
#define MODEL_JSON_FIELD_H

#include "model/json_in.h"

/* The field, which must be an object or an array. */
struct json_at field_object(const struct json_at *parent, const char *name);
struct json_at field_array(const struct json_at *parent, const char *name);

double field_measure(const struct json_at *parent, const char *name); /* NaN for null */
int64_t field_count(const struct json_at *parent, const char *name);  /* -1 for null */
uint64_t field_whole(const struct json_at *parent, const char *name, uint64_t max); /* from 0 */
bool field_flag(const struct json_at *parent, const char *name);

/* A text, copied: the caller frees; NULL for null. */
char *field_text(const struct json_at *parent, const char *name);
/* A text into a buffer (cut to its size); "" for null. */
void field_copy(const struct json_at *parent, const char *name, char *to, size_t size);

/* Refuses the field unless it says the same as is known from elsewhere. */
void field_agrees(const struct json_at *parent, const char *name, const char *text);
void field_agrees_number(const struct json_at *parent, const char *name, double number);

#endif
