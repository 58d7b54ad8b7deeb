/* handicap: a chain of multiplications, each waiting for the one before, so that neither the
   compiler nor an out-of-order processor can make it shorter. Calibrated at start against the CPU
   clock of this thread: the median of several rounds, for a round may be disturbed.

   Some ten ns of it would cost nothing: an out-of-order processor goes on with the request while
   the chain runs. So small amounts are saved up and burnt together, in a chain too long to hide. */
#include "http/handicap.h"

#include <stdlib.h>
#include <time.h>

#define ROUNDS      9
#define ROUND_STEPS 400000
#define BURN_NS     10000 /* at once, at least: a processor looks ahead some 100 ns */

static uint64_t steps;          /* a call */
static uint64_t saved, burn_at; /* steps due; burnt once they are so many */
static volatile uint64_t sink;

static void spin(uint64_t count)
{
    uint64_t x = sink | 1;
    for (uint64_t i = 0; i < count; i++) {
        x *= 6364136223846793005ULL;
        __asm__ volatile("" : "+r"(x)); /* keeps the loop as written */
    }
    sink = x;
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double ns_per_step(void)
{
    double rounds[ROUNDS];
    spin(ROUND_STEPS); /* wakes the clock of the processor up */
    for (int i = 0; i < ROUNDS; i++) {
        double start = cpu_ns();
        spin(ROUND_STEPS);
        rounds[i] = (cpu_ns() - start) / ROUND_STEPS;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    return rounds[ROUNDS / 2];
}

void handicap_set(double ns)
{
    double step_ns = ns > 0 ? ns_per_step() : 1;
    steps = ns > 0 ? (uint64_t)(ns / step_ns + 0.5) : 0;
    burn_at = (uint64_t)(BURN_NS / step_ns);
    saved = 0;
}

void handicap_spin(void)
{
    saved += steps;
    if (saved < burn_at)
        return;
    spin(saved);
    saved = 0;
}

uint64_t handicap_steps(void)
{
    return steps;
}
