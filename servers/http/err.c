/* err: texts of errors, the log, and memory that is there or ends the program. The log is stderr,
   one write a line, so that lines of several workers don't mix. */
#include "http/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int err_set(struct err *e, const char *fmt, ...)
{
    if (!e || e->text[0])
        return -1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, args);
    va_end(args);
    return -1;
}

void log_line(const char *fmt, ...)
{
    char line[1024];
    int n = snprintf(line, sizeof line, "%s: ", program_invocation_short_name);
    va_list args;
    va_start(args, fmt);
    n += vsnprintf(line + n, sizeof line - (size_t)n, fmt, args);
    va_end(args);
    if ((size_t)n > sizeof line - 2)
        n = (int)sizeof line - 2;
    line[n++] = '\n';
    ssize_t ignored =
        write(STDERR_FILENO, line, (size_t)n); /* a log that can't be written is lost */
    (void)ignored;
}

void *mem_get(size_t size)
{
    return mem_grow(NULL, size);
}

void *mem_grow(void *p, size_t size)
{
    void *grown = realloc(p, size ? size : 1);
    if (!grown) {
        log_line("out of memory: %zu bytes", size);
        abort();
    }
    return grown;
}
