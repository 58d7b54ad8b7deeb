/* json_line: a walk over JSON text that is known to be valid, following one path. Only for error
   messages, so it is small rather than fast. */
#include "model/json_line.h"

#include <ctype.h>
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

/* The value of key in the object at p, or NULL. */
static const char *member(const char *p, const char *key, size_t len)
{
    if (*p != '{')
        return NULL;
    for (p = blanks(p + 1); *p == '"'; p = blanks(after_value(p))) {
        const char *end = after_string(p);
        bool same = (size_t)(end - p) == len + 2 && memcmp(p + 1, key, len) == 0;
        p = blanks(end);
        if (same)
            return p;
    }
    return NULL;
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

int json_line(const char *text, const char *path)
{
    const char *at = blanks(text);
    while (*path) {
        const char *next;
        if (*path == '[') {
            char *end;
            next = element(at, strtol(path + 1, &end, 10));
            path = *end ? end + 1 : end;
        } else {
            path += *path == '.';
            size_t len = strcspn(path, ".[");
            next = member(at, path, len);
            path += len;
        }
        if (!next)
            break;
        at = next;
    }
    int line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}
