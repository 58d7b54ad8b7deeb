/* Tests of present/chart with the real gnuplot: every script draws without a word on stderr. */
#include "base/alloc.h"
#include "present/chart.h"
#include "tests/sample_chart.h"
#include "tests/sample_result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool is_picture(const struct drawing *d, const char *extension)
{
    if (!d->picture)
        return false;
    if (strcmp(extension, "png") == 0)
        return d->len > 1000 && memcmp(d->picture, "\x89PNG\r\n\x1a\n", 8) == 0;
    return d->len > 1000 && strstr(d->picture, "<svg") && strstr(d->picture, "</svg>");
}

static void assert_draws(const char *folder, const struct chart *c, const struct chart_terminal *t)
{
    struct drawing d;
    char *settings = chart_settings(c, t);
    drawing_make(&d, folder, c, settings, t->extension);
    if (d.status || d.complaints[0])
        fail_msg("%s, %s: gnuplot ended with %d and said: %s", c->name, t->term, d.status,
                 d.complaints);
    assert_true(is_picture(&d, t->extension));
    drawing_fini(&d);
    free(settings);
}

static void assert_all_draw(const struct result *r)
{
    struct charts c;
    size_t n;
    const struct chart_terminal *t = chart_terminals(&n);
    char *folder = sample_folder_make();
    charts_make(&c, r);
    assert_true(n >= 3);
    for (size_t i = 0; i < c.n; i++)
        for (size_t k = 0; c.item[i].script && k < 2; k++) /* svg and the first png */
            assert_draws(folder, &c.item[i], &t[k]);
    assert_draws(folder, &c.item[0], &t[2]); /* png by libgd looks alike for all */
    charts_fini(&c);
    sample_folder_remove(folder);
}

static void test_sample(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    assert_all_draw(&r);
    result_fini(&r);
}

static void test_too_few_blocks(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 2);
    assert_all_draw(&r);
    result_fini(&r);
}

/* One level, equal values, one server with a value. */
static void test_one_point(void **state)
{
    struct result r;
    (void)state;
    sample_result_make_invalid(&r);
    r.cells[1].verdict = VERDICT_VALID;
    r.cells[1].trials = r.cells[1].valid = 3;
    r.cells[1].requests_per_s = r.cells[1].requests_per_s_low = r.cells[1].requests_per_s_high = 5;
    r.cells[1].cpu_ns_per_request = 1;
    r.cells[1].latency[LATENCY_P50] = r.cells[1].latency[LATENCY_P99] = 100;
    assert_all_draw(&r);
    r.cells[1].latency[LATENCY_P50] = 0;
    r.cells[1].requests_per_s = 0;
    assert_all_draw(&r);
    result_fini(&r);
}

static void test_one_server_alone(void **state)
{
    struct result r;
    (void)state;
    sample_result_make_alone(&r);
    assert_all_draw(&r);
    result_fini(&r);
}

static void test_extremes(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    for (size_t i = 0; i < r.plan.cells_n; i++) {
        r.cells[i].requests_per_s *= i % 3 == 0 ? 1e6 : 1e-6;
        r.cells[i].latency[LATENCY_P99] *= i % 3 == 0 ? 1e5 : 1e-3;
        r.cells[i].latency[LATENCY_P50] = i % 3 == 0 ? 0 : 1;
    }
    for (size_t i = 0; i < r.ratios_n; i++)
        r.ratios[i].value.estimate *= i % 2 ? 500 : 0.002;
    assert_all_draw(&r);
    result_fini(&r);
}

/* Names keep their underscores, carets and braces; more servers than looks. */
static void test_names_are_literal(void **state)
{
    static const char *const names[] = {"ref_epoll", "keep_alive^2", "a{b}c & <d> it's"};
    struct result r;
    struct charts c;
    struct drawing d;
    size_t n;
    (void)state;
    sample_result_make(&r, 3);
    for (size_t i = 0; i < 3; i++) {
        free(r.plan.servers[i].name);
        r.plan.servers[i].name = xstrdup(names[i]);
    }
    charts_make(&c, &r);
    char *folder = sample_folder_make();
    char *settings = chart_settings(&c.item[0], chart_terminals(&n));
    drawing_make(&d, folder, &c.item[0], settings, "svg");
    assert_int_equal(d.status, 0);
    assert_string_equal(d.complaints, "");
    assert_non_null(d.picture);
    assert_non_null(strstr(d.picture, ">ref_epoll<"));
    assert_non_null(strstr(d.picture, ">keep_alive^2<"));
    assert_non_null(strstr(d.picture, ">a{b}c &amp; &lt;d"));
    drawing_fini(&d);
    free(settings);
    sample_folder_remove(folder);
    charts_fini(&c);
    result_fini(&r);
}

/* By hand, without -e; and in a locale with decimal commas. */
static void test_script_stands_alone(void **state)
{
    struct result r;
    struct charts c;
    struct drawing d;
    (void)state;
    sample_result_make(&r, 8);
    charts_make(&c, &r);
    char *folder = sample_folder_make();
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    drawing_make(&d, folder, &c.item[2], NULL, "svg");
    unsetenv("LC_ALL");
    assert_int_equal(d.status, 0);
    assert_string_equal(d.complaints, "");
    assert_true(is_picture(&d, "svg"));
    drawing_fini(&d);
    sample_folder_remove(folder);
    charts_fini(&c);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_too_few_blocks),
        cmocka_unit_test(test_one_point),
        cmocka_unit_test(test_one_server_alone),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_names_are_literal),
        cmocka_unit_test(test_script_stands_alone),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
