/* cputime: see cputime.h. */
#include "volley/cputime.h"

#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static uint64_t ns_of(struct timespec t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int cputime_open(struct cputime *c, pid_t pid, struct err *e)
{
    uint64_t ns;
    c->pid = pid;
    int rc = clock_getcpuclockid(pid, &c->clock);
    if (rc == 0 && cputime_read(c, &ns))
        return 0;
    return err_set(e, EXIT_USAGE, "--pid: cannot read the CPU clock of process %d: %s", (int)pid,
                   strerror(rc ? rc : ESRCH));
}

bool cputime_read(const struct cputime *c, uint64_t *ns)
{
    struct timespec t;
    if (clock_gettime(c->clock, &t) < 0)
        return false;
    *ns = ns_of(t);
    return true;
}

uint64_t cputime_thread_ns(void)
{
    struct timespec t;
    int rc = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    assert(rc == 0);
    return ns_of(t);
}
