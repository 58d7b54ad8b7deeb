/* handicap: a chain of multiplications, each waiting for the one before, so that neither the
   compiler nor an out-of-order processor can make it shorter. Calibrated at start against the CPU
   clock of this thread: the median of several rounds, for a round may be disturbed. */
#include "http/handicap.h"

#include <stdlib.h>
#include <time.h>

#define ROUNDS      9
#define ROUND_STEPS 400000

static uint64_t steps;
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
    steps = ns > 0 ? (uint64_t)(ns / ns_per_step() + 0.5) : 0;
}

void handicap_spin(void)
{
    spin(steps);
}

uint64_t handicap_steps(void)
{
    return steps;
}
