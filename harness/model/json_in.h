/* json_in: strict reading of a JSON file: what is wrong is refused with file, line and key. */
#ifndef MODEL_JSON_IN_H
#define MODEL_JSON_IN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct strings;

struct json_in {
    const char *file; /* for messages */
    char *text;
    json_t *root;
    struct err *e; /* the first thing wrong; reading goes on with zeroes after it */
};

/* A value and the way to it ("configs[0].to"; keys that would be ambiguous are written
   lacks["a.b"]). value is NULL when it isn't there. */
struct json_at {
    struct json_in *in;
    json_t *value;
    char path[200];
};

/* Reads and parses a file (duplicate keys are refused). Returns 0 or -1 with err set (EXIT_USAGE).
   json_in_close is safe after either. */
int json_in_open(struct json_in *in, const char *file, struct err *e);
/* The same from memory; file is for messages only. */
int json_in_text(struct json_in *in, const char *text, const char *file, struct err *e);
void json_in_close(struct json_in *in);

struct json_at json_in_root(struct json_in *in);
struct json_at json_at_key(const struct json_at *at, const char *key);
struct json_at json_at_index(const struct json_at *at, size_t i);
size_t json_at_count(const struct json_at *at); /* elements of an array, 0 when it isn't one */

/* Refuses a value that isn't an object, and keys that aren't in the NULL-terminated list (keys
   NULL: any may be there). */
bool json_at_object(const struct json_at *at, const char *const *keys);

/* Refuses a value that isn't an array, or is missing. */
bool json_at_array(const struct json_at *at);

/* Refuses an element of an array that was there before. */
void json_at_unique(const struct json_at *at);

/* Each refuses a missing or wrong value and then returns fallback. "or" versions take a missing
 * key. */
const char *json_at_text(const struct json_at *at);
const char *json_at_text_or(const struct json_at *at, const char *fallback);
double json_at_number(const struct json_at *at, double min, double max);
double json_at_number_or(const struct json_at *at, double min, double max, double fallback);
uint64_t json_at_whole(const struct json_at *at, uint64_t min, uint64_t max);
uint64_t json_at_whole_or(const struct json_at *at, uint64_t min, uint64_t max, uint64_t fallback);
bool json_at_bool(const struct json_at *at);
double json_at_measure(const struct json_at *at); /* a number, or NaN for null */
/* An array of strings, appended to list; a missing value is an empty list. */
void json_at_strings(const struct json_at *at, struct strings *list);
/* "schema" and "schema_version" must be these. */
void json_at_schema(const struct json_at *root, const char *schema, int version);

/* Refuses a value in own words: "FILE:LINE: KEY: ...". Returns -1. */
int json_at_refuse(const struct json_at *at, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
