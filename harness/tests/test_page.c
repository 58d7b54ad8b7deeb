/* Tests of present/page. With PAGE_OUT=FOLDER it also writes FOLDER/sample.html, few.html,
   invalid.html and alone.html with charts by gnuplot, which pages.t opens in a browser. */
#include "present/page.h"
#include "base/alloc.h"
#include "base/file.h"
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

static char *written(const struct result *r, const struct page_chart *charts, size_t n)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    page_write(to, r, charts, n);
    fclose(to);
    return text;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void assert_has(const char *text, const char *what)
{
    if (!strstr(text, what))
        fail_msg("no \"%s\" in the page", what);
}

static void assert_hasnt(const char *text, const char *what)
{
    if (strstr(text, what))
        fail_msg("\"%s\" in the page", what);
}

static void assert_closed(const char *text)
{
    static const char *const elements[] = {"table", "tbody", "tr",   "figure", "div", "section",
                                           "ul",    "dl",    "span", "svg",    "p",   "main"};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char open[2][24], close[24];
        snprintf(open[0], sizeof open[0], "<%s>", elements[i]);
        snprintf(open[1], sizeof open[1], "<%s ", elements[i]);
        snprintf(close, sizeof close, "</%s>", elements[i]);
        if (count(text, open[0]) + count(text, open[1]) != count(text, close))
            fail_msg("<%s> is opened %zu times and closed %zu times", elements[i],
                     count(text, open[0]) + count(text, open[1]), count(text, close));
    }
}

static void test_first_screen(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    char *text = written(&r, NULL, 0);
    assert_has(text, "<h1>reactor and lighttpd against nginx</h1>");
    assert_has(text, "1.08 &ndash; 1.11&times;</p><p>the requests/s of nginx "
                     "<span class=\"soft nowrap\">(intervals 1.05 to 1.13)");
    assert_has(text, "<span>more requests/s</span><span>18 of 24</span>");
    assert_has(text, "<span>not comparable</span><span>6 of 24</span>");
    assert_has(text, "60 of 72");
    assert_has(text, "<span>client_bound</span><span>2</span>");
    assert_has(text, "interval of at least 96 %");
    assert_has(text, "A contract is broken");
    free(text);
    result_fini(&r);
}

static void test_sections(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    char *text = written(&r, NULL, 0);
    assert_int_equal(count(text, "<figure class=\"plot\">"), 6);
    assert_int_equal(count(text, "<th scope=\"rowgroup\""), 24);
    assert_int_equal(count(text, "<caption>"), 6 + 4);
    assert_has(text, "20260131");
    assert_has(text, "5e884898da28047151d0e56f8dc62927");
    assert_has(text, "Example CPU @ 2.00GHz");
    assert_has(text, "href=\"result.json\"");
    assert_has(text, "href=\"conf/nginx/nginx.conf\"");
    assert_has(text, "652 timeouts in 31 000 answers");
    assert_has(text, "There are no charts");
    assert_closed(text);
    free(text);
    result_fini(&r);
}

