/* flags: reads the command line by the table in flags_table.c. Checks each value by itself and
   against the others; touches no file and no socket. */
#include "volley/flags.h"

#include "base/err.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

/* A plain decimal number, then a unit of the list. By hand: strtod follows the locale's comma, and
   takes "nan", "0x10" and "1e5" too. */
static int read_number(const char *text, const struct unit *units, double *value)
{
    double whole = 0, scale = 1;
    const char *p = text;
    if (!isdigit((unsigned char)*p))
        return -1;
    for (; isdigit((unsigned char)*p); p++)
        whole = whole * 10 + (*p - '0');
    if (*p == '.') {
        for (p++; isdigit((unsigned char)*p); p++)
            whole += (*p - '0') * (scale /= 10);
    }
    for (; units->name; units++) {
        if (strcmp(p, units->name) == 0) {
            *value = whole * units->factor;
            return 0;
        }
    }
    return -1;
}

int flags_read_count(const char *text, uint64_t *count)
{
    static const struct unit units[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};
    double v;
    if (read_number(text, units, &v) < 0 || v > 9e15 || fabs(v - nearbyint(v)) > 1e-6)
        return -1;
    *count = (uint64_t)nearbyint(v);
    return 0;
}

/* A time; bare: ns in a unit that isn't named. */
static int read_time(const char *text, double bare, uint64_t *ns)
{
    const struct unit units[] = {{"", bare},  {"s", 1e9},    {"ms", 1e6}, {"us", 1e3},
                                 {"m", 60e9}, {"h", 3600e9}, {NULL, 0}};
    double v;
    if (read_number(text, units, &v) < 0 || v > 9e15)
        return -1;
    *ns = (uint64_t)nearbyint(v);
    return 0;
}

int flags_read_time(const char *text, uint64_t *ns)
{
    return read_time(text, 1e9, ns);
}

int flags_read_ms(const char *text, uint64_t *ns)
{
    return read_time(text, 1e6, ns);
}

int flags_read_rate(const char *text, double *per_s)
{
    static const struct unit units[] = {{"", 1},    {"/s", 1},    {"k", 1e3}, {"k/s", 1e3},
                                        {"M", 1e6}, {"M/s", 1e6}, {NULL, 0}};
    return read_number(text, units, per_s);
}

/* What the user wrote for it: -c or --slice. */
static const char *spelled(const struct flag_row *row, char text[40])
{
    if (row->letter)
        snprintf(text, 40, "-%c/--%s", row->letter, row->name);
    else
        snprintf(text, 40, "--%s", row->name);
    return text;
}

static int out_of_range(const struct flag_row *row, const char *value, struct err *e)
{
    char name[40];
    bool is_time = row->type == FLAG_TIME || row->type == FLAG_MS;
    const char *unit = is_time ? " s" : "";
    double scale = is_time ? 1e9 : 1;
    return err_set(e, EXIT_USAGE, "%s: %s is out of range; give %g%s to %g%s", spelled(row, name),
                   value, row->min / scale, unit, row->max / scale, unit);
}

static int store_number(struct flags *o, const struct flag_row *row, const char *value,
                        struct err *e)
{
    static const char *const wanted[] = {[FLAG_COUNT] = "a count as 64, 2k or 1M",
                                         [FLAG_TIME] = "a time as 10s, 500ms or 2m",
                                         [FLAG_MS] = "a time as 10 (milliseconds), 10ms or 1s",
                                         [FLAG_RATE] = "a rate as 500, 2k or 2k/s"};
    void *at = (char *)o + row->offset;
    double number = 0;
    int rc = row->type == FLAG_COUNT  ? flags_read_count(value, at)
             : row->type == FLAG_TIME ? flags_read_time(value, at)
             : row->type == FLAG_MS   ? flags_read_ms(value, at)
                                      : flags_read_rate(value, at);
    if (rc < 0) {
        char name[40];
        return err_set(e, EXIT_USAGE, "%s: '%s' is not %s", spelled(row, name), value,
                       wanted[row->type]);
    }
    number = row->type == FLAG_RATE ? *(double *)at : (double)*(uint64_t *)at;
    return number < row->min || number > row->max ? out_of_range(row, value, e) : 0;
}

