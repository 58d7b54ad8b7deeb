/* options: one table from which parsing, defaults and --help come. Both "--flag VALUE" and
   "--flag=VALUE" are understood. */
#include "http/options.h"

#include "http/err.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    FLAG,
    NUMBER,
    REAL,
    TEXT
};

struct option {
    const char *flag;
    const char *value; /* its name in --help */
    enum kind kind;
    size_t at;
    uint64_t least, most;
    const char *start; /* the default, as it would be written */
    const char *help;
};

#define AT(member) offsetof(struct options, member)
#define MS_MAX     86400000 /* a day */

static const struct option table[] = {
    {"--port", "N", NUMBER, AT(port), 0, 65535, NULL,
     "port to listen on (required); 0: any free one"},
    {"--host", "ADDR", TEXT, AT(host), 0, 0, "127.0.0.1", "address to listen on"},
    {"--workers", "N", NUMBER, AT(workers), 1, 1024, "1", "each with its own listener"},
    {"--engine", "NAME", TEXT, AT(engine), 0, 0, "auto",
     "auto, epoll, uring (io_uring) or kqueue (BSD)"},
    {"--backlog", "N", NUMBER, AT(backlog), 1, 1 << 20, "4096", "clients the listen queue holds"},
    {"--max-connections", "N", NUMBER, AT(max_connections), 0, 1 << 24, "0",
     "of each worker; more wait in the listen queue; 0: what ulimit -n allows"},
    {"--user", "NAME", TEXT, AT(user), 0, 0, "nobody", "whom to become when started as root"},
    {"--seccomp", NULL, FLAG, AT(seccomp), 0, 0, NULL,
     "allow only the system calls that serving needs"},
    {"--docroot", "DIR", TEXT, AT(docroot), 0, 0, NULL, "serve the files below DIR"},
    {"--file-check-ms", "N", NUMBER, AT(file_check_ms), 0, MS_MAX, "1000",
     "how long an open file is served without looking at the disk again"},
    {"--zerocopy", "BYTES", NUMBER, AT(zerocopy), 0, 1ULL << 40, "0",
     "uring: bodies in memory of so many bytes leave uncopied; 0: none"},
    {"--stats", "PATH", TEXT, AT(stats), 0, 0, NULL, "answer PATH with counters as JSON"},
    {"--no-keepalive", NULL, FLAG, AT(no_keepalive), 0, 0, NULL, "close after each answer"},
    {"--no-server-header", NULL, FLAG, AT(no_server_header), 0, 0, NULL, "send no Server field"},
    {"--no-date", NULL, FLAG, AT(no_date), 0, 0, NULL, "send no Date field"},
    {"--max-line", "BYTES", NUMBER, AT(max_line), 64, 1 << 20, "8192", "request line; beyond: 414"},
    {"--max-head", "BYTES", NUMBER, AT(max_head), 64, 1 << 24, "32768",
     "request head; beyond: 431"},
    {"--max-fields", "N", NUMBER, AT(max_fields), 1, 1 << 16, "100", "header fields; beyond: 431"},
    {"--max-body", "BYTES", NUMBER, AT(max_body), 0, 1ULL << 40, "1048576",
     "request body; beyond: 413"},
    {"--header-timeout-ms", "N", NUMBER, AT(header_timeout_ms), 1, MS_MAX, "10000",
     "from a request's first byte to the end of its head"},
    {"--body-timeout-ms", "N", NUMBER, AT(body_timeout_ms), 1, MS_MAX, "30000",
     "from there to the end of its body"},
    {"--idle-timeout-ms", "N", NUMBER, AT(idle_timeout_ms), 1, MS_MAX, "75000",
     "before the first request and between two"},
    {"--write-timeout-ms", "N", NUMBER, AT(write_timeout_ms), 1, MS_MAX, "30000",
     "while the client takes nothing of an answer"},
    {"--linger-timeout-ms", "N", NUMBER, AT(linger_timeout_ms), 1, MS_MAX, "2000",
     "reading on after a refusal, so that the client sees it"},
    {"--grace-ms", "N", NUMBER, AT(grace_ms), 0, MS_MAX, "10000",
     "on SIGTERM or SIGINT: for requests under way"},
    {"--handicap", "PCT", REAL, AT(handicap_pct), 0, 10000, "0",
     "burn PCT percent of the base for each request (to plant a slowdown)"},
    {"--handicap-base-ns", "N", NUMBER, AT(handicap_base_ns), 1, 1000000000, "6000",
     "what a request is taken to cost, for --handicap"},
    {"--version", NULL, FLAG, AT(version), 0, 0, NULL, "print version and engine"},
    {"--help", NULL, FLAG, AT(help), 0, 0, NULL, "print this"},
};

