/* duel_slice: see duel_slice.h. Strict about what is used, indifferent to other keys: the generator
   may say more. */
#include "model/duel_slice.h"

#include "base/alloc.h"
#include "base/err.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double duel_slice_rate(const struct duel_slice *s)
{
    if (s->ok < 2 || s->last_ns <= s->start_ns)
        return NAN;
    return (double)s->ok / ((double)(s->last_ns - s->start_ns) / 1e9);
}

struct reading {
    const json_t *line;
    const char *lacks; /* the first key that is missing or of another type, or NULL */
};

static const json_t *get(struct reading *r, const char *key, bool (*is)(const json_t *))
{
    const json_t *v = json_object_get(r->line, key);
    if (!is(v) && !r->lacks)
        r->lacks = key;
    return v;
}

static bool is_whole(const json_t *v)
{
    return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool is_whole_or_null(const json_t *v)
{
    return json_is_null(v) || is_whole(v);
}

static bool is_object(const json_t *v)
{
    return json_is_object(v);
}

static bool is_array(const json_t *v)
{
    return json_is_array(v);
}

static uint64_t whole(struct reading *r, const char *key)
{
    return (uint64_t)json_integer_value(get(r, key, is_whole));
}

static uint64_t whole_or_null(struct reading *r, const char *key)
{
    return (uint64_t)json_integer_value(get(r, key, is_whole_or_null));
}

static bool is_wrong_answer(const char *kind)
{
    static const char *const kinds[] = {"status", "framing", "length", "body"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], kind) == 0)
            return true;
    return false;
}

static void read_errors(struct reading *r, struct duel_slice *s)
{
    const char *kind;
    json_t *value;
    json_t *errors = (json_t *)get(r, "errors", is_object);
    json_object_foreach(errors, kind, value)
    {
        json_int_t n = json_integer_value(value);
        size_t used = strlen(s->what);
        if (n <= 0)
            continue;
        s->errors += (uint64_t)n;
        s->wrong |= is_wrong_answer(kind);
        snprintf(s->what + used, sizeof s->what - used, "%s%s %lld", used ? ", " : "", kind,
                 (long long)n);
    }
}

static void read_clocks(struct reading *r, struct duel_slice *s)
{
    const json_t *list = get(r, "server_cpu_ns", is_array);
    s->pids_n = json_array_size(list);
    if (s->pids_n > DUEL_PIDS_MAX)
        s->pids_n = DUEL_PIDS_MAX;
    for (size_t i = 0; i < s->pids_n; i++) {
        const json_t *one = json_array_get(list, i);
        s->cpu_ns[i] = json_is_integer(one) ? (double)json_integer_value(one) : NAN;
    }
}

static const char *read_slice(struct duel_slice *s, const json_t *line)
{
    struct reading r = {.line = line};
    *s = (struct duel_slice){.target = (unsigned)whole(&r, "target"),
                             .start_ns = whole(&r, "start_ns"),
                             .stop_ns = whole(&r, "stop_ns"),
                             .first_ns = whole_or_null(&r, "first_ns"),
                             .last_ns = whole_or_null(&r, "last_ns"),
                             .duration_ns = whole(&r, "duration_ns"),
                             .ok = whole(&r, "ok"),
                             .failed = whole(&r, "failed"),
                             .unanswered = whole(&r, "unanswered"),
                             .client_cpu_ns = (double)whole(&r, "client_cpu_ns"),
                             .client_spin_ns = (double)whole(&r, "client_spin_ns")};
    read_errors(&r, s);
    read_clocks(&r, s);
    return r.lacks;
}

/* The next line as JSON; *text moves behind it. NULL = not JSON. */
static json_t *next_line(const char **text)
{
    size_t len = strcspn(*text, "\n");
    json_t *line = json_loadb(*text, len, 0, NULL);
    *text += len + ((*text)[len] == '\n');
    return line;
}

static bool is_slice(const json_t *line)
{
    const char *type = json_string_value(json_object_get(line, "type"));
    return type && strcmp(type, "slice") == 0;
}

int duel_slices_read(struct duel_slices *s, const char *text, const char *name, struct err *e)
{
    *s = (struct duel_slices){0};
    for (unsigned number = 1; *text; number++) {
        const char *lacks = NULL;
        json_t *line = next_line(&text);
        bool good = line != NULL;
        if (is_slice(line)) {
            struct duel_slice *one = xgrow(&s->item, &s->n, sizeof *one);
            lacks = read_slice(one, line);
        }
        json_decref(line);
        if (!good)
            return err_set(e, EXIT_MACHINE, "%s:%u: is not JSON (cut off?)", name, number);
        if (lacks)
            return err_set(e, EXIT_MACHINE, "%s:%u: a slice without a usable \"%s\"", name, number,
                           lacks);
    }
    return 0;
}

void duel_slices_fini(struct duel_slices *s)
{
    free(s->item);
    *s = (struct duel_slices){0};
}

char *duel_slices_lean(const char *text)
{
    char *lean = NULL;
    size_t size;
    FILE *to = open_memstream(&lean, &size);
    while (to && *text) {
        json_t *line = next_line(&text);
        if (is_slice(line)) {
            json_object_del(line, "histogram");
            json_dumpf(line, to, JSON_COMPACT | JSON_REAL_PRECISION(12));
            fputc('\n', to);
        }
        json_decref(line);
    }
    if (to)
        fclose(to);
    return lean ? lean : xstrdup("");
}
