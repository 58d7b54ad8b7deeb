/* Trials: nothing is measured until it is, and derived figures say so. */
#include "model/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

static void test_init_knows_nothing(void **state)
{
    (void)state;
    struct trial t;
    memset(&t, 0x55, sizeof t);
    trial_init(&t);
    assert_int_equal(t.verdict, VERDICT_NOT_RUN);
    assert_string_equal(t.note, "");
    assert_string_equal(t.raw, "");
    assert_int_equal(t.tally.requests, -1);
    assert_int_equal(t.tally.ok, -1);
    assert_int_equal(t.tally.threads, -1);
    assert_int_equal(t.tally.connections, -1);
    assert_int_equal(t.tally.reconnects, -1);
    assert_int_equal(t.tally.bytes, -1);
    for (int i = 0; i < ERROR_KINDS; i++)
        assert_int_equal(t.tally.errors[i], -1);
    for (int i = 0; i < LATENCY_N; i++)
        assert_true(isnan(t.tally.latency.p[i]));
    const double *usage = (const double *)&t.usage;
    for (size_t i = 0; i < sizeof t.usage / sizeof *usage; i++)
        assert_true(isnan(usage[i]));
    assert_true(isnan(t.tally.latency.mean) && isnan(t.tally.latency.stdev));
    assert_true(isnan(t.tally.latency.min) && isnan(t.tally.latency.max));
    assert_true(isnan(t.tally.latency.resolution));
    assert_false(t.tally.latency.corrected || t.tally.latency.censored);
    assert_true(isnan(trial_requests_per_s(&t)));
    assert_true(isnan(trial_server_cpu_ns(&t)));
    assert_true(isnan(trial_client_cpu_ns(&t)));
    assert_int_equal(tally_errors(&t.tally), 0);
}

static void test_rate_counts_right_answers(void **state)
{
    (void)state;
    struct trial t;
    trial_init(&t);
    t.tally.duration_s = 2;
    t.tally.requests = 1000;
    assert_true(isnan(trial_requests_per_s(&t))); /* how many were right is not known */
    t.tally.ok = 900;
    assert_near(trial_requests_per_s(&t), 450, 0);
    t.tally.ok = 0;
    assert_near(trial_requests_per_s(&t), 0, 0);
    t.tally.duration_s = 0;
    assert_true(isnan(trial_requests_per_s(&t))); /* never infinite */
    t.tally.duration_s = -1;
    assert_true(isnan(trial_requests_per_s(&t)));
}

static void test_cpu_per_request(void **state)
{
    (void)state;
    struct trial t;
    trial_init(&t);
    t.tally.requests = 200000;
    t.usage.server_cpu_s = 2;
    t.usage.client_cpu_s = 1;
    assert_near(trial_server_cpu_ns(&t), 10000, 1e-9);
    assert_near(trial_client_cpu_ns(&t), 5000, 1e-9);
    t.tally.requests = 0;
    assert_true(isnan(trial_server_cpu_ns(&t)));
    t.tally.requests = 1;
    t.usage.server_cpu_s = NAN;
    assert_true(isnan(trial_server_cpu_ns(&t)));
}

static void test_errors_sum_the_known(void **state)
{
    (void)state;
    struct trial t;
    trial_init(&t);
    t.tally.errors[ERROR_CONNECT] = 3;
    t.tally.errors[ERROR_TIMEOUT] = 0;
    t.tally.errors[ERROR_OTHER] = 4;
    assert_int_equal(tally_errors(&t.tally), 7);
}

static void test_error_names_are_distinct(void **state)
{
    (void)state;
    for (int i = 0; i < ERROR_KINDS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(error_kind_name((enum error_kind)i),
                                    error_kind_name((enum error_kind)j));
    assert_string_equal(error_kind_name(ERROR_CONNECT), "connect");
    assert_string_equal(error_kind_name(ERROR_OTHER), "other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_init_knows_nothing),
        cmocka_unit_test(test_rate_counts_right_answers),
        cmocka_unit_test(test_cpu_per_request),
        cmocka_unit_test(test_errors_sum_the_known),
        cmocka_unit_test(test_error_names_are_distinct),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
