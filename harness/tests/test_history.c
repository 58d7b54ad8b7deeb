/* The history's lines: result -> run -> line -> run is the same; what isn't a history is refused
   with its line and key; what a stopped writer left is told from what is broken. */
#include "model/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tests/sample_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_run(struct history_run *run)
{
    struct result r;
    struct err e = {0};
    sample_result_make(&r, 8);
    assert_int_equal(history_run_of_result(run, &r, "0123456789abcdef", &e), 0);
    result_fini(&r);
}

static char *make_line(void)
{
    struct history_run run;
    make_run(&run);
    run.commit = xstrdup("89abcdef89abcdef89abcdef89abcdef89abcdef");
    run.subject = xstrdup("Say \"hello\" \xe2\x82\xac\n\tand \x01 that");
    run.branch = xstrdup("latin \xe9"); /* no UTF-8 */
    struct history_counts *c = xgrow(&run.counts, &run.counts_n, sizeof *c);
    *c = (struct history_counts){xstrdup("reactor"), xstrdup("health"), 901, 2.5, 0, NAN};
    char *line = history_run_to_line(&run);
    history_run_fini(&run);
    return line;
}

static void test_line_and_back(void **state)
{
    (void)state;
    struct history h;
    struct err e = {0};
    char *line = make_line(), *text = xasprintf("%s\n%s\n", line, line);
    assert_null(strchr(line, '\n'));
    assert_int_equal(history_read(&h, text, "history.jsonl", &e), 0);
    assert_int_equal(h.n, 2);
    assert_int_equal(h.torn, 0);
    char *again = history_run_to_line(&h.runs[1]);
    assert_string_equal(again, line);
    assert_string_equal(h.runs[0].branch, "latin ?");
    assert_true(history_has(&h, h.runs[0].id));
    assert_false(history_has(&h, "20260131T120000Z-ffffffffffff"));
    history_fini(&h);
    history_fini(&h);
    free(again);
    free(text);
    free(line);
}

/* Every cell is kept, with its verdict; ratios belong to their server and metric. */
static void test_what_is_kept_of_a_result(void **state)
{
    (void)state;
    struct result r;
    struct history_run run;
    struct err e = {0};
    sample_result_make(&r, 8);
    assert_int_equal(history_run_of_result(&run, &r, "0123456789abcdef", &e), 0);
    assert_int_equal(run.series_n, r.plan.cells_n);
    assert_string_equal(run.reference, "nginx");
    assert_non_null(strstr(run.id, "-0123456789ab"));
    size_t ratios = 0, invalid = 0;
    for (size_t i = 0; i < run.series_n; i++) {
        const struct history_series *s = &run.series[i];
        assert_int_equal(s->verdict, r.cells[i].verdict);
        assert_true(isnan(s->ratio[0].estimate) || strcmp(s->server, "nginx") != 0);
        ratios += isfinite(s->ratio[METRIC_THROUGHPUT].estimate);
        invalid += s->verdict != VERDICT_VALID;
        assert_ptr_equal(history_find(&run, s), s);
    }
    size_t expected = 0;
    for (size_t i = 0; i < r.ratios_n; i++)
        expected += r.ratios[i].metric == METRIC_THROUGHPUT && isfinite(r.ratios[i].value.estimate);
    assert_int_equal(ratios, expected);
    assert_true(ratios > 0 && invalid > 0);
    history_run_fini(&run);
    result_fini(&r);
}

static void test_part_of_a_run_is_no_point(void **state)
{
    (void)state;
    struct result r;
    struct history_run run;
    struct err e = {0};
    sample_result_make(&r, 8);
    r.state = RUN_INTERRUPTED;
    assert_int_equal(history_run_of_result(&run, &r, "0123456789abcdef", &e), -1);
    assert_int_equal(e.code, EXIT_USAGE);
    assert_non_null(strstr(e.text, "interrupted"));
    history_run_fini(&run);
    result_fini(&r);
}

