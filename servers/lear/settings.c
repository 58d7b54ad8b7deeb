/* settings: one table, from which reading, defaults, errors and the example come. */
#include "lear/settings.h"

#include "http/err.h"
#include "lear/yaml.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

enum kind {
    NUMBER,
    WORKERS, /* a number, or "cpus" */
    SWITCH,  /* true or false */
    TEXT,    /* any, not empty */
    FOLDER,  /* the same, without a default */
    PATH,    /* of a URL, begins with /; without a default */
    PEM      /* a file's name; without a default, and so is its whole group */
};

struct setting {
    const char *key;
    enum kind kind;
    size_t at;
    uint64_t least, most;
    const char *start; /* the default, as it would be written; where there is none: a sample */
    const char *help;
};

#define AT(member)     offsetof(struct settings, member)
#define MS_MAX         86400000 /* a day */
#define WORKERS_MAX    64
#define EXAMPLE_COLUMN 28
/* the default, as it would be written; where there is none: a sample */
#define BODY_MAX (1 << 20)

static const struct setting table[] = {
    {"listen.host", TEXT, AT(options.host), 0, 0, "127.0.0.1", "address to listen on"},
    {"listen.port", NUMBER, AT(options.port), 0, 65535, "9000", "0: any free one"},
    {"listen.backlog", NUMBER, AT(options.backlog), 1, 1 << 20, "4096",
     "clients that the queue of each worker holds"},
    {"listen.connections", NUMBER, AT(options.max_connections), 0, 1 << 24, "0",
     "of each worker; more wait in the queue; 0: what ulimit -n allows"},
    {"workers", WORKERS, AT(options.workers), 1, WORKERS_MAX, "cpus",
     "processes; cpus: one for each processor we may use"},
    {"user", TEXT, AT(options.user), 0, 0, "nobody", "whom to become when started as root"},
    {"site.root", FOLDER, AT(options.docroot), 0, 0, "/srv/www",
     "the folder that is served (required)"},
    {"site.not_found", PATH, AT(not_found), 0, 0, "/404.html",
     "page below it that is sent, with status 404, for what isn't there"},
    {"site.fallback", PATH, AT(fallback), 0, 0, "/index.html",
     "page that is sent, with status 200, for missing paths without a dot in their last part"},
    {"site.stats", PATH, AT(options.stats), 0, 0, "/status", "where counters are shown, as JSON"},
    {"cache.size_mib", NUMBER, AT(cache_mib), 0, 1 << 20, "64",
     "memory for all files, shared by all workers"},
    {"cache.file_max_kib", NUMBER, AT(file_max_kib), 0, 1 << 30, "8192",
     "longer files are sent from the disk"},
    {"cache.idle_ms", NUMBER, AT(cache_idle_ms), 20, MS_MAX, "300000",
     "a file unused for so long is unmapped"},
    {"cache.check_ms", NUMBER, AT(options.file_check_ms), 0, MS_MAX, "1000",
     "how long a file is served without looking at the disk again"},
    {"gzip.on", SWITCH, AT(gzip), 0, 0, "true", "offer text compressed, made once and kept"},
    {"gzip.level", NUMBER, AT(gzip_level), 1, 9, "6", "1: fastest, 9: smallest"},
    {"gzip.min_bytes", NUMBER, AT(gzip_min), 1, 1 << 30, "256",
     "shorter files are left as they are"},
    {"gzip.max_kib", NUMBER, AT(gzip_max_kib), 1, 1 << 20, "1024",
     "longer ones too: a worker serves nobody while it compresses"},
    {"timeouts.idle_ms", NUMBER, AT(options.idle_timeout_ms), 1, MS_MAX, "75000",
     "a connection without a request is dropped"},
    {"timeouts.header_ms", NUMBER, AT(options.header_timeout_ms), 1, MS_MAX, "10000",
     "from a request's first byte to the end of its head"},
    {"timeouts.body_ms", NUMBER, AT(options.body_timeout_ms), 1, MS_MAX, "30000",
     "from there to the end of a body, which nobody wants"},
    {"timeouts.write_ms", NUMBER, AT(options.write_timeout_ms), 1, MS_MAX, "30000",
     "while the client takes nothing of an answer"},
    {"timeouts.linger_ms", NUMBER, AT(options.linger_timeout_ms), 1, MS_MAX, "2000",
     "reading on after a refusal, so that the client sees it"},
    {"timeouts.grace_ms", NUMBER, AT(options.grace_ms), 0, MS_MAX, "10000",
     "on SIGTERM or SIGINT: for answers under way"},
    {"limits.line_bytes", NUMBER, AT(options.max_line), 64, 1 << 20, "8192",
     "of a request line; beyond: 414"},
    {"limits.head_bytes", NUMBER, AT(options.max_head), 64, 1 << 24, "32768",
     "of a request's head; beyond: 431"},
    {"limits.fields", NUMBER, AT(options.max_fields), 1, 1 << 16, "100", "of a head; beyond: 431"},
    {"tls.certificate", PEM, AT(tls_certificate), 0, 0, "/etc/lear/cert.pem",
     "its chain behind it; then the port speaks TLS only (a lear made with LEAR_TLS=1)"},
    {"tls.key", PEM, AT(tls_key), 0, 0, "/etc/lear/key.pem", "its key, without a passphrase"},
};

