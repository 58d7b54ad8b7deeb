/* home: finds the data that belongs to this program from the program's own place. See home.h. */
#include "base/home.h"

#include "base/alloc.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* PREFIX/bin/parity keeps its data in PREFIX/share/parity; a checkout's bin/parity, and its
   build/asan/bin/parity, in the checkout. */
static char *find(void)
{
    const char *set = getenv("PARITY_HOME");
    if (set && *set) {
        char *full = realpath(set, NULL); /* servers are started in folders of their own */
        return full ? full : xstrdup(set);
    }
    char exe[PATH_MAX], program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    snprintf(program, sizeof program, "%s", exe);
    for (;;) {
        char *slash = strrchr(exe, '/');
        if (!slash) /* nothing is there; messages then name what is missing beside the program */
            return xstrdup(dirname(program));
        *slash = '\0';
        char *beside = xasprintf("%s/configs/suites", exe);
        char *shared = xasprintf("%s/share/parity", exe);
        int in_checkout = access(beside, F_OK) == 0, installed = access(shared, F_OK) == 0;
        free(beside);
        if (installed)
            return shared;
        free(shared);
        if (in_checkout)
            return xstrdup(exe);
    }
}

const char *home_dir(void)
{
    static char *dir;
    if (!dir)
        dir = find();
    return dir;
}

char *home_path(const char *below)
{
    return xasprintf("%s/%s", home_dir(), below);
}
