/* volley's summary and slices as figures: what is missing makes the whole unusable, and slices give
   the ratios of neighbours, also when one server is gone. */
#include "load/volley_report.h"

#include "base/alloc.h"
#include "model/duel_slice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

#define TARGET                                                                                     \
    "{\"requests\":103,\"ok\":98,\"unanswered\":3,\"errors\":{\"connect\":1,\"read\":0,"           \
    "\"write\":0,\"timeout\":0,\"status\":2,\"framing\":0,\"length\":0,\"body\":0,\"reset\":4,"    \
    "\"early_close\":1},\"connections_achieved\":8,\"reconnects\":5,\"bytes_read\":9000,"          \
    "\"duration_s\":0.5,\"requests_per_s\":196,\"latency_us\":{\"mean\":50,\"min\":10,"            \
    "\"max\":90,\"p50\":50,\"p75\":60,\"p90\":70,\"p99\":80,\"p99_9\":90,\"p99_99\":90,"           \
    "\"histogram\":{\"bins\":[[40000,1],[60000,1]]}},\"last_connect_error\":\"refused\","          \
    "\"first_framing_error\":null}"
#define SUMMARY                                                                                    \
    "{\"schema\":\"volley\",\"schema_version\":1,\"interrupted\":false,\"threads\":1,"             \
    "\"targets\":[" TARGET "]}"

static void test_summary(void **state)
{
    (void)state;
    struct volley_target t, two[2];
    assert_int_equal(volley_report_parse(SUMMARY, &t, 1), 0);
    assert_int_equal(t.tally.requests, 100);
    assert_int_equal(t.tally.errors[ERROR_TIMEOUT], 3);
    assert_int_equal(t.tally.errors[ERROR_READ], 5);
    assert_int_equal(t.tally.reconnects, 5);
    assert_true(t.tally.latency.censored);
    assert_near(t.tally.latency.stdev, 10, 0.1);
    assert_string_equal(t.connect_error, "refused");
    assert_int_equal(volley_report_parse(SUMMARY, two, 2), -1);
    for (const char *key = SUMMARY; (key = strstr(key, "\"re")); key++) { /* every key in turn */
        char *text = xstrdup(SUMMARY);
        text[key - SUMMARY + 1] = 'x';
        bool error = strncmp(key, "\"refused", 8) == 0;
        assert_int_equal(volley_report_parse(text, &t, 1), error ? 0 : -1);
        assert_true(error || t.tally.requests == -1);
        free(text);
    }
    assert_int_equal(volley_report_parse("{\"schema\":", &t, 1), -1);
    assert_int_equal(volley_report_parse("", &t, 1), -1);
}

static void test_slices(void **state)
{
    (void)state;
    static const size_t order[] = {0, 1, 2, 2, 1, 0};
    struct duel_slices slices = {.item = xcalloc(12, sizeof *slices.item)};
    for (size_t i = 0; i < 12; i++) {
        size_t target = order[i % 6];
        if (target == 1 && i > 6)
            continue; /* gone */
        struct duel_slice *s = &slices.item[slices.n++];
        *s = (struct duel_slice){.target = (unsigned)target,
                                 .start_ns = 1000,
                                 .first_ns = 2000,
                                 .last_ns = 1001000,
                                 .ok = target == 2 ? 200 : 100,
                                 .client_cpu_ns = 5000,
                                 .pids_n = 1};
        s->cpu_ns[0] = 20100;
    }
    struct load_share shares[3] = {0};
    struct volley_turns turns = {&slices, order, 3, 0};
    volley_report_share(&turns, shares);
    assert_near(shares[2].log_ratio[METRIC_THROUGHPUT], log(2), 1e-9);
    assert_near(shares[2].log_ratio[METRIC_CPU], log(0.5), 1e-9);
    assert_near(shares[1].log_ratio[METRIC_THROUGHPUT], 0, 1e-9);
    assert_true(isnan(shares[0].log_ratio[METRIC_THROUGHPUT]));
    assert_near(shares[2].outcome.cpu_s, 4 * 5e-6, 1e-12);
    assert_near(shares[2].server_cpu_s, 4 * 20100e-9, 1e-12);
    slices.item[0].cpu_ns[0] = NAN; /* its process was gone */
    volley_report_share(&turns, shares);
    assert_true(isnan(shares[0].server_cpu_s));
    duel_slices_fini(&slices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_slices),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
