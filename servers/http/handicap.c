/* handicap: owes time for each call and pays it off by a busy loop that reads the clock as it goes.
   A loop timed once at start would not do: how long the same steps take changes with the
   processor's frequency and with what else its core does.

   Some ten ns of it would cost nothing: an out-of-order processor goes on with the request while
   the loop runs. So small amounts are saved up and burnt together, and what was burnt too much is
   taken off the next. */
#include "http/handicap.h"

#include <stdint.h>
#include <time.h>

#define BURN_NS    1000 /* at once, at least: a processor looks ahead some 100 ns */
#define LOOK_STEPS 8    /* multiplications between two looks at the clock */

static double call_ns, owed_ns, burnt_ns;
static volatile uint64_t sink;

/* A chain of multiplications, each waiting for the one before: no compiler makes it shorter. */
static void spin(int steps)
{
    uint64_t x = sink | 1;
    for (int i = 0; i < steps; i++) {
        x *= 6364136223846793005ULL;
        __asm__ volatile("" : "+r"(x)); /* keeps the loop as written */
    }
    sink = x;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void handicap_set(double ns)
{
    call_ns = ns > 0 ? ns : 0;
    owed_ns = burnt_ns = 0;
}

void handicap_spin(void)
{
    owed_ns += call_ns;
    if (owed_ns < BURN_NS)
        return;
    double start = now_ns(), burnt = 0;
    while (burnt < owed_ns) {
        spin(LOOK_STEPS);
        burnt = now_ns() - start;
    }
    owed_ns -= burnt;
    burnt_ns += burnt;
}

double handicap_burnt_ns(void)
{
    return burnt_ns;
}
