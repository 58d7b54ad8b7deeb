/* options: one table a command; parser, --help and error messages come from it. */
#ifndef COMMAND_OPTIONS_H
#define COMMAND_OPTIONS_H

#include <stddef.h>

struct err;

enum option_type {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char *, of argv */
    OPTION_LIST,    /* struct strings; repeated or comma-separated */
    OPTION_WHOLE,   /* uint64_t within min..max */
    OPTION_SECONDS, /* double: 2, 1.5s, 500ms, 2m; within min..max seconds */
    OPTION_PERCENT, /* double: 1% or 1 */
};

struct option {
    const char *name; /* without the dashes */
    enum option_type type;
    size_t offset; /* into the command's struct */
    double min, max;
    const char *arg; /* as help shows it, NULL for a flag */
    const char *help;
};

struct option_set {
    const char *usage; /* "parity run [SUITE] [options]" */
    const char *about; /* a paragraph */
    const struct option *option;
    size_t n;
    size_t positional_max;
    const char *more; /* printed below the options, or NULL */
};

struct strings;

/* Parses argv (argv[0] is the command's name) into values and positional. --help prints the help to
   stdout and sets *helped. Returns 0, or -1 with err set (EXIT_USAGE: option, value, what is
   allowed). */
int options_parse(const struct option_set *set, char **argv, void *values,
                  struct strings *positional, int *helped, struct err *e);

/* "2", "1.5s", "500ms", "2m", "1h" -> seconds; the whole text must be used. Returns 0 or -1. */
int options_seconds(const char *text, double *seconds);

#endif