/* With from replaced by to in the second of two lines: what is said. */
static void refuse(const char *from, const char *to, const char *says)
{
    struct history h;
    struct err e = {0};
    char *line = make_line(), *at = strstr(line, from);
    assert_non_null(at);
    char *text = xasprintf("%s\n%.*s%s%s\n", line, (int)(at - line), line, to, at + strlen(from));
    assert_int_equal(history_read(&h, text, "history.jsonl", &e), -1);
    assert_int_equal(e.code, EXIT_USAGE);
    assert_non_null(strstr(e.text, "history.jsonl:2: "));
    if (!strstr(e.text, says))
        fail_msg("\"%s\" doesn't say \"%s\"", e.text, says);
    assert_null(h.runs);
    free(text);
    free(line);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    refuse("parity/history", "parity/result", "this must be a \"parity/history\"");
    refuse("\"schema_version\":1", "\"schema_version\":2", "reads version 1");
    refuse("\"series\":[{", "\"more\":1,\"series\":[{", "more: unknown key");
    refuse("\"valid\"", "\"fine\"", "\"fine\" is no verdict");
    refuse("\"keep-alive\"", "\"open\"", "must be \"keep-alive\" or \"close\"");
    refuse("\"connections\":", "\"connections\":-", "connections: is -");
    refuse("\"server\":\"", "\"server\":7,\"was\":\"", "unknown key");
    refuse("\"estimate\":", "\"estimate\":-", "no interval around a ratio above 0");
    refuse("\"reference\":\"nginx\"", "\"reference\":null", "reference: is null");
    refuse("T12:", "T1x:", "is no time like");
    refuse("{", "", "not valid JSON");
}

static void test_empty_file(void **state)
{
    (void)state;
    struct history h;
    struct err e = {0};
    assert_int_equal(history_read(&h, "", "history.jsonl", &e), -1);
    assert_non_null(strstr(e.text, "is empty"));
}

/* A writer that was stopped leaves a part of a line, or one without its newline. */
static void test_torn_line(void **state)
{
    (void)state;
    char *line = make_line();
    size_t len = strlen(line);
    for (size_t cut = 1; cut <= len; cut += cut + 100 < len ? 97 : 1) {
        struct history h;
        struct err e = {0};
        char *text = xasprintf("%s\n%.*s", line, (int)cut, line);
        assert_int_equal(history_read(&h, text, "history.jsonl", &e), 0);
        assert_int_equal(h.n, cut == len ? 2 : 1);
        assert_int_equal(h.torn, cut == len ? 0 : cut);
        history_fini(&h);
        free(text);
    }
    free(line);
}

static void machine_with(struct machine *m, const char *key, const char *text)
{
    struct facts f = {0};
    facts_text(&f, "cpu_model", "CPU 1");
    facts_text(&f, "kernel", "6.1.0-13-amd64");
    facts_number(&f, "cores_usable", 2);
    facts_number(&f, "memory_mib", 4096);
    facts_text(&f, key, text);
    machine_of(m, &f);
    facts_fini(&f);
}

static int differs(const char *key, const char *text)
{
    struct machine a, b;
    machine_with(&a, "os", "Debian");
    machine_with(&b, key, text);
    int found = strcmp(a.key, b.key) != 0;
    machine_fini(&a);
    machine_fini(&b);
    return found;
}

static void test_machine_kinds(void **state)
{
    (void)state;
    struct machine m;
    machine_with(&m, "os", "Debian");
    assert_string_equal(machine_title(&m), "CPU 1, 2 cores, Linux 6.1");
    assert_int_equal(strlen(m.key), 16);
    machine_fini(&m);
    assert_false(differs("os", "Ubuntu"));
    assert_false(differs("memory_mib", "1"));
    assert_false(differs("kernel", "6.1.99-1-amd64"));
    assert_true(differs("kernel", "6.12.0"));
    assert_true(differs("kernel", NULL));
    assert_true(differs("cpu_model", "CPU 2"));
    assert_true(differs("cores_usable", "4"));
    assert_true(differs("governor", "powersave"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_and_back),
        cmocka_unit_test(test_what_is_kept_of_a_result),
        cmocka_unit_test(test_part_of_a_run_is_no_point),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_empty_file),
        cmocka_unit_test(test_torn_line),
        cmocka_unit_test(test_machine_kinds),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
