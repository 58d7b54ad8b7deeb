/* clock: see clock.h. */
#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

uint64_t clock_ns(void)
{
    struct timespec t;
    int rc = clock_gettime(CLOCK_MONOTONIC, &t);
    assert(rc == 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void clock_sleep_ms(unsigned ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) < 0 && errno == EINTR) {
    }
}

static void stamp(char *to, size_t size, const char *format)
{
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    size_t n = strftime(to, size, format, &tm);
    assert(n > 0);
}

void clock_stamp_iso(char *to, size_t size)
{
    stamp(to, size, "%Y-%m-%dT%H:%M:%SZ");
}

void clock_stamp_name(char *to, size_t size)
{
    stamp(to, size, "%Y%m%d-%H%M%S");
}
