/* Tests of present/chart without gnuplot: which charts there are and what their scripts and data
   say. */
#include "present/chart.h"
#include "base/alloc.h"
#include "tests/sample_result.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct chart *find(const struct charts *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->item[i].name, name) == 0)
            return &c->item[i];
    fail_msg("no chart %s", name);
    return NULL;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void test_every_panel_has_six(void **state)
{
    static const char *const names[] = {
        "throughput-health-wrk", "cpu-health-wrk", "parity-health-wrk",    "parity-cpu-health-wrk",
        "p50-health-wrk",        "p99-health-wrk", "p99-health-wrk-close", "parity-small-ab"};
    struct result r;
    struct charts c;
    (void)state;
    sample_result_make(&r, 8);
    charts_make(&c, &r);
    assert_int_equal(c.n, 36);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct chart *one = find(&c, names[i]);
        assert_non_null(one->script);
        assert_non_null(strstr(one->script, "set termoption noenhanced"));
        assert_non_null(strstr(one->script, "set logscale x 2"));
        assert_non_null(strstr(one->script, "'16' 16, '64' 64, '256' 256, '1024' 1024"));
        assert_string_equal(one->note, "");
    }
    charts_fini(&c);
    charts_fini(&c);
    result_fini(&r);
}

/* What the machine can do is a dashed line without points, and says so. */
static void test_limit_is_a_line(void **state)
{
    struct result r;
    struct charts c;
    char *title;
    (void)state;
    sample_result_make(&r, 8);
    charts_make(&c, &r);
    assert_null(strstr(find(&c, "throughput-health-wrk")->script, "(limit)"));
    charts_fini(&c);
    r.plan.servers[0].limit = true;
    charts_make(&c, &r);
    title =
        xasprintf("with lines linewidth 2 dashtype 2 linecolor rgb '#000000' title '%s (limit)'",
                  r.plan.servers[0].name);
    assert_int_equal(count(find(&c, "throughput-health-wrk")->script, title), 1);
    assert_int_equal(count(find(&c, "p99-health-wrk")->script, "(limit)"), 1);
    free(title);
    charts_fini(&c);
    result_fini(&r);
}

/* The blocks of data that the script names are those that the data has. */
static void test_indices_match(void **state)
{
    struct result r;
    struct charts c;
    (void)state;
    sample_result_make(&r, 8);
    charts_make(&c, &r);
    for (size_t i = 0; i < c.n; i++) {
        assert_int_equal(count(c.item[i].script, ".dat' index "), count(c.item[i].data, "# "));
        assert_int_equal(count(c.item[i].data, "\n\n\n"), count(c.item[i].data, "# "));
        assert_null(strstr(c.item[i].data, "nan"));
        assert_null(strstr(c.item[i].data, "inf"));
    }
    charts_fini(&c);
    result_fini(&r);
}

static void test_invalid_is_hollow_with_its_reason(void **state)
{
    struct result r;
    struct charts c;
    (void)state;
    sample_result_make(&r, 8);
    charts_make(&c, &r);
    const struct chart *rate = find(&c, "throughput-health-wrk");
    assert_non_null(strstr(rate->data, "# nginx, hollow:"));
    assert_non_null(strstr(rate->script, "pointtype 6"));
    assert_non_null(strstr(rate->script, "Hollow = not comparable: nginx"));
    assert_non_null(strstr(rate->script, "(client_bound)"));
    assert_non_null(strstr(rate->script, "(keepalive_lost)"));
    const struct chart *cpu = find(&c, "cpu-health-wrk");
    assert_null(strstr(cpu->data, "# nginx, hollow:")); /* client_bound: CPU stays comparable */
    assert_null(strstr(cpu->script, "client_bound"));
    const struct chart *censored = find(&c, "p99-health-ab");
    assert_non_null(strstr(censored->data, "# lighttpd, hollow:"));
    charts_fini(&c);
    result_fini(&r);
}

