/* cpus_quota: the CPU bandwidth limit of the control group that this process is in (Linux,
   Documentation/admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst). A container's limit may be
   at any level, and its own view of the tree may begin below the path that /proc/self/cgroup
   names: so every level is looked at, those that aren't there are skipped, and the tightest counts.
 */
#include "lab/cpus.h"

#include "base/alloc.h"
#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quota {
    double cpus, throttled_s; /* NaN = none */
};

static char *read_in(const char *dir, const char *file)
{
    char *path = xasprintf("%s/%s", dir, file), *text = file_read(path, NULL, NULL);
    free(path);
    return text;
}

/* A "name value" line of cpu.stat; NaN = not there. */
static double stat_value(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, len) == 0 && line[len] == ' ')
            return strtod(line + len, NULL);
    }
    return NAN;
}

/* v2: cpu.max is "QUOTA PERIOD" or "max PERIOD", in us. */
static double read_v2(const char *dir)
{
    char *text = read_in(dir, "cpu.max");
    double quota, period, cpus = NAN;
    if (text && sscanf(text, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0)
        cpus = quota / period;
    free(text);
    return cpus;
}

/* v1: two files, in us; a quota of -1 is none. */
static double read_v1(const char *dir)
{
    char *quota = read_in(dir, "cpu.cfs_quota_us"), *period = read_in(dir, "cpu.cfs_period_us");
    double cpus = NAN;
    if (quota && period && strtod(quota, NULL) > 0 && strtod(period, NULL) > 0)
        cpus = strtod(quota, NULL) / strtod(period, NULL);
    free(quota);
    free(period);
    return cpus;
}

static double read_throttled(const char *dir)
{
    char *text = read_in(dir, "cpu.stat");
    double us = text ? stat_value(text, "throttled_usec") : NAN; /* v2 */
    double ns = text ? stat_value(text, "throttled_time") : NAN; /* v1 */
    free(text);
    return isnan(us) ? ns / 1e9 : us / 1e6;
}

/* Looks at base/path and every folder above it down to base. */
static void look_upwards(struct quota *q, const char *base, const char *path, bool v2)
{
    char *dir = xasprintf("%s%s", base, strcmp(path, "/") == 0 ? "" : path);
    for (size_t least = strlen(base);;) {
        double cpus = v2 ? read_v2(dir) : read_v1(dir);
        if (!isnan(cpus) && !(q->cpus <= cpus)) {
            q->cpus = cpus;
            q->throttled_s = read_throttled(dir);
        }
        char *slash = strrchr(dir, '/');
        if (strlen(dir) <= least || !slash)
            break;
        *slash = '\0';
    }
    free(dir);
}

static bool has_cpu_controller(const char *list)
{
    for (const char *p = list; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','))
        if (strncmp(p, "cpu", 3) == 0 && (p[3] == ',' || !p[3]))
            return true;
    return false;
}

/* One line of /proc/self/cgroup: "HIERARCHY:CONTROLLERS:PATH" (cgroups(7)). */
static void look_at_line(struct quota *q, const char *sys_root, char *line)
{
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return;
    *path++ = '\0';
    controllers++;
    bool v2 = !*controllers;
    if (!v2 && !has_cpu_controller(controllers))
        return;
    /* v2 alone is mounted at the top; beside v1 at unified; v1 by its controllers, or by one. */
    const char *const mounts[] = {v2 ? "" : "/cpu", v2 ? "/unified" : "/cpu,cpuacct"};
    for (int i = 0; i < 2; i++) {
        char *base = xasprintf("%s/fs/cgroup%s", sys_root, mounts[i]);
        look_upwards(q, base, path, v2);
        free(base);
    }
}

static struct quota read_quota(const char *proc_root, const char *sys_root)
{
    struct quota q = {NAN, NAN};
    char *rest = NULL, *text = read_in(proc_root, "self/cgroup");
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        look_at_line(&q, sys_root, line);
    free(text);
    return q;
}

double cpus_quota(const char *proc_root, const char *sys_root)
{
    return read_quota(proc_root, sys_root).cpus;
}

double cpus_throttled_s(const char *proc_root, const char *sys_root)
{
    return read_quota(proc_root, sys_root).throttled_s;
}