#define COUNT (sizeof table / sizeof *table)

static int bad_number(const struct option *opt, const char *text, struct err *err)
{
    return err_set(err, "%s: '%s' is not a number from %llu to %llu", opt->flag, text,
                   (unsigned long long)opt->least, (unsigned long long)opt->most);
}

static int set_number(const struct option *opt, const char *text, uint64_t *to, struct err *err)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || n < opt->least || n > opt->most)
        return bad_number(opt, text, err);
    *to = n;
    return 0;
}

static int set_real(const struct option *opt, const char *text, double *to, struct err *err)
{
    char *end;
    double n = strtod(text, &end);
    if (end == text || *end || !isfinite(n) || n < (double)opt->least || n > (double)opt->most)
        return bad_number(opt, text, err);
    *to = n;
    return 0;
}

static int set(struct options *o, const struct option *opt, const char *text, struct err *err)
{
    void *to = (char *)o + opt->at;
    switch (opt->kind) {
    case FLAG: *(bool *)to = true; return 0;
    case NUMBER: return set_number(opt, text, to, err);
    case REAL: return set_real(opt, text, to, err);
    case TEXT: *(const char **)to = text; return 0;
    }
    return -1;
}

static bool is_without(const char *flag, const char *const *without)
{
    while (without && *without)
        if (strcmp(*without++, flag) == 0)
            return true;
    return false;
}

/* The option that arg names; *value becomes what follows "=" or NULL. */
static const struct option *find(const char *arg, const char *const *without, const char **value)
{
    size_t n = strcspn(arg, "=");
    *value = arg[n] ? arg + n + 1 : NULL;
    for (size_t i = 0; i < COUNT; i++)
        if (strlen(table[i].flag) == n && memcmp(table[i].flag, arg, n) == 0 &&
            !is_without(table[i].flag, without))
            return &table[i];
    return NULL;
}

static int check(const struct options *o, bool has_port, struct err *err)
{
    if (o->help)
        return 0;
    if (strcmp(o->engine, "auto") != 0 && strcmp(o->engine, "epoll") != 0 &&
        strcmp(o->engine, "uring") != 0 && strcmp(o->engine, "io_uring") != 0 &&
        strcmp(o->engine, "kqueue") != 0)
        return err_set(err, "--engine: '%s' is not auto, epoll, uring or kqueue", o->engine);
    if (o->stats && o->stats[0] != '/')
        return err_set(err, "--stats: '%s' must begin with /", o->stats);
    if (!has_port && !o->version)
        return err_set(err, "--port is required; see --help");
    return 0;
}

int options_parse(struct options *o, int argc, char **argv, const char *const *without,
                  struct err *err)
{
    bool has_port = false;
    *o = (struct options){0};
    for (size_t i = 0; i < COUNT; i++)
        if (table[i].start && set(o, &table[i], table[i].start, err) != 0)
            return -1;
    for (int i = 1; i < argc; i++) {
        const char *value;
        const struct option *opt = find(argv[i], without, &value);
        if (!opt)
            return err_set(err, "unknown option '%s'; see --help", argv[i]);
        if (opt->kind == FLAG && value)
            return err_set(err, "%s takes no value", opt->flag);
        if (opt->kind != FLAG && !value && !(value = argv[++i]))
            return err_set(err, "%s needs a value (%s)", opt->flag, opt->value);
        if (set(o, opt, value, err) != 0)
            return -1;
        has_port |= opt->at == AT(port);
    }
    return check(o, has_port, err);
}

void options_help(FILE *to, const char *program, const char *const *without)
{
    fprintf(to, "usage: %s --port N [options]\n\n", program);
    for (size_t i = 0; i < COUNT; i++) {
        char left[40];
        if (is_without(table[i].flag, without))
            continue;
        snprintf(left, sizeof left, "%s%s%s", table[i].flag, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        fprintf(to, "  %-26s %s", left, table[i].help);
        if (table[i].start)
            fprintf(to, " (%s)", table[i].start);
        fputc('\n', to);
    }
}