static void test_parity(void **state)
{
    struct result r;
    struct charts c;
    (void)state;
    sample_result_make(&r, 8);
    charts_make(&c, &r);
    const struct chart *parity = find(&c, "parity-health-wrk");
    assert_null(strstr(parity->data, "# nginx"));
    assert_non_null(strstr(parity->data, "# reactor, bars:"));
    assert_non_null(strstr(parity->script, "set arrow 1 from graph 0,first 1 to graph 1,first 1"));
    assert_non_null(strstr(parity->script, "Bars: interval, at least 96 % each."));
    charts_fini(&c);
    result_fini(&r);
    sample_result_make(&r, 3);
    charts_make(&c, &r);
    parity = find(&c, "parity-health-wrk");
    assert_null(strstr(parity->data, "bars:"));
    assert_non_null(strstr(parity->script, "Too few blocks for an interval: no order is claimed."));
    charts_fini(&c);
    result_fini(&r);
}

static void test_no_data_is_a_note(void **state)
{
    struct result r;
    struct charts c;
    (void)state;
    sample_result_make_invalid(&r);
    charts_make(&c, &r);
    assert_int_equal(c.n, 6);
    for (size_t i = 0; i < c.n; i++) {
        assert_null(c.item[i].script);
        assert_null(c.item[i].data);
        assert_non_null(strstr(c.item[i].note, "no valid point: "));
        assert_non_null(strstr(c.item[i].note, "(boot_failed)"));
    }
    charts_fini(&c);
    result_fini(&r);
}

static void set_p50(struct result *r, double low_levels, double others)
{
    for (size_t i = 0; i < r->plan.cells_n; i++)
        r->cells[i].latency[LATENCY_P50] = r->plan.cells[i].connections <= 64 ? low_levels : others;
}

static void test_zero_on_a_log_axis(void **state)
{
    struct result r;
    struct charts c;
    (void)state;
    sample_result_make(&r, 3);
    set_p50(&r, 0, 3000);
    charts_make(&c, &r);
    const struct chart *p50 = find(&c, "p50-json-ab");
    assert_non_null(strstr(p50->script, "set logscale y"));
    assert_non_null(strstr(p50->script, "Not drawn: nginx 16 64, reactor 16 64"));
    assert_non_null(strstr(p50->script, "0, below the tool"));
    assert_null(strstr(p50->data, " 0\n"));
    charts_fini(&c);
    set_p50(&r, 0, 0);
    charts_make(&c, &r);
    p50 = find(&c, "p50-json-ab");
    assert_null(strstr(p50->script, "set logscale y"));
    assert_non_null(strstr(p50->data, " 0\n"));
    charts_fini(&c);
    result_fini(&r);
}

static void rename_server(struct result *r, size_t server, const char *name)
{
    free(r->plan.servers[server].name);
    r->plan.servers[server].name = xstrdup(name);
}

static void test_names_cannot_leave_their_quotes(void **state)
{
    struct result r;
    struct charts c;
    (void)state;
    sample_result_make(&r, 3);
    rename_server(&r, 1, "it's\n`id`; set output '/x'\nplot");
    charts_make(&c, &r);
    const struct chart *rate = find(&c, "throughput-health-wrk");
    assert_non_null(strstr(rate->script, "title 'it''s `id`; set output ''/x'' plot'"));
    assert_null(strstr(rate->data, "\nplot"));
    charts_fini(&c);
    result_fini(&r);
}

static void test_points_in_a_comma_locale(void **state)
{
    struct result r;
    struct charts c, german;
    (void)state;
    sample_result_make(&r, 8);
    charts_make(&c, &r);
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "pl_PL.UTF-8")) {
        charts_fini(&c);
        result_fini(&r);
        return; /* no locale with a decimal comma is installed */
    }
    charts_make(&german, &r);
    setlocale(LC_ALL, "C");
    for (size_t i = 0; i < c.n; i++) {
        assert_string_equal(c.item[i].data, german.item[i].data);
        assert_string_equal(c.item[i].script, german.item[i].script);
    }
    charts_fini(&german);
    charts_fini(&c);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_panel_has_six),
        cmocka_unit_test(test_limit_is_a_line),
        cmocka_unit_test(test_indices_match),
        cmocka_unit_test(test_invalid_is_hollow_with_its_reason),
        cmocka_unit_test(test_parity),
        cmocka_unit_test(test_no_data_is_a_note),
        cmocka_unit_test(test_zero_on_a_log_axis),
        cmocka_unit_test(test_names_cannot_leave_their_quotes),
        cmocka_unit_test(test_points_in_a_comma_locale),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
