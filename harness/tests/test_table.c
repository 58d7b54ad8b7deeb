/* Tests of present/table: the essential lines, the width, and words that claim no more than is
   known. */
#include "present/table.h"
#include "base/alloc.h"
#include "judge/cells.h"
#include "tests/sample_result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/small_result.h"

static char *written(void (*write)(FILE *, const struct result *, unsigned, bool),
                     const struct result *r, unsigned width, bool color)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    write(to, r, width, color);
    fclose(to);
    return text;
}

static char *sample(unsigned blocks, unsigned width)
{
    struct result r;
    sample_result_make(&r, blocks);
    char *text = written(table_result, &r, width, false);
    result_fini(&r);
    return text;
}

static void assert_has(const char *text, const char *what)
{
    if (!strstr(text, what))
        fail_msg("no \"%s\" in:\n%s", what, text);
}

static void assert_hasnt(const char *text, const char *what)
{
    if (strstr(text, what))
        fail_msg("\"%s\" in:\n%s", what, text);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        longest = n > longest ? n : longest;
        text += n + (text[n] == '\n');
    }
    return longest;
}

static void test_essential_lines(void **state)
{
    (void)state;
    char *text = sample(8, 80);
    assert_has(text,
               "sample: nginx (reference), reactor, lighttpd; 8 blocks of 5 s, 1 worker, seed");
    assert_has(text, "\nhealth by wrk, keep-alive  (ratios to nginx)\n");
    assert_has(text, "\nhealth by wrk, a connection per request  (ratios to nginx)\n");
    assert_has(text, "conn server   req/s ratio interval");
    assert_has(text, "  16 nginx    59.2k   ref              10.9us   ref  243us  686us valid 7/8");
    assert_has(text, "     reactor  64.9k  1.10 1.09-1.11    8.31us 0.761");
    assert_has(text, "     reactor  65.4k     -              8.59us 0.764"); /* client_bound */
    assert_has(text, "errors\n");
    assert_has(text, ">533ms"); /* censored */
    assert_has(text, "Latencies by wrk are corrected by wrk for coordinated omission");
    free(text);
}

/* A percentile of 0 is only less than what the tool can tell. */
static void test_below_resolution(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 3);
    r.cells[0].latency[LATENCY_P50] = 0;
    r.cells[0].latency_resolution = 1000;
    char *text = written(table_result, &r, 0, false);
    assert_has(text, "  <1.00ms  ");
    free(text);
    result_fini(&r);
}

static void test_exclusions_are_grouped(void **state)
{
    (void)state;
    char *text = sample(8, 0);
    assert_has(text, "\nNot valid: 12 of 72 cells\n");
    assert_has(text, "client_bound (2): the generator was the limit, not the server; requests/s is "
                     "left out of ratios, CPU per request stays comparable\n");
    assert_has(text, "nginx health by wrk at 256; reactor health by wrk at 256\n");
    assert_has(text, "skipped (4): ");
    assert_has(text, "reactor small by ab at 16, 64, 256, 1024\n");
    assert_has(text, "the reactor offers no files to HTTP/1.0 clients here\n");
    assert_has(text, "such as lighttpd at 1024: 652 timeouts in 31 000 answers\n");
    free(text);
}

static void test_words(void **state)
{
    (void)state;
    char *text = sample(8, 0);
    assert_has(text, "health wrk c=16 keep-alive: reactor 9.7 % more requests/s (8.7 to 10.8 %), "
                     "24 % less CPU per request (23.5 to 24.5 %); lighttpd requests/s equal within "
                     "5 % (ratio 0.99 to 1.01), 14 % more CPU per request");
    assert_has(text, "reactor no ratio of requests/s (reactor: client_bound), 24 % less CPU");
    assert_has(text, "holds with at least 96 % each");
    assert_hasnt(text, "significant");
    free(text);
}

/* An interval with 1 in it is never called a difference, nor "no difference" without its size. */
static void test_open_interval(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    for (size_t i = 0; i < r.ratios_n; i++)
        r.ratios[i].value = (struct interval){1.02, 0.93, 1.12, 0.96, 8};
    char *text = written(table_result, &r, 0, false);
    assert_has(text, "no difference seen in requests/s (ratio 0.93 to 1.12; would have seen 18 %)");
    assert_hasnt(text, "more requests/s");
    assert_hasnt(text, "fewer requests/s");
    for (const char *s = text; (s = strstr(s, "no difference")); s++)
        assert_memory_equal(s, "no difference seen", 18);
    free(text);
    result_fini(&r);
}

static void test_too_few_blocks(void **state)
{
    (void)state;
    char *text = sample(3, 80);
    assert_has(text, "n=3");
    assert_has(text, "Too few blocks for an interval (n=3, 6 are needed: --blocks 6)");
    assert_has(text, "reactor against nginx: 1.07 to 1.11 times the requests/s (18 comparisons)");
    assert_hasnt(text, "more requests/s");
    assert_hasnt(text, "less CPU");
    free(text);
}

