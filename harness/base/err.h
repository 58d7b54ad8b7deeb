/* err: what went wrong, in words for the user. Filled by the function that noticed, printed by
 * main. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* Exit codes that scripts rely on; 128+n on signal n. */
enum exit_code {
    EXIT_DONE = 0,         /* done, or PASS */
    EXIT_FAIL = 1,         /* a regression, a broken contract */
    EXIT_USAGE = 2,        /* usage or configuration */
    EXIT_INCONCLUSIVE = 3, /* INCONCLUSIVE, or nothing valid measured */
    EXIT_MACHINE = 4       /* a tool or the machine failed */
};

struct err {
    int code;       /* enum exit_code that the program should end with; 0 = no error */
    char text[600]; /* what failed, which value, what to do next */
};

/* Records an error unless one is recorded already (the first error wins). e may be NULL.
   Returns -1, so that a caller can write: return err_set(e, EXIT_USAGE, "..."). */
int err_set(struct err *e, enum exit_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before a recorded error's text. Returns -1. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
