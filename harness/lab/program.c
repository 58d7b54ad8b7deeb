/* program: PATH lookup as execvp(3) does it, without its habit of handing a file that is no program
   to /bin/sh. */
#include "lab/program.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *absolute(char *path)
{
    char cwd[PATH_MAX];
    if (path[0] == '/' || !getcwd(cwd, sizeof cwd))
        return path;
    char *full = xasprintf("%s/%s", cwd, path);
    free(path);
    return full;
}

static char *find_in(const char *folders, const char *name)
{
    for (const char *p = folders; *p; p += *p == ':') {
        size_t len = strcspn(p, ":");
        char *path = xasprintf("%.*s/%s", len ? (int)len : 1, len ? p : ".", name);
        p += len;
        if (is_program(path))
            return absolute(path);
        free(path);
    }
    return NULL;
}

char *program_find(const char *name)
{
    if (!*name)
        return NULL;
    if (strchr(name, '/'))
        return is_program(name) ? absolute(xstrdup(name)) : NULL;
    const char *path = getenv("PATH");
    char *found = path ? find_in(path, name) : NULL;
    return found ? found : find_in("/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin", name);
}

/* Path of something beside the running program (caller frees). */
static char *beside(const char *name)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    return slash ? xasprintf("%.*s/%s", (int)(slash - exe), exe, name) : xasprintf("./%s", name);
}

char *program_find_own(const char *name)
{
    char *path = beside(name), *found = program_find(path);
    free(path);
    return found ? found : program_find(name);
}

/* Beside bin/parity; PREFIX/libexec once installed; where a checkout will have them once built. */
static char *find_servers(void)
{
    static const char *const places[] = {"servers", "../libexec/parity/servers", "../bin/servers"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *dir = beside(places[i]), *real = realpath(dir, NULL);
        free(dir);
        if (real)
            return real;
    }
    return beside("servers");
}

const char *program_servers_dir(void)
{
    static char *dir;
    if (!dir)
        dir = find_servers();
    return dir;
}