static void test_everything_is_escaped(void **state)
{
    struct result r;
    struct page_chart chart = {"throughput-health-wrk", "<b>\"t'", "", NULL};
    (void)state;
    sample_result_make(&r, 8);
    free(r.plan.servers[1].name);
    r.plan.servers[1].name = xstrdup("<script>alert('1')</script>\"");
    char *text = written(&r, &chart, 1);
    assert_hasnt(text, "<script");
    assert_has(text, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;");
    assert_has(text, "lighttpd/1.4.69 (ssl) &lt;b&gt;&amp;&quot;&#39;");
    assert_has(text, "closed after 1000 &lt;script&gt;");
    assert_has(text, "keep_alive^2 &amp; &lt;routes&gt;");
    assert_has(text, "&lt;b&gt;&quot;t&#39;");
    assert_closed(text);
    free(text);
    result_fini(&r);
}

static void test_nothing_is_loaded(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    char *text = written(&r, NULL, 0);
    assert_hasnt(text, "http:");
    assert_hasnt(text, "https:");
    assert_hasnt(text, "@import");
    assert_hasnt(text, "<link");
    assert_has(text, "default-src 'none'");
    free(text);
    result_fini(&r);
}

/* A chart's text is data in an attribute, whatever it contains. */
static void test_charts(void **state)
{
    struct page_chart charts[] = {
        {"p50-health-wrk-close", "Closed", "", "<svg xmlns='x'><script>\"#%</script></svg>"},
        {"throughput-health-wrk", "Kept alive", "", "<svg/>"},
        {"something-else", "Else", "no valid point: errors", NULL},
    };
    struct result r;
    (void)state;
    sample_result_make(&r, 8);
    char *text = written(&r, charts, 3);
    assert_hasnt(text, "<script");
    assert_has(text,
               "<h3>health by wrk, a connection per request</h3><div class=\"charts\"><figure "
               "class=\"chart\"><img src=\"data:image/svg+xml;charset=utf-8,%3Csvg xmlns='x'"
               "%3E%3Cscript%3E%22%23%25%3C/script%3E%3C/svg%3E\" alt=\"Closed\">");
    assert_int_equal(count(text, "<img "), 2);
    assert_has(text, "<h3>Others</h3>");
    assert_has(text, "<strong>Else</strong><br>No chart: no valid point: errors");
    free(text);
    result_fini(&r);
}

static void test_few_blocks_rank_nothing(void **state)
{
    struct result r;
    (void)state;
    sample_result_make(&r, 3);
    char *text = written(&r, NULL, 0);
    assert_has(text, "No interval can be given (3 blocks; 6 are needed), so nothing is ranked");
    assert_has(text, "<span>too few blocks to tell</span><span>18 of 24</span>");
    assert_hasnt(text, "<span>more requests/s</span>");
    assert_has(text, "class=\"block\""); /* single blocks are drawn instead */
    assert_hasnt(text, "class=\"span\"");
    free(text);
    result_fini(&r);
}

static void test_nothing_valid(void **state)
{
    struct result r;
    (void)state;
    sample_result_make_invalid(&r);
    char *text = written(&r, NULL, 0);
    assert_has(text, "The run is interrupted");
    assert_has(text, "0 of 3");
    assert_has(text, "Nothing can be compared");
    assert_has(text, "port 8080 is in use by python3 (pid 77)");
    assert_hasnt(text, ">nan");
    assert_hasnt(text, "inf ");
    assert_closed(text);
    free(text);
    result_fini(&r);
}

static void test_one_server_alone(void **state)
{
    struct result r;
    (void)state;
    sample_result_make_alone(&r);
    char *text = written(&r, NULL, 0);
    assert_has(text, "<h1>nginx</h1>");
    assert_has(text, "One server alone: there is nothing to compare it with.");
    assert_has(text, "1 of 1</p><p class=\"soft\">cell</p>");
    assert_has(text, "1 of 1 block</span>");
    assert_has(text, "<dd>1 cell, 1 block, 5 s measured after 1 s of warm-up, 1 worker a server, 1 "
                     "trial kept</dd>");
    assert_closed(text);
    free(text);
    result_fini(&r);
}

/* As command/report does it: every chart drawn, its text handed to the page. */
static void write_sample(const char *folder, const char *name, const struct result *r)
{
    struct charts c;
    size_t n;
    const struct chart_terminal *svg = chart_terminals(&n);
    charts_make(&c, r);
    struct page_chart *charts = xcalloc(c.n, sizeof *charts);
    struct drawing *drawings = xcalloc(c.n, sizeof *drawings);
    char *tmp = sample_folder_make();
    for (size_t i = 0; i < c.n; i++) {
        char *settings = chart_settings(&c.item[i], svg);
        if (c.item[i].script)
            drawing_make(&drawings[i], tmp, &c.item[i], settings, "svg");
        charts[i] = (struct page_chart){c.item[i].name, c.item[i].title, c.item[i].note,
                                        drawings[i].picture};
        free(settings);
    }
    char *text = written(r, charts, c.n), *path = xasprintf("%s/%s.html", folder, name);
    assert_int_equal(file_replace(path, text, strlen(text), NULL), 0);
    for (size_t i = 0; i < c.n; i++)
        drawing_fini(&drawings[i]);
    sample_folder_remove(tmp);
    charts_fini(&c);
    free(path);
    free(text);
    free(charts);
    free(drawings);
}

static void test_write_samples(void **state)
{
    const char *folder = getenv("PAGE_OUT");
    struct result r;
    (void)state;
    if (!folder)
        return;
    sample_result_make(&r, 8);
    write_sample(folder, "sample", &r);
    result_fini(&r);
    sample_result_make(&r, 3);
    write_sample(folder, "few", &r);
    result_fini(&r);
    sample_result_make_invalid(&r);
    write_sample(folder, "invalid", &r);
    result_fini(&r);
    sample_result_make_alone(&r);
    write_sample(folder, "alone", &r);
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_screen),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_everything_is_escaped),
        cmocka_unit_test(test_nothing_is_loaded),
        cmocka_unit_test(test_charts),
        cmocka_unit_test(test_few_blocks_rank_nothing),
        cmocka_unit_test(test_nothing_valid),
        cmocka_unit_test(test_one_server_alone),
        cmocka_unit_test(test_write_samples),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
