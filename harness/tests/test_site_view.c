/* The trend site's lines: kinds of machine stay apart, what isn't valid is left out, change points
   are where the level was moved and in no other line. */
#include "present/site_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tests/near.h"
#include "tests/sample_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 40,
    STEP = 24 /* from here on the reactor's ratios are 5 % lower */
};

/* Every second run is on another kind of machine, whose absolute figures are halved. */
static void make_history(struct history *h)
{
    struct result r;
    sample_result_make(&r, 8);
    for (size_t i = 0; i < RUNS; i++) {
        struct err e = {0};
        struct history_run *run = xgrow(&h->runs, &h->n, sizeof *run);
        assert_int_equal(history_run_of_result(run, &r, "0123456789abcdef", &e), 0);
        snprintf(run->machine.key, sizeof run->machine.key, "%016zx", i % 2);
        for (size_t k = 0; k < run->series_n; k++) {
            struct history_series *s = &run->series[k];
            double wobble = 1 + 0.002 * (double)((i * 7 + k) % 5);
            bool lower = i >= STEP && strcmp(s->server, "reactor") == 0;
            s->requests_per_s *= i % 2 ? 0.5 : 1;
            s->ratio[METRIC_THROUGHPUT].estimate *= wobble * (lower ? 0.95 : 1);
        }
    }
    result_fini(&r);
}

static const char *server_of(const struct site *s, const struct site_line *line)
{
    return s->servers.item[line->server];
}

static void test_change_points_are_where_the_step_is(void **state)
{
    (void)state;
    struct history h = {0};
    struct site s;
    size_t found = 0;
    make_history(&h);
    site_make(&s, &h);
    assert_int_equal(s.machines_n, 2);
    for (size_t p = 0; p < s.pages_n; p++)
        for (size_t c = 0; c < s.pages[p].charts_n; c++) {
            const struct site_chart *chart = &s.pages[p].charts[c];
            for (size_t i = 0; i < chart->n; i++) {
                const struct site_line *line = &chart->lines[i];
                bool moved =
                    chart->metric == SITE_RATIO && strcmp(server_of(&s, line), "reactor") == 0;
                assert_int_equal(line->changes_n, moved);
                if (!moved)
                    continue;
                const struct changepoint *change = &line->changes[0];
                assert_near(change->after / change->before, 0.95, 0.005);
                /* The step is between two runs; each kind has every second one. */
                size_t at = line->points[change->index].at;
                assert_true(at == STEP + line->machine || at == STEP + 1 - line->machine);
                found++;
            }
        }
    assert_true(found >= 4);
    site_fini(&s);
    history_fini(&h);
}

static void test_kinds_of_machine_share_no_line(void **state)
{
    (void)state;
    struct history h = {0};
    struct site s;
    size_t lines = 0;
    make_history(&h);
    site_make(&s, &h);
    for (size_t p = 0; p < s.pages_n; p++)
        for (size_t c = 0; c < s.pages[p].charts_n; c++) {
            const struct site_chart *chart = &s.pages[p].charts[c];
            for (size_t i = 0; i < chart->n; i++) {
                const struct site_line *line = &chart->lines[i];
                assert_true(chart->machine == SITE_NONE || chart->machine == line->machine);
                for (size_t k = 1; k < line->n; k++) {
                    assert_true(line->points[k].at > line->points[k - 1].at);
                    assert_int_equal(line->points[k].at % 2, line->points[0].at % 2);
                }
                lines += line->n > 1;
            }
            if (chart->metric >= SITE_RATE)
                assert_true(chart->machine < s.machines_n);
        }
    assert_true(lines > 20);
    site_fini(&s);
    history_fini(&h);
}

/* Of a cell that the generator bound the rate is no figure of the server; its CPU time is. */
static void test_what_is_not_valid_is_left_out(void **state)
{
    (void)state;
    struct history h = {0};
    struct site s;
    make_history(&h);
    h.n = 1;
    for (size_t i = 0; i < h.runs[0].series_n; i++)
        h.runs[0].series[i].verdict = i % 2 ? VERDICT_CLIENT_BOUND : VERDICT_ERRORS;
    site_make(&s, &h);
    size_t cpu = 0;
    for (size_t p = 0; p < s.pages_n; p++)
        for (size_t c = 0; c < s.pages[p].charts_n; c++) {
            enum site_metric m = s.pages[p].charts[c].metric;
            assert_true(m == SITE_CPU || m == SITE_CPU_RATIO);
            cpu += m == SITE_CPU;
        }
    assert_true(cpu > 0);
    site_fini(&s);
    h.n = RUNS;
    history_fini(&h);
}

static void test_no_run(void **state)
{
    (void)state;
    struct history h = {0};
    struct site s;
    site_make(&s, &h);
    assert_int_equal(s.pages_n + s.machines_n, 0);
    site_fini(&s);
    site_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_change_points_are_where_the_step_is),
        cmocka_unit_test(test_kinds_of_machine_share_no_line),
        cmocka_unit_test(test_what_is_not_valid_is_left_out),
        cmocka_unit_test(test_no_run),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
