/* The planted slowdown: what was asked for on the mean of many calls, by the clock, whatever
   one call asks for; and none at all when switched off. */
#include "http/handicap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Calls it until wanted_ns are due; the time that passed. */
static double spin_for(double each_ns, double wanted_ns)
{
    handicap_set(each_ns);
    double start = now_ns();
    long calls = (long)(wanted_ns / each_ns) + 1;
    for (long i = 0; i < calls; i++)
        handicap_spin();
    return now_ns() - start;
}

static void burns_what_was_asked(void **state)
{
    (void)state;
    static const double each_ns[] = {23, 470, 20000, 200000};
    for (int i = 0; i < 4; i++) {
        double passed = spin_for(each_ns[i], 4e6), burnt = handicap_burnt_ns();
        /* What is due but below 1 us is still owed, or the last burn went a little too far. */
        if (burnt < 4e6 - 1000 - each_ns[i] || burnt > passed)
            fail_msg("%.0f ns a call: %.0f ns burnt of 4000000, and %.0f passed", each_ns[i], burnt,
                     passed);
    }
}

/* A burn that took too long is taken off the ones after it, down to burning nothing. */
static void pays_back_what_was_too_much(void **state)
{
    (void)state;
    double due = 0, most = 0;
    handicap_set(400);
    for (int i = 0; i < 20000; i++) {
        double before = handicap_burnt_ns();
        due += 400;
        handicap_spin();
        double after = handicap_burnt_ns();
        if (after > before)
            assert_true(before < due); /* what was burnt already did not cover it */
        else
            assert_true(due - after < 1000);
        most = after - before > most ? after - before : most;
    }
    assert_true(handicap_burnt_ns() - due < most);
}

static void off_burns_nothing(void **state)
{
    (void)state;
    handicap_set(0);
    for (int i = 0; i < 1000000; i++)
        handicap_spin();
    assert_true(handicap_burnt_ns() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(burns_what_was_asked),
                                       cmocka_unit_test(pays_back_what_was_too_much),
                                       cmocka_unit_test(off_burns_nothing)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
