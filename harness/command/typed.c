/* typed: see typed.h. Quoted where a shell would ask for it. */
#include "command/typed.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *typed_command(char **argv)
{
    char *text = xstrdup("parity");
    for (; *argv; argv++) {
        bool plain = **argv && strspn(*argv, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789-_./:=,@%+") == strlen(*argv);
        char *next = xasprintf(plain ? "%s %s" : "%s '%s'", text, *argv);
        free(text);
        text = next;
    }
    return text;
}
