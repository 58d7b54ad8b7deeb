/* The words: the rule at its edges, where the tolerance comes from, and rows and claims judged on
   results made by hand; then what people see of them. */
#include "judge/reproduce.h"

#include "judge/cells.h"
#include "present/reproduce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/scratch.h"

static struct interval from_to(double low, double high)
{
    return (struct interval){sqrt(low * high), low, high, 0.97, 6};
}

static void test_the_rule(void **state)
{
    (void)state;
    const struct published_range window = {1 / 1.2, 1.2, true};
    static const struct {
        double low, high;
        enum published_word word;
    } cases[] = {{0.9, 1.1, WORD_HOLDS},        {1 / 1.2, 1.2, WORD_HOLDS},
                 {0.8333, 1.1, WORD_CANT_TELL}, {1.1, 1.2001, WORD_CANT_TELL},
                 {0.1, 10, WORD_CANT_TELL},     {1.21, 1.3, WORD_DIFFERS},
                 {0.5, 0.83, WORD_DIFFERS},     {1.2, 1.3, WORD_CANT_TELL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct interval v = from_to(cases[i].low, cases[i].high);
        assert_int_equal(reproduce_word(&v, &window), cases[i].word);
    }
    struct interval none = {1, NAN, NAN, 0, 3};
    assert_int_equal(reproduce_word(&none, &window), WORD_CANT_TELL);
    struct interval sure = from_to(1, 1);
    assert_int_equal(reproduce_word(&sure, &(struct published_range){0}), WORD_CANT_TELL);
    struct published_range open = {1, INFINITY, true};
    open = reproduce_window(&open);
    struct interval huge = from_to(90, 100), low = from_to(0.5, 0.8);
    assert_int_equal(reproduce_word(&huge, &open), WORD_HOLDS);
    assert_int_equal(reproduce_word(&low, &open), WORD_DIFFERS);
}

/* Each ratio to nginx that one host has more than once, all pairs of them: how far apart. */
static size_t collect_repeats(const struct published *p, double *logs, size_t most)
{
    size_t n = 0;
    double a, b;
    for (size_t i = 0; i < p->rows_n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct published_row *x = &p->rows[i], *y = &p->rows[k];
            const struct published_row *of_x = &p->rows[x->base], *of_y = &p->rows[y->base];
            const char *here = p->tables[x->table].host, *there = p->tables[y->table].host;
            if (!published_same_cell(&x->cell, &y->cell) || x == of_x || y == of_y ||
                strcmp(of_x->server, "nginx") != 0 ||
                !published_same_cell(&of_x->cell, &of_y->cell) ||
                strcmp(here ? here : "", there ? there : "") != 0)
                continue;
            published_ratio(p, i, &a);
            published_ratio(p, k, &b);
            assert_true(n < most);
            logs[n++] = fabs(log(a / b));
        }
    return n;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Three quarters of them agree within the tolerance, and it isn't wider than that asks for. */
static void test_where_the_tolerance_comes_from(void **state)
{
    (void)state;
    double logs[1000];
    size_t n = 0;
    static const char *const names[] = {"leantea", "lear"};
    for (int i = 0; i < 2; i++) {
        struct published p;
        struct err e = {0};
        assert_int_equal(published_resolve(&p, names[i], &e), 0);
        n += collect_repeats(&p, logs + n, 1000 - n);
        published_fini(&p);
    }
    qsort(logs, n, sizeof *logs, by_value);
    assert_int_equal(n, 177);
    size_t within = 0;
    while (within < n && logs[within] <= log(REPRODUCE_TOLERANCE))
        within++;
    assert_between((double)within / (double)n, 0.75, 0.76);
}

/* A document of three rows: nginx is the base, lighttpd at 1.1, reactor at 2 times it, and a claim.
 */
static const char tiny[] =
    "{\"schema\": \"parity/published\", \"schema_version\": 1, \"id\": \"tiny\",\n"
    "\"title\": \"A tiny <one>\", \"host\": \"nowhere\", \"source\": \"a test\",\n"
    "\"tables\": [{\"id\": \"one\", \"generator\": {\"name\": \"wrk\", \"threads\": 4, "
    "\"duration_s\": 2, \"keepalive\": true}, \"reference\": \"nginx\", \"rows\": [\n"
    "{\"server\": \"nginx\", \"route\": \"health\", \"connections\": 8, \"requests_per_s\": "
    "1000},\n"
    "{\"server\": \"lighttpd\", \"route\": \"health\", \"connections\": 8, \"requests_per_s\": "
    "1100},\n"
    "{\"server\": \"reactor\", \"route\": \"health\", \"connections\": 8, \"requests_per_s\": "
    "2000},\n"
    "{\"server\": \"nowhere\", \"route\": \"health\", \"connections\": 8, \"requests_per_s\": "
    "9}]}],\n"
    "\"claims\": [{\"id\": \"more\", \"kind\": \"ratio\", \"said\": \"twice\", \"said_ratio\": [2, "
    "2],\n"
    "\"data\": \"more\", \"data_ratio\": [1, null],\n"
    "\"of\": {\"server\": \"reactor\", \"route\": \"health\", \"connections\": 8, \"keepalive\": "
    "true},\n"
    "\"to\": {\"server\": \"nginx\", \"route\": \"health\", \"connections\": 8, \"keepalive\": "
    "true}},\n"
    "{\"id\": \"small\", \"kind\": \"memory\", \"server\": \"reactor\", \"route\": \"health\",\n"
    "\"said\": \"100 bytes\", \"said_bytes\": [0, 100], \"data\": \"20 KiB\", "
    "\"data_bytes\": [20000, 21000]},\n"
    "{\"id\": \"limit\", \"kind\": \"ceiling\", \"generator\": \"wrk\", \"said\": \"faster\", "
    "\"said_ratio\": [1, 1],\n\"data\": \"the client\",\n"
    "\"of\": {\"server\": \"reactor\", \"route\": \"health\", \"connections\": 8, \"keepalive\": "
    "true},\n"
    "\"to\": {\"server\": \"nginx\", \"route\": \"health\", \"connections\": 8, \"keepalive\": "
    "true}}]}";

struct scene {
    struct published document;
    struct published_plan plan;
    struct published_outcome outcome;
    struct result result;
};

static void open_scene(struct scene *s)
{
    struct suite suite;
    struct plan plan;
    struct err e = {0};
    struct strings servers = {0};
    char *path = scratch_text("tiny.json", tiny);
    if (published_load(&s->document, path, &e) < 0)
        fail_msg("%s", e.text);
    published_plan_make(&s->plan, &s->document, true, 1);
    published_outcome_init(&s->outcome, &s->plan);
    assert_int_equal(s->plan.parts_n, 1);
    strings_add(&servers, "nginx");
    strings_add(&servers, "lighttpd");
    strings_add(&servers, "reactor");
    facts_text(&s->outcome.missing, "nowhere", "there is no such server");
    published_plan_suite(&s->plan, 0, &servers, 7, &suite);
    assert_int_equal(plan_make(&plan, &suite, &e), 0);
    published_plan_skip(&s->plan, 0, &plan);
    result_init(&s->result, &plan);
    s->outcome.server_cpus = 1;
    strings_fini(&servers);
    free(path);
}

static void close_scene(struct scene *s)
{
    result_fini(&s->result);
    published_outcome_fini(&s->outcome);
    published_plan_fini(&s->plan);
    published_fini(&s->document);
}

static struct trial *add_trial(struct scene *s, const char *server, const char *generator,
                               unsigned block, double rate)
{
    struct published_cell cell = {(char *)server, ROUTE_HEALTH, 8, true};
    struct trial *t = xgrow(&s->result.trials, &s->result.trials_n, sizeof *t);
    trial_init(t);
    t->cell = published_plan_find(&s->result.plan, &cell, generator);
    assert_true(t->cell < s->result.plan.cells_n);
    t->block = block;
    t->verdict = VERDICT_VALID;
    t->tally.duration_s = 2;
    t->tally.requests = t->tally.ok = (int64_t)(rate * 2);
    t->usage.server_cpu_s = 1;
    return t;
}

/* Lighttpd at 1.15 of nginx: within 20 % of 1.1. The reactor at 1.2: not within 20 % of 2. */
static void add_blocks(struct scene *s)
{
    for (unsigned b = 0; b < 6; b++) {
        double machine = 10000 + 500.0 * b;
        add_trial(s, "nginx", "volley", b, machine);
        add_trial(s, "lighttpd", "volley", b, machine * 1.15);
        add_trial(s, "reactor", "volley", b, machine * 1.2);
    }
    add_trial(s, "nginx", "wrk", 0, 9000);
    add_trial(s, "lighttpd", "wrk", 0, 9100);
    add_trial(s, "reactor", "wrk", 0, 9200);
}

static void judge(struct scene *s)
{
    const struct conditions k = {.asked_s = 2, .workers = 1, .server_cpus = 1, .client_cpus = 1};
    const struct result *results[] = {&s->result};
    cells_judge(&s->result, &k);
    ratios_judge(&s->result);
    reproduce_judge(&s->outcome, results);
}

static void test_rows(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    add_blocks(&s);
    judge(&s);
    const struct published_finding *f = s.outcome.rows;
    assert_int_equal(f[0].word, WORD_REFERENCE);
    assert_near(f[0].requests_per_s, 9000, 1e-9);
    assert_int_equal(f[1].word, WORD_HOLDS);
    assert_near(f[1].throughput.estimate, 1.15, 1e-3);
    assert_near(f[1].ratio, 1.1, 1e-12);
    assert_near(f[1].window.high, 1100.5 / 999.5 * 1.2, 1e-9);
    assert_int_equal(f[2].word, WORD_DIFFERS);
    assert_string_equal(f[2].why, "");
    assert_int_equal(f[3].word, WORD_CANT_RUN);
    assert_string_equal(f[3].why, "there is no such server");
    assert_true(isnan(f[3].requests_per_s));
    close_scene(&s);
}

/* Without a valid cell there is no word, and the reason has the evidence; CPU time still speaks. */
static void test_rows_that_cannot_be_told(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    add_blocks(&s);
    for (size_t i = 0; i < s.result.trials_n; i++) {
        struct trial *t = &s.result.trials[i];
        if (s.result.plan.cells[t->cell].server != 1)
            continue;
        t->verdict = VERDICT_CLIENT_BOUND;
        snprintf(t->note, sizeof t->note, "99 %% busy");
    }
    judge(&s);
    const struct published_finding *f = &s.outcome.rows[1];
    assert_int_equal(f->word, WORD_CANT_TELL);
    assert_int_equal(f->verdict, VERDICT_CLIENT_BOUND);
    assert_non_null(strstr(f->why, "client_bound (99 % busy)"));
    assert_non_null(strstr(f->why, "by its CPU time per request"));
    assert_true(isnan(f->throughput.estimate) && isfinite(f->cpu.estimate));
    close_scene(&s);
    open_scene(&s); /* nothing ran at all */
    s.outcome.runs[0].failed = xstrdup("the machine is on fire");
    const struct result *none[] = {NULL};
    reproduce_judge(&s.outcome, none);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.outcome.rows[i].word, WORD_CANT_RUN);
        assert_string_equal(s.outcome.rows[i].why, "the machine is on fire");
    }
    close_scene(&s);
}

