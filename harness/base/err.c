/* err: the error value that travels up to main. See err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum exit_code code, const char *fmt, ...)
{
    va_list ap;
    if (!e || e->code)
        return -1;
    e->code = code;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return -1;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
    va_list ap;
    if (!e || !e->code)
        return -1;
    char old[sizeof e->text];
    memcpy(old, e->text, sizeof old);
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    strncat(e->text, ": ", sizeof e->text - strlen(e->text) - 1);
    strncat(e->text, old, sizeof e->text - strlen(e->text) - 1);
    return -1;
}
