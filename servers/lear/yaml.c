/* yaml: libyaml's events, with whatever settings don't need refused: lists, aliases, deeper levels,
   more documents. A key that is there twice is the taker's to refuse: it knows keys. */
#include "lear/yaml.h"

#include "http/err.h"

#include <errno.h>
#include <stdio.h>
#include <yaml.h>

#define KEY_MAX 80

struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the present one */
    const char *file;
    yaml_take *take;
    void *context;
    struct err *err;
};

static int line_of(const struct reader *r)
{
    return (int)r->event.start_mark.line + 1;
}

static int bad_syntax(const struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *what = p->problem ? p->problem : "unreadable";
    if (p->error == YAML_READER_ERROR)
        return err_set(r->err, "%s: not a text in UTF-8: %s at byte %zu", r->file, what,
                       p->problem_offset);
    return err_set(r->err, "%s:%zu: not valid YAML: %s%s%s (column %zu)", r->file,
                   p->problem_mark.line + 1, what, p->context ? ", " : "",
                   p->context ? p->context : "", p->problem_mark.column + 1);
}

/* The next event; the one before is gone. */
static int next(struct reader *r)
{
    yaml_event_delete(&r->event);
    return yaml_parser_parse(&r->parser, &r->event) ? 0 : bad_syntax(r);
}

static struct str text_of(const struct reader *r)
{
    return (struct str){(const char *)r->event.data.scalar.value, r->event.data.scalar.length};
}

static int bad_value(const struct reader *r, struct str key)
{
    const char *what = "nested too deeply";
    if (r->event.type == YAML_SEQUENCE_START_EVENT)
        what = "a list, where one value belongs";
    else if (r->event.type == YAML_ALIAS_EVENT)
        what = "an alias; aliases aren't understood here";
    return err_set(r->err, "%s:%d: '%.*s' is %s", r->file, line_of(r), (int)key.n, key.p, what);
}

static int take_value(struct reader *r, struct str key)
{
    struct yaml_setting setting = {r->file, line_of(r), key, text_of(r)};
    if (memchr(setting.value.p, '\0', setting.value.n))
        return err_set(r->err, "%s:%d: '%.*s' has a NUL in it", r->file, setting.line, (int)key.n,
                       key.p);
    return r->take(r->context, &setting, r->err);
}

/* The present event is a key: puts it behind the group's name. */
static int join_key(const struct reader *r, struct str group, char to[KEY_MAX], struct str *key)
{
    if (r->event.type != YAML_SCALAR_EVENT)
        return err_set(r->err, "%s:%d: a key must be one word", r->file, line_of(r));
    struct str name = text_of(r);
    if (name.n == 0 || name.n + group.n + 2 > KEY_MAX || memchr(name.p, '\0', name.n))
        return err_set(r->err, "%s:%d: unknown key '%.*s%s%.*s'", r->file, line_of(r), (int)group.n,
                       group.p, group.n ? "." : "", (int)(name.n < 40 ? name.n : 40), name.p);
    int n = snprintf(to, KEY_MAX, "%.*s%s%.*s", (int)group.n, group.p, group.n ? "." : "",
                     (int)name.n, name.p);
    *key = (struct str){to, (size_t)n};
    return 0;
}

/* From behind the start of a mapping to its end. A group's mappings have no mappings in them. */
static int read_mapping(struct reader *r, struct str group) /* NOLINT(misc-no-recursion) */
{
    char text[KEY_MAX];
    struct str key = {"", 0};
    int failed = next(r);
    for (; !failed && r->event.type != YAML_MAPPING_END_EVENT; failed = failed || next(r)) {
        if (join_key(r, group, text, &key) != 0 || next(r) != 0)
            return -1;
        if (r->event.type == YAML_SCALAR_EVENT)
            failed = take_value(r, key);
        else if (r->event.type == YAML_MAPPING_START_EVENT && group.n == 0)
            failed = read_mapping(r, key);
        else
            return bad_value(r, key);
    }
    return failed;
}

/* Goes on by two events: from one level into, or out of, a document. */
static int skip(struct reader *r)
{
    int failed = next(r);
    return failed ? failed : next(r);
}

/* Streams and documents around the one mapping. An empty file has no settings. */
static int read_document(struct reader *r)
{
    if (skip(r) != 0) /* the stream's start, the document's */
        return -1;
    if (r->event.type == YAML_STREAM_END_EVENT)
        return 0;
    if (next(r) != 0)
        return -1;
    bool empty = r->event.type == YAML_SCALAR_EVENT && r->event.data.scalar.length == 0;
    if (r->event.type != YAML_MAPPING_START_EVENT && !empty)
        return err_set(r->err, "%s:%d: not a mapping; write 'key: value' lines", r->file,
                       line_of(r));
    if ((!empty && read_mapping(r, STR("")) != 0) || skip(r) != 0)
        return -1;
    if (r->event.type != YAML_STREAM_END_EVENT)
        return err_set(r->err, "%s:%d: a second document; there must be one", r->file, line_of(r));
    return 0;
}

int yaml_read(const char *file, yaml_take *take, void *context, struct err *err)
{
    FILE *f = fopen(file, "re");
    if (!f)
        return err_set(err, "can't open the settings %s: %s (see --config and --example)", file,
                       strerror(errno));
    struct reader r = {.file = file, .take = take, .context = context, .err = err};
    int failed = -1;
    if (yaml_parser_initialize(&r.parser)) {
        yaml_parser_set_input_file(&r.parser, f);
        failed = read_document(&r);
        yaml_event_delete(&r.event);
        yaml_parser_delete(&r.parser);
    } else {
        err_set(err, "out of memory for the settings %s", file);
    }
    fclose(f);
    return failed;
}