static void add_memory(struct scene *s, double idle, double used)
{
    struct published_memory *m = xgrow(&s->outcome.memory, &s->outcome.memory_n, sizeof *m);
    *m = (struct published_memory){.server = xstrdup("reactor"),
                                   .connections = 1000,
                                   .idle_bytes = idle,
                                   .used_bytes = used,
                                   .resolution_bytes = 4};
}

static void test_claims(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    add_blocks(&s);
    add_memory(&s, 80, 1000);
    judge(&s);
    const struct published_judgement *j = s.outcome.claims;
    assert_int_equal(j[0].said, WORD_DIFFERS); /* 1.2, not 2 */
    assert_int_equal(j[0].data, WORD_HOLDS);   /* 1 or more */
    assert_non_null(strstr(j[0].measured, "reactor health c=8 is 1.2"));
    assert_int_equal(j[1].said, WORD_HOLDS);
    assert_int_equal(j[1].data, WORD_DIFFERS);
    assert_non_null(strstr(j[1].measured, "reactor 80 bytes"));
    assert_int_equal(j[2].data, WORD_DIFFERS); /* both valid: the client was no limit */
    assert_int_equal(j[2].said, WORD_HOLDS);   /* 1.2 is within 20 % of 1 */
    assert_non_null(strstr(j[2].measured, "reactor 9200/s (valid"));
    close_scene(&s);
    open_scene(&s);
    judge(&s);
    for (int i = 0; i < 3; i++)
        assert_true(s.outcome.claims[i].said != WORD_HOLDS && s.outcome.claims[i].why[0]);
    close_scene(&s);
}