/* Servers a (reference) and b in as many comparisons, measured in one block. */
static char *one_block(size_t comparisons, const double *ratios)
{
    static const struct conditions k = {
        .asked_s = 2, .workers = 1, .server_cpus = 1, .client_cpus = 1, .process_figures = true};
    struct result r;
    small_result(&r, 2, comparisons, 1);
    r.state = RUN_COMPLETE;
    for (size_t i = 0; i < comparisons; i++) {
        small_trial(&r, 2 * i, 0, 10000, 8000);
        small_trial(&r, 2 * i + 1, 0, 10000 * ratios[i], 8000 / ratios[i]);
    }
    cells_judge(&r, &k);
    ratios_judge(&r);
    char *text = written(table_result, &r, 0, false);
    result_fini(&r);
    return text;
}

/* What there is one of isn't counted as if it were many. */
static void test_singular(void **state)
{
    (void)state;
    char *text = one_block(1, (const double[]){0.53});
    assert_has(text, "; 1 block of 2 s, 1 worker, seed 7");
    assert_has(text, "b against a: 0.53 times the requests/s, 1.89 times the CPU per request.\n");
    assert_has(text, "\nAll 2 cells are valid.\n");
    free(text);
    text = one_block(2, (const double[]){0.53, 0.6});
    assert_has(text, "b against a: 0.53 to 0.60 times the requests/s (2 comparisons), 1.67 to 1.89 "
                     "times the CPU per request (2 comparisons).\n");
    free(text);
    text = one_block(3, (const double[]){0.5301, 0.5302, 0.53});
    assert_has(text, "b against a: 0.53 times the requests/s (3 comparisons), 1.89 times");
    free(text);
    struct result r;
    sample_result_make_alone(&r);
    text = written(table_result, &r, 0, false);
    assert_has(text, "\nThe only cell is valid.\n");
    free(text);
    r.cells[0].verdict = VERDICT_ERRORS;
    text = written(table_result, &r, 0, false);
    assert_has(text, "\nNot valid: 1 of 1 cell\n");
    free(text);
    result_fini(&r);
}

static void test_nothing_valid(void **state)
{
    struct result r;
    (void)state;
    sample_result_make_invalid(&r);
    char *text = written(table_result, &r, 80, false);
    assert_has(text, "interrupted: this is a part of the plan");
    assert_has(text, "Not valid: 3 of 3 cells");
    assert_has(text, "boot_failed (3): the server did not come up");
    assert_has(text, "port 8080 is in use by python3 (pid 77)");
    assert_has(text, "Nothing can be compared");
    free(text);
    result_fini(&r);
}

static void test_width(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    for (unsigned width = 60; width <= 140; width += 4) {
        char *text = written(table_result, &r, width, false);
        if (longest_line(text) > width)
            fail_msg("a line has %zu columns of %u", longest_line(text), width);
        free(text);
    }
    char *wide = written(table_result, &r, 110, false),
         *narrow = written(table_result, &r, 80, false);
    assert_has(wide, "0.755-0.764"); /* the CPU interval comes with room */
    assert_hasnt(narrow, "0.755-0.764");
    free(wide);
    free(narrow);
    result_fini(&r);
}

static void test_color_is_asked_for(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    char *plain = written(table_result, &r, 80, false),
         *color = written(table_result, &r, 80, true);
    assert_hasnt(plain, "\033");
    assert_has(color, "\033[32m1.10\033[0m");
    assert_has(color, "\033[33mclient_bound\033[0m");
    free(plain);
    free(color);
    result_fini(&r);
}

/* What a server says of itself must not steer the terminal. */
static void test_control_characters(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    free(r.plan.servers[1].name);
    r.plan.servers[1].name = xstrdup("re\033[2Jactor\r\x7f\xc2\x9b");
    strings_add(&r.warnings, "bad\033]0;title\a");
    char *text = written(table_result, &r, 80, false);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        assert_true((*s >= 0x20 || *s == '\n') && *s != 0x7f && !(s[0] == 0xc2 && s[1] == 0x9b));
    free(text);
    result_fini(&r);
}

static void test_fairness(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 3);
    char *text = written(table_fairness, &r, 80, false);
    assert_has(text, "item             nginx          reactor  lighttpd\n");
    assert_has(text, "workers          1              =        =\n");
    assert_has(text, "head bytes       172            158      149                         [1]\n");
    assert_has(text, "backlog          1024           =        -\n");
    assert_has(text, "closed after 1000 <script>  BROKEN\n");
    assert_has(text, "[1] head bytes, lighttpd: lighttpd's Server field is shorter");
    assert_has(text, "5 items: 3 equal, 1 different with a written reason, 1 broken\n");
    free(text);
    for (unsigned width = 40; width <= 80; width += 5) {
        text = written(table_fairness, &r, width, false);
        assert_true(longest_line(text) <= (width < 66 ? 66 : width)); /* the summary line */
        assert_has(text, "BROKEN keep-alive held, lighttpd: ");
        free(text);
    }
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_essential_lines),
        cmocka_unit_test(test_below_resolution),
        cmocka_unit_test(test_exclusions_are_grouped),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_open_interval),
        cmocka_unit_test(test_too_few_blocks),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_nothing_valid),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_color_is_asked_for),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_fairness),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