#define COUNT (sizeof table / sizeof *table)

struct reading {
    struct settings *settings;
    int lines[COUNT]; /* where each was set; 0: not */
};

static int bad(const struct yaml_setting *y, const char *allowed, struct err *err)
{
    int shown = (int)(y->value.n < 80 ? y->value.n : 80);
    return err_set(err, "%s:%d: %.*s: '%.*s' is not %s", y->file, y->line, (int)y->key.n, y->key.p,
                   shown, y->value.p, allowed);
}

static uint64_t cpus(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < WORKERS_MAX ? (uint64_t)n : WORKERS_MAX;
}

static int set_number(const struct setting *s, const struct yaml_setting *y, uint64_t *to,
                      struct err *err)
{
    char *end, allowed[80];
    errno = 0;
    unsigned long long n = strtoull(y->value.p, &end, 10);
    if (y->value.n > 0 && y->value.p[0] >= '0' && y->value.p[0] <= '9' &&
        end == y->value.p + y->value.n && !errno && n >= s->least && n <= s->most) {
        *to = n;
        return 0;
    }
    snprintf(allowed, sizeof allowed, "a number from %llu to %llu%s", (unsigned long long)s->least,
             (unsigned long long)s->most, s->kind == WORKERS ? ", or cpus" : "");
    return bad(y, allowed, err);
}

static int set_switch(const struct yaml_setting *y, bool *to, struct err *err)
{
    *to = str_is(y->value, STR("true"));
    return *to || str_is(y->value, STR("false")) ? 0 : bad(y, "true or false", err);
}

static char *keep(struct str value)
{
    char *p = mem_get(value.n + 1);
    memcpy(p, value.p, value.n + 1);
    return p;
}

static int set_text(const struct yaml_setting *y, const char **to, struct err *err)
{
    if (y->value.n == 0)
        return bad(y, "a text", err);
    free((char *)*to);
    *to = keep(y->value);
    return 0;
}

static int set_path(const struct yaml_setting *y, void *to, size_t at, struct err *err)
{
    if (y->value.n == 0 || y->value.p[0] != '/')
        return bad(y, "a path that begins with /", err);
    if (at == AT(options.stats))
        return set_text(y, to, err);
    struct str *path = to;
    free((char *)path->p);
    *path = (struct str){keep(y->value), y->value.n};
    return 0;
}

static int set(struct settings *settings, const struct setting *s, const struct yaml_setting *y,
               struct err *err)
{
    void *to = (char *)settings + s->at;
    switch (s->kind) {
    case WORKERS:
        if (str_is(y->value, STR("cpus"))) {
            *(uint64_t *)to = cpus();
            return 0;
        }
        return set_number(s, y, to, err);
    case NUMBER: return set_number(s, y, to, err);
    case SWITCH: return set_switch(y, to, err);
    case TEXT:
    case FOLDER:
    case PEM: return set_text(y, to, err);
    case PATH: return set_path(y, to, s->at, err);
    }
    return -1;
}

/* The part of a key before its dot; n == 0: it has none. */
static struct str group_of(struct str key)
{
    const char *dot = memchr(key.p, '.', key.n);
    return (struct str){key.p, dot ? (size_t)(dot - key.p) : 0};
}

static struct str key_of(const struct setting *s)
{
    return (struct str){s->key, strlen(s->key)};
}

