/* options: see options.h. Numbers are read without the locale (no strtod: a comma locale would stop
   at the point). */
#include "command/options.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/strings.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits with an optional point; returns the first character behind, or NULL. */
static const char *decimal(const char *p, double *value)
{
    double v = 0, scale = 1;
    const char *start = p;
    bool point = false;
    for (; isdigit((unsigned char)*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        v = v * 10 + (*p - '0');
        scale *= point ? 10 : 1;
    }
    *value = v / scale; /* of hundreds of digits: infinite, or not even a number */
    return p == start || (p == start + 1 && point) || !isfinite(*value) ? NULL : p;
}

int options_seconds(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"h", 3600}};
    double v;
    const char *unit = decimal(text, &v);
    for (size_t i = 0; unit && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].unit) == 0) {
            *seconds = v * units[i].factor;
            return 0;
        }
    return -1;
}

static int whole(const char *text, uint64_t *value)
{
    uint64_t v = 0;
    if (!*text || strlen(text) > 19)
        return -1;
    for (const char *p = text; *p; p++) {
        if (!isdigit((unsigned char)*p))
            return -1;
        v = v * 10 + (uint64_t)(*p - '0');
    }
    *value = v;
    return 0;
}

static int add_list(const struct option *o, const char *text, struct strings *list, struct err *e)
{
    if (!text[strspn(text, ",")])
        return err_set(e, EXIT_USAGE, "--%s needs a value: %s", o->name, o->arg);
    while (*text) {
        size_t n = strcspn(text, ",");
        if (n)
            strings_take(list, xstrndup(text, n));
        text += n + (text[n] == ',');
    }
    return 0;
}

static int store(const struct option *o, const char *text, void *values, struct err *e)
{
    void *to = (char *)values + o->offset;
    double number = 0;
    uint64_t count = 0;
    int rc = 0;
    switch (o->type) {
    case OPTION_FLAG: *(bool *)to = true; return 0;
    case OPTION_TEXT: *(const char **)to = text; return 0;
    case OPTION_LIST: return add_list(o, text, to, e);
    case OPTION_WHOLE:
        rc = whole(text, &count);
        number = (double)count;
        break;
    case OPTION_SECONDS: rc = options_seconds(text, &number); break;
    case OPTION_PERCENT: {
        const char *rest = decimal(text, &number);
        rc = rest && (*rest == '\0' || strcmp(rest, "%") == 0) ? 0 : -1;
        break;
    }
    }
    if (rc < 0 || !(number >= o->min && number <= o->max))
        return err_set(e, EXIT_USAGE, "--%s %s: it must be a %s from %g to %g%s", o->name, text,
                       o->type == OPTION_WHOLE     ? "whole number"
                       : o->type == OPTION_SECONDS ? "time"
                                                   : "percentage",
                       o->min, o->max,
                       o->type == OPTION_SECONDS ? " seconds (10, 1.5s, 500ms, 2m)" : "");
    if (o->type == OPTION_WHOLE)
        *(uint64_t *)to = count;
    else
        *(double *)to = number;
    return 0;
}

static const struct option *find(const struct option_set *set, const char *name, size_t len)
{
    for (size_t i = 0; i < set->n; i++)
        if (strlen(set->option[i].name) == len && memcmp(set->option[i].name, name, len) == 0)
            return &set->option[i];
    return NULL;
}

static void print_help(const struct option_set *set)
{
    printf("Usage: %s\n\n%s\n", set->usage, set->about);
    if (set->n)
        printf("\nOptions:\n");
    for (size_t i = 0; i < set->n; i++) {
        char left[60];
        const struct option *o = &set->option[i];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n", "--help", "this text");
    if (set->more)
        printf("\n%s\n", set->more);
}

/* One "--name", "--name value" or "--name=value" at *argv; advances it. */
static int parse_option(const struct option_set *set, char ***argv, void *values, struct err *e)
{
    const char *name = **argv + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct option *o = find(set, name, len);
    if (!o)
        return err_set(e, EXIT_USAGE, "unknown option --%.*s; see: %.*s--help", (int)len, name,
                       (int)strcspn(set->usage, "[<"), set->usage); /* it ends with a blank */
    if (o->type == OPTION_FLAG && equals)
        return err_set(e, EXIT_USAGE, "--%s takes no value", o->name);
    const char *value = equals ? equals + 1 : NULL;
    if (o->type != OPTION_FLAG && !value) {
        value = (*argv)[1];
        if (!value)
            return err_set(e, EXIT_USAGE, "--%s needs a value: %s", o->name, o->arg);
        ++*argv;
    }
    return store(o, value, values, e);
}

int options_parse(const struct option_set *set, char **argv, void *values,
                  struct strings *positional, int *helped, struct err *e)
{
    bool only_positional = false;
    *helped = 0;
    for (argv++; *argv; argv++) {
        if (!only_positional && strcmp(*argv, "--") == 0) {
            only_positional = true;
        } else if (!only_positional && (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0)) {
            print_help(set);
            *helped = 1;
            return 0;
        } else if (!only_positional && strncmp(*argv, "--", 2) == 0) {
            if (parse_option(set, &argv, values, e) < 0)
                return -1;
        } else if (!only_positional && (*argv)[0] == '-' && (*argv)[1]) {
            return err_set(e, EXIT_USAGE, "unknown option %s; options start with two dashes",
                           *argv);
        } else if (positional->n == set->positional_max) {
            return err_set(e, EXIT_USAGE, "unexpected \"%s\"; usage: %s", *argv, set->usage);
        } else {
            strings_add(positional, *argv);
        }
    }
    return 0;
}
