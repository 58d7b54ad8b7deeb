/* The planted slowdown: about as long as asked for, by the CPU clock, and none at all when switched
 * off. */
#include "http/handicap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The shortest of several rounds: disturbances only add. */
static double spin_ns(void)
{
    double best = 1e18;
    for (int round = 0; round < 20; round++) {
        double start = cpu_ns();
        for (int i = 0; i < 20; i++)
            handicap_spin();
        double each = (cpu_ns() - start) / 20;
        best = each < best ? each : best;
    }
    return best;
}

static void takes_what_was_asked(void **state)
{
    (void)state;
    static const double wanted[] = {20000, 200000};
    for (int i = 0; i < 2; i++) {
        handicap_set(wanted[i]);
        double got = spin_ns();
        if (got < wanted[i] / 3 || got > wanted[i] * 3) /* another processor, another frequency */
            fail_msg("%.0f ns, not %.0f", got, wanted[i]);
    }
}

static void grows_in_proportion(void **state)
{
    (void)state;
    handicap_set(100000);
    uint64_t steps = handicap_steps();
    handicap_set(200000);
    assert_in_range(handicap_steps(), steps * 3 / 2, steps * 3);
    handicap_set(0);
    assert_int_equal(handicap_steps(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_what_was_asked),
                                       cmocka_unit_test(grows_in_proportion)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
