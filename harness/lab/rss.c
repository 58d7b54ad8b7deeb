/* rss: see rss.h. */
#include "lab/rss.h"

#include "base/alloc.h"
#include "base/file.h"
#include "lab/procfs.h"
#include "lab/server.h"

#include <math.h>
#include <stdlib.h>

enum {
    PIDS_MAX = 1024
};

static double own_kib(pid_t pid)
{
    char *path = xasprintf("/proc/%ld/status", (long)pid), *text = file_read(path, NULL, NULL);
    double kib = text ? procfs_field(text, "RssAnon") + procfs_field(text, "RssShmem") : NAN;
    free(text);
    free(path);
    return kib;
}

double rss_own_bytes(const struct server *s, size_t *processes)
{
    pid_t pids[PIDS_MAX];
    size_t n = server_pids(s, pids, PIDS_MAX);
    double kib = n && n <= PIDS_MAX ? 0 : NAN;
    for (size_t i = 0; i < n && n <= PIDS_MAX; i++)
        kib += own_kib(pids[i]);
    if (processes)
        *processes = n;
    return kib * 1024;
}