static int store(struct flags *o, const struct flag_row *row, const char *value, struct err *e)
{
    void *at = (char *)o + row->offset;
    struct flags_list *list = at;
    switch (row->type) {
    case FLAG_SWITCH: *(bool *)at = true; return 0;
    case FLAG_TEXT: *(const char **)at = value; return 0;
    case FLAG_LIST:
        if (list->n == FLAGS_LIST_MAX)
            return err_set(e, EXIT_USAGE, "--%s was given more than %d times", row->name,
                           FLAGS_LIST_MAX);
        list->item[list->n++] = value;
        return 0;
    case FLAG_COUNT:
    case FLAG_TIME:
    case FLAG_MS:
    case FLAG_RATE: return store_number(o, row, value, e);
    }
    return -1;
}

/* What only shows when options are seen together. */
static int check_together(const struct flags *o, struct err *e)
{
    if (!o->urls.n)
        return err_set(e, EXIT_USAGE, "no URL; give one or more, as http://127.0.0.1:8080/");
    if (o->threads > o->connections)
        return err_set(e, EXIT_USAGE,
                       "-t %llu threads need at least as many connections, not -c %llu",
                       (unsigned long long)o->threads, (unsigned long long)o->connections);
    if (o->close && o->pipeline > 1)
        return err_set(e, EXIT_USAGE, "--close and --pipeline exclude each other");
    if (o->poisson && o->rate <= 0)
        return err_set(e, EXIT_USAGE, "--poisson needs --rate");
    if (strcmp(o->engine, "auto") != 0 && strcmp(o->engine, "epoll") != 0 &&
        strcmp(o->engine, "uring") != 0)
        return err_set(e, EXIT_USAGE, "--engine: '%s' is not auto, epoll or uring", o->engine);
    if (o->verify && o->any_length)
        return err_set(e, EXIT_USAGE, "--verify and --any-length exclude each other");
    return 0;
}

static void make_getopt(struct option *longs, char *shorts)
{
    assert(flag_row_count <= FLAGS_ROWS_MAX);
    for (size_t i = 0; i < flag_row_count; i++) {
        const struct flag_row *row = &flag_rows[i];
        int has = row->type == FLAG_SWITCH ? no_argument : required_argument;
        longs[i] = (struct option){row->name, has, NULL, 256 + (int)i};
        if (row->letter) {
            *shorts++ = row->letter;
            if (has == required_argument)
                *shorts++ = ':';
        }
    }
    *shorts = '\0';
}

static const struct flag_row *row_of(int c)
{
    for (size_t i = 0; i < flag_row_count; i++)
        if (c == 256 + (int)i || (c < 256 && c == flag_rows[i].letter))
            return &flag_rows[i];
    return NULL;
}

/* getopt said '?' or ':': name what it stumbled over. */
static int refuse(int c, char **argv, struct err *e)
{
    const char *word = argv[optind - 1];
    char letter[3] = {'-', (char)optopt, '\0'};
    if (optopt && optopt < 256 && strncmp(word, "--", 2) != 0)
        word = letter;
    if (c == ':')
        return err_set(e, EXIT_USAGE, "%s needs a value; see --help", word);
    return err_set(e, EXIT_USAGE, "unknown option %s; see --help", word);
}

int flags_parse(struct flags *o, int argc, char **argv, struct err *e)
{
    struct option longs[FLAGS_ROWS_MAX + 1] = {{0}};
    char shorts[2 * FLAGS_ROWS_MAX + 2] = ":"; /* a missing value is ':', not '?' */
    int c;
    *o = (struct flags){.connections = 10,
                        .threads = 1,
                        .pipeline = 1,
                        .duration_ns = UINT64_C(10000000000),
                        .timeout_ns = 2000000000,
                        .order = "palindrome",
                        .engine = "auto"};
    uint64_t no_duration = o->duration_ns;
    make_getopt(longs, shorts + 1);
    optind = 0; /* glibc: start anew, so that tests can parse twice */
    opterr = 0;
    while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct flag_row *row = row_of(c);
        if (!row)
            return refuse(c, argv, e);
        if (store(o, row, optarg, e) < 0)
            return -1;
        o->seed_given |= row->offset == offsetof(struct flags, seed);
        no_duration = row->offset == offsetof(struct flags, duration_ns) ? 0 : no_duration;
    }
    for (; optind < argc; optind++) {
        if (o->urls.n == FLAGS_LIST_MAX)
            return err_set(e, EXIT_USAGE, "more than %d URLs", FLAGS_LIST_MAX);
        o->urls.item[o->urls.n++] = argv[optind];
    }
    if (o->requests && no_duration)
        o->duration_ns = UINT64_C(1) << 60; /* --requests alone: as long as it takes */
    if (!o->drain_ns)
        o->drain_ns = o->timeout_ns;
    return o->help || o->version ? 0 : check_together(o, e);
}
