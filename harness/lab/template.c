/* template: one pass over the text, with the little that must be known of its syntax: the line, and
   whether the place is in a comment (# to the end of the line) or between double quotes, which end
   with their line too. */
#include "lab/template.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expansion {
    const char *path;
    enum template_target target;
    const struct template_value *values;
    unsigned line;
    bool quoted, comment;
    FILE *out;
    struct err *e;
};

#define NAME_BYTES  "abcdefghijklmnopqrstuvwxyz0123456789_"
#define PLAIN_BYTES NAME_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZ./:,+@%=~-"

static const struct template_value *find(const struct template_value *values, const char *name,
                                         size_t len)
{
    for (; values->name; values++)
        if (strlen(values->name) == len && memcmp(values->name, name, len) == 0)
            return values;
    return NULL;
}

static int refuse_unknown(const struct expansion *x, const char *name, size_t len)
{
    char known[400] = "";
    for (const struct template_value *v = x->values; v->name; v++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " {%s}", v->name);
    }
    return err_set(x->e, EXIT_USAGE,
                   "%s:%u: unknown placeholder {%.*s}; known are%s; a literal brace is {{", x->path,
                   x->line, (int)len, name, known);
}

static int put_value(const struct expansion *x, const struct template_value *v)
{
    if (x->target == TEMPLATE_ARGUMENT) {
        fputs(v->value, x->out);
        return 0;
    }
    if (!x->quoted && !x->comment && v->value[strspn(v->value, PLAIN_BYTES)])
        return err_set(x->e, EXIT_USAGE,
                       "%s:%u: put double quotes around {%s}: its value here is '%s'", x->path,
                       x->line, v->name, v->value);
    for (const char *p = v->value; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == '\x7f' || *p == '$')
            return err_set(
                x->e, EXIT_USAGE,
                "%s:%u: the value of {%s} has the byte 0x%02x (%s), which can't stand in "
                "a configuration file; use another folder",
                x->path, x->line, v->name, (unsigned char)*p,
                *p == '$' ? "$" : "a control character");
        if (*p == '"' || *p == '\\')
            fputc('\\', x->out);
        fputc(*p, x->out);
    }
    return 0;
}

/* Length of the name when text is {name}, else 0. */
static size_t placeholder_len(const char *text)
{
    if (text[1] < 'a' || text[1] > 'z')
        return 0;
    size_t len = strspn(text + 1, NAME_BYTES);
    return text[1 + len] == '}' ? len : 0;
}

static int expand(struct expansion *x, const char *text)
{
    for (const char *p = text; *p; p++) {
        size_t len = *p == '{' ? placeholder_len(p) : 0;
        if (len) {
            const struct template_value *v = find(x->values, p + 1, len);
            if (!v)
                return refuse_unknown(x, p + 1, len);
            if (put_value(x, v) < 0)
                return -1;
            p += len + 1;
            continue;
        }
        if (*p == '\n') {
            x->line++;
            x->quoted = x->comment = false;
        } else if (*p == '#' && !x->quoted && (p == text || strchr(" \t\n;{}", p[-1]))) {
            x->comment = true;
        } else if (*p == '"' && (p == text || p[-1] != '\\')) {
            x->quoted = !x->quoted;
        } else if (*p == '{' && p[1] == '{') {
            p++;
        }
        fputc(*p, x->out);
    }
    return 0;
}

char *template_expand(const char *text, const char *path, enum template_target target,
                      const struct template_value *values, struct err *e)
{
    char *result = NULL;
    size_t size;
    struct expansion x = {.path = path, .target = target, .values = values, .line = 1, .e = e};
    x.out = open_memstream(&result, &size);
    if (!x.out) {
        err_set(e, EXIT_MACHINE, "cannot make a memory stream");
        return NULL;
    }
    int rc = expand(&x, text);
    if (fclose(x.out) != 0)
        rc = err_set(e, EXIT_MACHINE, "out of memory while expanding %s", path);
    if (rc == 0)
        return result;
    free(result);
    return NULL;
}
