/* What people see of a gate: table, chart as text, and Markdown in which nothing is markup that a
   server or a commit said. */
#include "present/gate.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void add_duel(struct gate *g, const char *series, double worse, double low, double high)
{
    struct gate_check *c = gate_add(g, GATE_DUEL, worse > 1 ? GATE_FAIL : GATE_PASS,
                                    xstrdup(series), xstrdup("found in a duel"));
    c->worse = worse;
    c->low = low;
    c->high = high;
    c->allowed = 1;
}

static void sample(struct gate *g)
{
    *g = (struct gate){.verdict = GATE_VERDICT_FAIL,
                       .reason = xstrdup("all routes throughput: 2.9 % slower"),
                       .asked = {true, true, false},
                       .started = "2026-01-31T12:00:00Z",
                       .elapsed_s = 130,
                       .base = xstrdup("reactor@main (0123456789ab)"),
                       .head = xstrdup("reactor@HEAD (ba9876543210)")};
    facts_text(&g->environment, "cpu_model", "A CPU");
    facts_text(&g->environment, "kernel", "6.1");
    add_duel(g, "all routes CPU per request", 0.2, -0.4, 0.8);
    add_duel(g, "all routes throughput", 2.9, 2.1, 3.7);
    struct gate_check *c = gate_add(g, GATE_COUNTS, GATE_PASS, xstrdup("health instructions"),
                                    xstrdup("as in the base"));
    c->before = c->now = 850.02;
    c = gate_add(g, GATE_COUNTS, GATE_IMPROVED, xstrdup("health system calls"), xstrdup("less"));
    c->before = 4;
    c->now = 3;
    gate_add(g, GATE_COUNTS, GATE_NEW, xstrdup("json counts"), xstrdup("new here"));
}

static void test_chart(void **state)
{
    (void)state;
    struct gate g;
    sample(&g);
    char *chart = gate_chart(&g);
    const char *first = strstr(chart, "all routes throughput");
    const char *second = strstr(chart, "all routes CPU per request");
    assert_non_null(first);
    assert_true(first < second); /* the worst on top */
    assert_non_null(strstr(chart, "-2 %"));
    assert_non_null(strstr(chart, "4 %"));
    for (const char *line = chart; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 78);
    /* The interval of the slower one lies right of the margin, that of the other one around zero.
     */
    const char *margin = strchr(first, ':');
    assert_true(margin && margin < strchr(first, '['));
    const char *zero = strchr(second, '['), *end = strchr(second, ']');
    assert_true(zero && end && zero < end);
    free(chart);
    gate_fini(&g);
}

static void test_no_chart(void **state)
{
    (void)state;
    struct gate g = {0};
    gate_add(&g, GATE_COUNTS, GATE_PASS, xstrdup("health instructions"), xstrdup("as before"));
    char *chart = gate_chart(&g);
    assert_string_equal(chart, "");
    free(chart);
    gate_fini(&g);
}

/* All at one place: the scale has a width nevertheless. */
static void test_chart_of_nothing_changed(void **state)
{
    (void)state;
    struct gate g = {0};
    add_duel(&g, "health throughput", 0, 0, 0);
    g.checks[0].allowed = 0;
    char *chart = gate_chart(&g);
    assert_non_null(strstr(chart, "o"));
    assert_null(strstr(chart, "nan"));
    free(chart);
    gate_fini(&g);
}

static char *written(const struct gate *g)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    gate_write(to, g, 80, false);
    fclose(to);
    return text;
}

static void test_table(void **state)
{
    (void)state;
    struct gate g;
    sample(&g);
    char *text = written(&g);
    assert_non_null(strstr(text, "FAIL"));
    assert_non_null(strstr(text, "2.90 % worse (2.10 to 3.70)"));
    assert_non_null(strstr(text, "4 -> 3"));
    assert_non_null(strstr(text, "json counts: new here"));
    assert_non_null(strstr(text, "1 check passed")); /* that nothing changed is only counted */
    assert_null(strstr(text, "health instructions"));
    free(text);
    gate_fini(&g);
}

static void test_summary(void **state)
{
    (void)state;
    struct gate g;
    struct err e = {0};
    sample(&g);
    strings_add(&g.notes, "a note");
    char *text = gate_summary(&g);
    assert_int_equal(strncmp(text, "## Parity gate: FAIL\n\nall routes throughput", 43), 0);
    assert_non_null(strstr(text, "reactor&#64;HEAD (ba9876543210) against reactor&#64;main"));
    assert_non_null(strstr(text, "| **FAIL** | duel | all routes throughput | 2.90 % worse"));
    assert_non_null(strstr(text, "```text\nall routes throughput"));
    assert_non_null(strstr(text, "\n- a note\n"));
    assert_non_null(strstr(text, "<details><summary>1 check passed"));
    assert_non_null(strstr(text, "| pass | counts | health instructions | 850 |"));
    const char *out = getenv("GATE_OUT"); /* for the schema's test */
    if (out) {
        char *json = gate_to_json(&g);
        assert_int_equal(file_replace(out, json, strlen(json), &e), 0);
        free(json);
    }
    free(text);
    gate_fini(&g);
}

/* A commit's subject, a server's last words, a path: no table row, link, tag or mention. */
static void test_hostile_words(void **state)
{
    (void)state;
    struct gate g = {.verdict = GATE_VERDICT_FAIL, .reason = xstrdup("x\n# big | **bold**")};
    gate_add(&g, GATE_DUEL, GATE_FAIL, xstrdup("a|b"),
             xstrdup("<script>alert(1)</script> [l](http://x) @everyone #1 `c`\r\n| new | row |"));
    char *text = gate_summary(&g);
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "\n#  big"));
    assert_null(strstr(text, " [l]"));
    assert_null(strstr(text, "@everyone"));
    assert_null(strstr(text, " #1"));
    assert_null(strstr(text, " `c`"));
    assert_non_null(strstr(text, "a\\|b"));
    assert_non_null(strstr(text, "\\*\\*bold\\*\\*"));
    size_t rows = 0; /* heading, rule and one row */
    for (const char *p = text; (p = strstr(p, "\n|")); p++)
        rows++;
    assert_int_equal(rows, 3);
    free(text);
    gate_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chart),
        cmocka_unit_test(test_no_chart),
        cmocka_unit_test(test_chart_of_nothing_changed),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_hostile_words),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
