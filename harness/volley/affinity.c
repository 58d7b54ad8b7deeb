/* affinity: see affinity.h. */
#include "volley/affinity.h"

#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* One "N" or "N-M" at *p, which is moved behind it. Returns 0 or -1. */
static int take_range(const char **p, cpu_set_t *set)
{
    char *end;
    if (!isdigit((unsigned char)**p))
        return -1;
    unsigned long low = strtoul(*p, &end, 10), high = low;
    if (*end == '-') {
        if (!isdigit((unsigned char)end[1]))
            return -1;
        high = strtoul(end + 1, &end, 10);
    }
    if (low > high || high >= CPU_SETSIZE)
        return -1;
    for (unsigned long cpu = low; cpu <= high; cpu++)
        CPU_SET(cpu, set);
    *p = end;
    return 0;
}

int affinity_set(const char *list, struct err *e)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const char *p = list;
    int rc = take_range(&p, &set);
    while (rc == 0 && *p == ',') {
        p++;
        rc = take_range(&p, &set);
    }
    if (rc < 0 || *p)
        return err_set(e, EXIT_USAGE, "--cpu: '%s' is no list of CPUs as 1 or 0,2-3", list);
    if (sched_setaffinity(0, sizeof set, &set) < 0)
        return err_set(e, EXIT_USAGE, "--cpu: cannot run on CPU %s: %s", list, strerror(errno));
    return 0;
}
