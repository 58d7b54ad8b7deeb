/* A slice as the generator writes it, and lines that are none. */
#include "model/duel_slice.h"

#include "base/err.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* As `volley --slices` wrote it, the histogram shortened. */
static const char line[] =
    "{\"type\":\"slice\",\"slice\":3,\"target\":1,\"start_ns\":3071249879704,\"stop_ns\":"
    "3071254879704,\"first_ns\":3071253527972,\"last_ns\":3071260182822,\"duration_ns\":10303118,"
    "\"requests\":475,\"ok\":475,\"failed\":0,\"unanswered\":0,\"errors\":{\"connect\":0,\"read\":"
    "0,"
    "\"write\":0,\"timeout\":0,\"status\":0,\"framing\":0,\"length\":0,\"body\":0,\"reset\":0,"
    "\"early_close\":0},\"late_answers\":64,\"connections_opened\":0,\"reconnects\":0,"
    "\"bytes_read\":63175,\"client_cpu_ns\":1613895,\"client_spin_ns\":613895,\"server_cpu_ns\":["
    "1702758,null,0],"
    "\"histogram\":{\"bins\":[[1024,3]]}}\n";

static struct duel_slices good(const char *text)
{
    struct duel_slices s;
    struct err e = {0};
    assert_int_equal(duel_slices_read(&s, text, "x.jsonl", &e), 0);
    return s;
}

static void refused(const char *text, const char *why)
{
    struct duel_slices s;
    struct err e = {0};
    assert_int_equal(duel_slices_read(&s, text, "x.jsonl", &e), -1);
    assert_int_equal(e.code, EXIT_MACHINE);
    if (!strstr(e.text, why))
        fail_msg("\"%s\" does not say \"%s\"", e.text, why);
    duel_slices_fini(&s);
    duel_slices_fini(&s);
}

static void test_reads_every_figure(void **state)
{
    (void)state;
    struct duel_slices s = good(line);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.item[0].target, 1);
    assert_int_equal(s.item[0].ok, 475);
    assert_true(s.item[0].first_ns == 3071253527972 && s.item[0].last_ns == 3071260182822);
    assert_true(s.item[0].duration_ns == 10303118 && s.item[0].client_cpu_ns == 1613895 &&
                s.item[0].client_spin_ns == 613895);
    assert_int_equal(s.item[0].pids_n, 3);
    assert_true(s.item[0].cpu_ns[0] == 1702758 && isnan(s.item[0].cpu_ns[1]));
    assert_int_equal(s.item[0].errors, 0);
    assert_string_equal(s.item[0].what, "");
    duel_slices_fini(&s);
}

static char *with(const char *from, const char *to)
{
    static char text[2000];
    const char *at = strstr(line, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - line), line, to, at + strlen(from));
    return text;
}

static void test_tells_wrong_answers_from_lost_ones(void **state)
{
    (void)state;
    struct duel_slices lost = good(with("\"reset\":0", "\"reset\":2"));
    assert_int_equal(lost.item[0].errors, 2);
    assert_false(lost.item[0].wrong);
    assert_string_equal(lost.item[0].what, "reset 2");
    struct duel_slices wrong = good(with("\"status\":0", "\"status\":12"));
    assert_true(wrong.item[0].wrong);
    assert_string_equal(wrong.item[0].what, "status 12");
    duel_slices_fini(&lost);
    duel_slices_fini(&wrong);
}

static void test_a_slice_without_an_answer_has_no_times(void **state)
{
    (void)state;
    struct duel_slices s = good(with("\"first_ns\":3071253527972", "\"first_ns\":null"));
    assert_true(s.item[0].first_ns == 0);
    duel_slices_fini(&s);
}

static void test_other_lines_are_skipped(void **state)
{
    (void)state;
    char text[3000];
    snprintf(text, sizeof text, "{\"type\":\"summary\"}\n%s%s", line, line);
    struct duel_slices s = good(text);
    assert_int_equal(s.n, 2);
    duel_slices_fini(&s);
    struct duel_slices none = good("");
    assert_int_equal(none.n, 0);
    duel_slices_fini(&none);
}

static void test_refuses_by_line_and_key(void **state)
{
    (void)state;
    char text[3000];
    snprintf(text, sizeof text, "%s{\"type\":\"slice\",\"target\":", line);
    refused(text, "x.jsonl:2: is not JSON");
    refused(with("\"ok\":475", "\"ok\":\"475\""), "x.jsonl:1: a slice without a usable \"ok\"");
    refused(with("\"ok\":475", "\"ok\":-1"), "\"ok\"");
    refused(with("\"server_cpu_ns\"", "\"cpu\""), "\"server_cpu_ns\"");
    refused(with("\"errors\"", "\"mistakes\""), "\"errors\"");
}

static void test_lean_lines_lack_histograms_alone(void **state)
{
    (void)state;
    char *lean = duel_slices_lean(line);
    assert_null(strstr(lean, "histogram"));
    struct duel_slices s = good(lean), full = good(line);
    assert_int_equal(s.n, 1);
    assert_true(s.item[0].last_ns == full.item[0].last_ns &&
                s.item[0].cpu_ns[0] == full.item[0].cpu_ns[0] && s.item[0].ok == full.item[0].ok);
    duel_slices_fini(&s);
    duel_slices_fini(&full);
    free(lean);
}

static void test_rate_is_from_first_send_to_last_answer(void **state)
{
    (void)state;
    struct duel_slice s = {.ok = 20, .start_ns = 1000000, .first_ns = 2000000, .last_ns = 3000000};
    assert_float_equal(duel_slice_rate(&s), 10000, 1e-6);
    s.ok = 1;
    assert_true(isnan(duel_slice_rate(&s)));
}

/* Sixteen connections that are always answered together, 16 ms after they asked: 1000 a second,
   however few bursts a slice has; even one, which begins and ends at the same moment. */
static void test_bursts_are_not_counted_for_nothing(void **state)
{
    (void)state;
    for (uint64_t bursts = 1; bursts < 10; bursts++) {
        struct duel_slice s = {.ok = 16 * bursts,
                               .start_ns = 5000000,
                               .first_ns = 21000000,
                               .last_ns = 5000000 + 16000000 * bursts};
        assert_float_equal(duel_slice_rate(&s), 1000, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_every_figure),
        cmocka_unit_test(test_tells_wrong_answers_from_lost_ones),
        cmocka_unit_test(test_a_slice_without_an_answer_has_no_times),
        cmocka_unit_test(test_other_lines_are_skipped),
        cmocka_unit_test(test_refuses_by_line_and_key),
        cmocka_unit_test(test_rate_is_from_first_send_to_last_answer),
        cmocka_unit_test(test_bursts_are_not_counted_for_nothing),
        cmocka_unit_test(test_lean_lines_lack_histograms_alone),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
