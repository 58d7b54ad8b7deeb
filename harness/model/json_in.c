/* json_in: a cursor over a jansson document that remembers the way to each value, so that an error
   can name file, line and key. jansson keeps no line of a value: json_line.c finds it in the text.
 */
#include "model/json_in.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "model/json_line.h"
#include "model/strings.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int json_in_text(struct json_in *in, const char *text, const char *file, struct err *e)
{
    json_error_t at;
    *in = (struct json_in){.file = file, .text = xstrdup(text), .e = e};
    in->root = json_loads(in->text, JSON_REJECT_DUPLICATES, &at);
    if (!in->root)
        return err_set(e, EXIT_USAGE, "%s:%d: not valid JSON: %s", file, at.line, at.text);
    return 0;
}

static int line_of_end(const char *text)
{
    int line = 1;
    for (; *text; text++)
        line += *text == '\n';
    return line;
}

int json_in_open(struct json_in *in, const char *file, struct err *e)
{
    *in = (struct json_in){.file = file, .e = e};
    size_t len = 0;
    char *text = file_read(file, &len, e);
    if (!text)
        return -1;
    /* jansson would stop at a NUL and call what stands before it a whole document. */
    int rc = strlen(text) == len ? json_in_text(in, text, file, e)
                                 : err_set(e, EXIT_USAGE, "%s:%d: not valid JSON: a NUL byte", file,
                                           line_of_end(text));
    free(text);
    return rc;
}

void json_in_close(struct json_in *in)
{
    json_decref(in->root);
    free(in->text);
    in->root = NULL;
    in->text = NULL;
}

struct json_at json_in_root(struct json_in *in)
{
    return (struct json_at){.in = in, .value = in->root};
}

static bool is_plain(const char *key)
{
    size_t i = 0;
    while (key[i] && !iscntrl((unsigned char)key[i]) && !strchr(".[]\"\\", key[i]))
        i++;
    return i > 0 && !key[i];
}

struct json_at json_at_key(const struct json_at *at, const char *key)
{
    struct json_at to = {.in = at->in, .value = json_object_get(at->value, key)};
    if (is_plain(key)) {
        snprintf(to.path, sizeof to.path, "%.120s%s%.70s", at->path, at->path[0] ? "." : "", key);
        return to;
    }
    json_t *name = json_string(key);
    char *quoted = json_dumps(name, JSON_ENCODE_ANY);
    snprintf(to.path, sizeof to.path, "%.120s[%.70s]", at->path, quoted ? quoted : "\"\"");
    free(quoted);
    json_decref(name);
    return to;
}

struct json_at json_at_index(const struct json_at *at, size_t i)
{
    struct json_at to = {.in = at->in, .value = json_array_get(at->value, i)};
    snprintf(to.path, sizeof to.path, "%.170s[%zu]", at->path, i);
    return to;
}

size_t json_at_count(const struct json_at *at)
{
    return json_array_size(at->value);
}

int json_at_refuse(const struct json_at *at, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    int line = json_line(at->in->text, at->path);
    return err_set(at->in->e, EXIT_USAGE, "%s:%d: %s%s%s", at->in->file, line, at->path,
                   at->path[0] ? ": " : "", text);
}

static const char *type_name(const json_t *v)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return v ? names[json_typeof(v)] : "missing";
}

static void refuse_type(const struct json_at *at, const char *wanted)
{
    json_at_refuse(at, "is %s; it must be %s", type_name(at->value), wanted);
}

bool json_at_object(const struct json_at *at, const char *const *keys)
{
    const char *key;
    json_t *value;
    if (!json_is_object(at->value)) {
        refuse_type(at, "an object");
        return false;
    }
    json_object_foreach(at->value, key, value)
    {
        const char *const *k = keys;
        while (k && *k && strcmp(*k, key) != 0)
            k++;
        if (!k || *k)
            continue;
        char all[300] = "";
        for (k = keys; *k; k++)
            snprintf(all + strlen(all), sizeof all - strlen(all), " %s", *k);
        struct json_at to = json_at_key(at, key);
        json_at_refuse(&to, "unknown key; known here are:%s", all);
        return false;
    }
    return true;
}

bool json_at_array(const struct json_at *at)
{
    if (json_is_array(at->value))
        return true;
    refuse_type(at, "an array");
    return false;
}

void json_at_unique(const struct json_at *at)
{
    for (size_t i = 0; i < json_at_count(at); i++)
        for (size_t j = 0; j < i; j++)
            if (json_equal(json_array_get(at->value, i), json_array_get(at->value, j))) {
                struct json_at one = json_at_index(at, i);
                json_at_refuse(&one, "is there twice");
            }
}

const char *json_at_text_or(const struct json_at *at, const char *fallback)
{
    return at->value ? json_at_text(at) : fallback;
}

const char *json_at_text(const struct json_at *at)
{
    if (json_is_string(at->value))
        return json_string_value(at->value);
    refuse_type(at, "a string");
    return "";
}

double json_at_number(const struct json_at *at, double min, double max)
{
    double v = json_number_value(at->value);
    if (!json_is_number(at->value))
        refuse_type(at, "a number");
    else if (!(v >= min && v <= max))
        json_at_refuse(at, "is %g; it must be from %g to %g", v, min, max);
    else
        return v;
    return min;
}

double json_at_number_or(const struct json_at *at, double min, double max, double fallback)
{
    return at->value ? json_at_number(at, min, max) : fallback;
}

uint64_t json_at_whole(const struct json_at *at, uint64_t min, uint64_t max)
{
    if (json_is_real(at->value))
        json_at_refuse(at, "is %g; it must be a whole number", json_real_value(at->value));
    else if (!json_is_integer(at->value))
        refuse_type(at, "a whole number");
    if (!json_is_integer(at->value))
        return min;
    json_int_t v = json_integer_value(at->value);
    if (v >= 0 && (uint64_t)v >= min && (uint64_t)v <= max)
        return (uint64_t)v;
    json_at_refuse(at, "is %lld; it must be from %llu to %llu", (long long)v,
                   (unsigned long long)min, (unsigned long long)max);
    return min;
}

uint64_t json_at_whole_or(const struct json_at *at, uint64_t min, uint64_t max, uint64_t fallback)
{
    return at->value ? json_at_whole(at, min, max) : fallback;
}

bool json_at_bool(const struct json_at *at)
{
    if (!json_is_boolean(at->value))
        refuse_type(at, "true or false");
    return json_is_true(at->value);
}

double json_at_measure(const struct json_at *at)
{
    if (json_is_number(at->value))
        return json_number_value(at->value);
    if (!json_is_null(at->value))
        refuse_type(at, "a number or null");
    return NAN;
}

void json_at_strings(const struct json_at *at, struct strings *list)
{
    if (at->value && !json_is_array(at->value))
        refuse_type(at, "an array of strings");
    for (size_t i = 0; i < json_at_count(at); i++) {
        struct json_at one = json_at_index(at, i);
        strings_add(list, json_at_text(&one));
    }
}

void json_at_schema(const struct json_at *root, const char *schema, int version)
{
    struct json_at name = json_at_key(root, "schema"), number = json_at_key(root, "schema_version");
    const char *text = json_at_text(&name);
    if (strcmp(text, schema) != 0)
        json_at_refuse(&name, "is \"%s\"; this must be a \"%s\"", text, schema);
    else if (json_at_whole(&number, 1, 1000000) != (uint64_t)version)
        json_at_refuse(&number, "this program reads version %d of %s", version, schema);
}