/* A claim about more CPUs than servers have here is measured and not decided. */
static void test_claim_needs_cpus(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    add_blocks(&s);
    s.document.claims[0].needs_cpus = 4;
    judge(&s);
    assert_int_equal(s.outcome.claims[0].said, WORD_CANT_TELL);
    assert_int_equal(s.outcome.claims[0].data, WORD_CANT_TELL);
    assert_non_null(strstr(s.outcome.claims[0].why, "servers have 1 CPU here"));
    assert_true(isfinite(s.outcome.claims[0].value.estimate));
    close_scene(&s);
}

static char *written(const struct published_outcome *o, bool page)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (page)
        reproduce_write_page(to, o, NULL, 0);
    else
        reproduce_write_table(to, o, 0, false);
    fclose(to);
    return text;
}

/* Every row, both ratios and the word; no figure without a verdict where it isn't valid. */
static void test_table_and_page(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    add_blocks(&s);
    s.result.trials[s.result.trials_n - 1].verdict = VERDICT_CLIENT_BOUND;
    judge(&s);
    char *table = written(&s.outcome, false), *page = written(&s.outcome, true);
    static const char *const in_table[] = {"one (wrk -t4 -d2s, keep-alive)",
                                           "9200 !client_bound",
                                           "1.10",
                                           "holds",
                                           "differs",
                                           "can't run here",
                                           "nowhere",
                                           "reference",
                                           "4 published rows"};
    for (size_t i = 0; i < sizeof in_table / sizeof *in_table; i++)
        if (!strstr(table, in_table[i]))
            fail_msg("the table lacks \"%s\":\n%s", in_table[i], table);
    static const char *const in_page[] = {"A tiny &lt;one&gt;", ">client_bound<",
                                          "can&#39;t run here", "wrk/report.html",
                                          "there is no such server"};
    for (size_t i = 0; i < sizeof in_page / sizeof *in_page; i++)
        if (!strstr(page, in_page[i]))
            fail_msg("the page lacks \"%s\"", in_page[i]);
    assert_null(strstr(page, "<one>"));
    assert_null(strstr(page, "<script"));
    free(table);
    free(page);
    close_scene(&s);
}

