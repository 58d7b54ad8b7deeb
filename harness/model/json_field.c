/* json_field: see json_field.h. result_read.c and trial_read.c read results with it. */
#include "model/json_field.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Figures are written with 12 digits; one that was computed from others may differ in the last. */
static const double rounding = 1e-9;

struct json_at field_object(const struct json_at *parent, const char *name)
{
    struct json_at at = json_at_key(parent, name);
    json_at_object(&at, NULL);
    return at;
}

struct json_at field_array(const struct json_at *parent, const char *name)
{
    struct json_at at = json_at_key(parent, name);
    json_at_array(&at);
    return at;
}

double field_measure(const struct json_at *parent, const char *name)
{
    struct json_at at = json_at_key(parent, name);
    return json_at_measure(&at);
}

int64_t field_count(const struct json_at *parent, const char *name)
{
    struct json_at at = json_at_key(parent, name);
    return json_is_null(at.value) ? -1 : (int64_t)json_at_whole(&at, 0, INT64_MAX);
}

uint64_t field_whole(const struct json_at *parent, const char *name, uint64_t max)
{
    struct json_at at = json_at_key(parent, name);
    return json_at_whole(&at, 0, max);
}

bool field_flag(const struct json_at *parent, const char *name)
{
    struct json_at at = json_at_key(parent, name);
    return json_at_bool(&at);
}

char *field_text(const struct json_at *parent, const char *name)
{
    struct json_at at = json_at_key(parent, name);
    return json_is_null(at.value) ? NULL : xstrdup(json_at_text(&at));
}

void field_copy(const struct json_at *parent, const char *name, char *to, size_t size)
{
    struct json_at at = json_at_key(parent, name);
    snprintf(to, size, "%s", json_is_null(at.value) ? "" : json_at_text(&at));
}

void field_agrees(const struct json_at *parent, const char *name, const char *text)
{
    struct json_at at = json_at_key(parent, name);
    const char *said = json_at_text(&at);
    if (strcmp(said, text) != 0)
        json_at_refuse(&at, "is \"%s\", but by the rest of this file it is \"%s\"", said, text);
}

void field_agrees_number(const struct json_at *parent, const char *name, double number)
{
    struct json_at at = json_at_key(parent, name);
    double said = json_at_measure(&at);
    if (isfinite(said) != isfinite(number) || fabs(said - number) > fabs(number) * rounding)
        json_at_refuse(&at, "is %.12g, but the figures it is made of give %.12g", said, number);
}
