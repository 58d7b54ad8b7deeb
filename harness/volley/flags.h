/* flags: what the command line asks for. One table (flags_table.c) feeds the parser, --help and
   the echo in the JSON summary. */
#ifndef VOLLEY_FLAGS_H
#define VOLLEY_FLAGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct err;

enum {
    FLAGS_LIST_MAX = 64,
    FLAGS_ROWS_MAX = 64
};

struct flags_list {
    const char *item[FLAGS_LIST_MAX];
    unsigned n;
};

struct flags {
    uint64_t connections, threads, pipeline, requests, seed, expect_status;
    uint64_t duration_ns, timeout_ns, slice_ns, warmup_ns, drain_ns;
    double rate;
    const char *method, *body, *expect_body, *order, *engine, *slices, *source, *cpu;
    struct flags_list headers, pids, urls;
    bool latency, close, poisson, busy_poll, verify, any_length, json, help, version, seed_given;
};

enum flag_type {
    FLAG_SWITCH,
    FLAG_COUNT,
    FLAG_TIME,
    FLAG_MS, /* a time whose bare number is milliseconds, not seconds */
    FLAG_RATE,
    FLAG_TEXT,
    FLAG_LIST
};

struct flag_row {
    char letter; /* 0: none */
    enum flag_type type;
    const char *name;
    size_t offset;
    double min, max; /* of a count, a time (ns) or a rate */
    const char *value, *help;
};

extern const struct flag_row flag_rows[];
extern const size_t flag_row_count;

/* Fills o from the command line. Its strings point into argv. Returns 0, or -1 with err set
   (EXIT_USAGE). With --help or --version nothing else is checked. */
int flags_parse(struct flags *o, int argc, char **argv, struct err *e);

void flags_print_help(FILE *to);

/* Every option with its value, as a new JSON object. */
json_t *flags_echo(const struct flags *o);

/* "2k", "1M" -> 2000, 1000000; "500ms", "2m", "10" (seconds) -> ns; "200", "2k/s" -> per second.
   Each returns 0, or -1 when the text is no such number. */
int flags_read_count(const char *text, uint64_t *count);
int flags_read_time(const char *text, uint64_t *ns);
int flags_read_ms(const char *text, uint64_t *ns); /* as flags_read_time, but "10" is 10 ms */
int flags_read_rate(const char *text, double *per_s);

#endif
