/* json_line: a walk over JSON text that is known to be valid, following one path. Only for error
   messages, so it is small rather than fast. */
#include "model/json_line.h"

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *blanks(const char *p)
{
    while (isspace((unsigned char)*p) || *p == ',' || *p == ':')
        p++;
    return p;
}

static const char *after_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

/* The end of the value that starts at p. */
static const char *after_value(const char *p)
{
    int depth = 0;
    do {
        if (*p == '"') {
            p = after_string(p);
            continue;
        }
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
        if (depth == 0 && strchr(",]} \t\r\n", *p))
            break;
    } while (*p && (depth > 0 || !strchr(",]} \t\r\n", *p)));
    return p;
}

/* Is the key that stands at p, quotes and escapes included, this one? */
static bool is_key(const char *p, const char *end, const char *key, size_t len)
{
    json_t *decoded = json_loadb(p, (size_t)(end - p), JSON_DECODE_ANY, NULL);
    bool same = decoded && json_string_length(decoded) == len &&
                memcmp(json_string_value(decoded), key, len) == 0;
    json_decref(decoded);
    return same;
}

/* The value of key in the object at p, or NULL. */
static const char *member(const char *p, const char *key, size_t len)
{
    if (*p != '{')
        return NULL;
    for (p = blanks(p + 1); *p == '"'; p = blanks(after_value(p))) {
        const char *end = after_string(p);
        bool same = is_key(p, end, key, len);
        p = blanks(end);
        if (same)
            return p;
    }
    return NULL;
}

/* The same for a key that the path has as a JSON string. */
static const char *quoted_member(const char *p, const char *string, const char *end)
{
    json_t *key = json_loadb(string, (size_t)(end - string), JSON_DECODE_ANY, NULL);
    const char *value = key ? member(p, json_string_value(key), json_string_length(key)) : NULL;
    json_decref(key);
    return value;
}

static const char *element(const char *p, long index)
{
    if (*p != '[')
        return NULL;
    for (p = blanks(p + 1); *p && *p != ']'; p = blanks(after_value(p)))
        if (index-- == 0)
            return p;
    return NULL;
}

/* The value that the first part of *path names below the value at p, or NULL; advances *path. */
static const char *step(const char *p, const char **path)
{
    const char *part = *path;
    char *end;
    if (part[0] == '[' && part[1] == '"') {
        const char *after = after_string(part + 1);
        *path = after + (*after == ']');
        return quoted_member(p, part + 1, after);
    }
    if (part[0] == '[') {
        long index = strtol(part + 1, &end, 10);
        *path = *end ? end + 1 : end;
        return element(p, index);
    }
    part += *part == '.';
    size_t len = strcspn(part, ".[");
    *path = part + len;
    return member(p, part, len);
}

int json_line(const char *text, const char *path)
{
    const char *at = blanks(text);
    while (*path) {
        const char *next = step(at, &path);
        if (!next)
            break;
        at = next;
    }
    int line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}