/* The names of a group's keys, or, where no key is in it, of all groups and keys without one. */
static void list_names(struct str group, char *to, size_t room)
{
    size_t n = 0;
    struct str last = {"", 0};
    for (size_t i = 0; i < COUNT && n < room; i++) {
        struct str key = key_of(&table[i]), own = group_of(key);
        if (group.n > 0 && !str_is(own, group))
            continue;
        if (group.n > 0)
            key = str_after(key, group.n + 1);
        else if (own.n > 0)
            key = own;
        if (!str_is(key, last))
            n += (size_t)snprintf(to + n, room - n, "%s%.*s", n ? ", " : "", (int)key.n, key.p);
        last = key;
    }
}

static bool is_group(struct str name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (name.n > 0 && str_is(group_of(key_of(&table[i])), name))
            return true;
    return false;
}

static int unknown(const struct yaml_setting *y, struct err *err)
{
    char names[240] = "";
    struct str group = group_of(y->key);
    if (is_group(y->key)) {
        list_names(y->key, names, sizeof names);
        return err_set(err, "%s:%d: '%.*s' has keys of its own, indented below it: %s", y->file,
                       y->line, (int)y->key.n, y->key.p, names);
    }
    if (!is_group(group))
        group.n = 0;
    list_names(group, names, sizeof names);
    return err_set(err, "%s:%d: unknown key '%.*s'; known%s%.*s: %s", y->file, y->line,
                   (int)y->key.n, y->key.p, group.n ? " in " : "", (int)group.n, group.p, names);
}

static int take_setting(void *context, const struct yaml_setting *y, struct err *err)
{
    struct reading *r = context;
    for (size_t i = 0; i < COUNT; i++) {
        if (!str_is(y->key, key_of(&table[i])))
            continue;
        if (r->lines[i])
            return err_set(err, "%s:%d: '%s' is there a second time; the first is in line %d",
                           y->file, y->line, table[i].key, r->lines[i]);
        r->lines[i] = y->line;
        return set(r->settings, &table[i], y, err);
    }
    return unknown(y, err);
}

static int set_defaults(struct settings *s, struct err *err)
{
    *s = (struct settings){.options = {.engine = "epoll", .max_body = BODY_MAX}};
    for (size_t i = 0; i < COUNT; i++) {
        if (table[i].kind >= FOLDER)
            continue;
        const struct yaml_setting y = {
            "default", 0, key_of(&table[i]), {table[i].start, strlen(table[i].start)}};
        if (set(s, &table[i], &y, err) != 0)
            return -1;
    }
    return 0;
}

int settings_read(struct settings *s, const char *file, struct err *err)
{
    struct reading reading = {.settings = s};
    if (set_defaults(s, err) != 0 || yaml_read(file, take_setting, &reading, err) != 0)
        return -1;
    if (!s->options.docroot)
        return err_set(err, "%s: site.root is missing: the folder that is to be served", file);
    if (!s->tls_certificate != !s->tls_key)
        return err_set(err, "%s: tls.%s is missing: tls.certificate and tls.key belong together",
                       file, s->tls_key ? "certificate" : "key");
    return 0;
}

void settings_free(struct settings *s)
{
    for (size_t i = 0; i < COUNT; i++)
        if (table[i].kind >= TEXT) /* a str begins with its pointer */
            free(*(char **)(void *)((char *)s + table[i].at));
    *s = (struct settings){0};
}

void settings_example(FILE *to)
{
    struct str last = {"", 0};
    for (size_t i = 0; i < COUNT; i++) {
        struct str key = key_of(&table[i]), group = group_of(key);
        if (group.n > 0 && !str_is(group, last))
            fprintf(to, "%s%.*s:\n", table[i].kind == PEM ? "# " : "", (int)group.n, group.p);
        last = group;
        const char *name = group.n > 0 ? key.p + group.n + 1 : key.p;
        const char *before = group.n > 0 ? "  " : "";
        if (table[i].kind >= PATH)
            before = table[i].kind == PEM ? "#   " : "  # ";
        int width = fprintf(to, "%s%s: %s", before, name, table[i].start);
        fprintf(to, "%*s# %s\n", width < EXAMPLE_COLUMN ? EXAMPLE_COLUMN - width : 1, "",
                table[i].help);
    }
}
