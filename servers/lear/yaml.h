/* yaml: a file of settings as a sequence of keys with values. */
#ifndef LEAR_YAML_H
#define LEAR_YAML_H

#include "http/str.h"

struct err;

/* "group.name" or "name", and its value; the strings live as long as the call they are given to,
   and a NUL stands behind value. */
struct yaml_setting {
    const char *file;
    int line; /* from 1 */
    struct str key;
    struct str value;
};

/* Takes one setting. Returns 0, or -1 with err set. */
typedef int yaml_take(void *context, const struct yaml_setting *setting, struct err *err);

/* Reads a file: one document, a mapping of names to values or to mappings of names to values. Calls
   take for each value, in order. 0, or -1 with err set: "FILE:LINE: ...". */
int yaml_read(const char *file, yaml_take *take, void *context, struct err *err);

#endif