static void test_chart(void **state)
{
    (void)state;
    struct scene s;
    struct charts c;
    open_scene(&s);
    add_blocks(&s);
    judge(&s);
    reproduce_charts_make(&c, &s.outcome);
    assert_int_equal(c.n, 1);
    assert_string_equal(c.item[0].name, "reproduce-one");
    assert_non_null(strstr(c.item[0].data, "# holds: ratio, low, high, line\n1.1"));
    assert_non_null(strstr(c.item[0].data, "# differs: ratio, low, high, line\n1.2"));
    assert_non_null(strstr(c.item[0].script, "'reactor health c=8' 2"));
    assert_null(
        strstr(c.item[0].script, "can''t tell")); /* no such point: gnuplot would complain */
    charts_fini(&c);
    close_scene(&s);
}

static void test_json(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    add_blocks(&s);
    judge(&s);
    char *json = published_outcome_json(&s.outcome), *to = getenv("REPRODUCED_OUT");
    assert_non_null(strstr(json, "\"word\": \"holds\""));
    assert_null(strstr(json, ": nan"));
    if (to) {
        FILE *f = fopen(to, "w");
        assert_non_null(f);
        fputs(json, f);
        fclose(f);
    }
    free(json);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rule),
        cmocka_unit_test(test_where_the_tolerance_comes_from),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_that_cannot_be_told),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_claim_needs_cpus),
        cmocka_unit_test(test_table_and_page),
        cmocka_unit_test(test_chart),
        cmocka_unit_test(test_json),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
