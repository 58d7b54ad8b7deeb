/* The pause of a client that never sleeps: long enough for a few answers, never for all of them. */
#include "volley/gap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A server that answers every each_ns: the gap after a thousand looks, and the answers of the last.
 */
static uint64_t settle(uint64_t in_flight, double each_ns, uint64_t *answers)
{
    uint64_t gap = 0;
    double ready = 0;
    for (int i = 0; i < 1000; i++) {
        ready += (double)(gap + 500) / each_ns; /* a look takes some time too */
        *answers = (uint64_t)ready;
        ready -= (double)*answers;
        if (*answers > in_flight)
            *answers = in_flight;
        gap = gap_next(gap, *answers, gap_wanted(in_flight));
    }
    return gap;
}

static void lets_a_few_come_together(void **state)
{
    (void)state;
    static const struct {
        uint64_t in_flight;
        double each_ns;
        unsigned least, most;
    } row[] = {{64, 1000, 5, 11}, {512, 500, 10, 20}, {16, 4000, 1, 4}, {64, 4000, 2, 3}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t answers;
        settle(row[i].in_flight, row[i].each_ns, &answers);
        assert_in_range(answers, row[i].least, row[i].most);
    }
}

static void never_waits_for_all_that_is_in_flight(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 16; n++)
        assert_int_equal(gap_wanted(n), 0);
    for (uint64_t n = 16; n < 100000; n += 7)
        assert_true(gap_wanted(n) >= 2 && gap_wanted(n) <= n / 8 && gap_wanted(n) <= 16);
    assert_int_equal(gap_next(9000, 0, 0), 0);
}

static void a_slow_server_is_looked_at_all_the_same(void **state)
{
    (void)state;
    uint64_t answers;
    assert_in_range(settle(64, 1e9, &answers), 9000, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lets_a_few_come_together),
                                       cmocka_unit_test(never_waits_for_all_that_is_in_flight),
                                       cmocka_unit_test(a_slow_server_is_looked_at_all_the_same)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
