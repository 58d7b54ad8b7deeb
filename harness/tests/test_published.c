/* Published comparisons: the three that are shipped, bases and ratios of rows, refusals with file,
   line and key; and the runs that they are made into. */
#include "model/published_plan.h"

#include "base/err.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/scratch.h"

static void load_shipped(struct published *p, const char *name)
{
    struct err e = {0};
    if (published_resolve(p, name, &e) < 0)
        fail_msg("%s", e.text);
}

/* The n-th row (from 0) of a table. */
static size_t row_of(const struct published *p, const char *table, size_t n)
{
    for (size_t i = 0; i < p->rows_n; i++)
        if (strcmp(p->tables[p->rows[i].table].id, table) == 0 && n-- == 0)
            return i;
    fail_msg("%s has no such row", table);
    return 0;
}

/* Row n of a table: what measures it, and its base in the same or another table. */
static void expect(const struct published *p, const char *table, size_t n, const char *server,
                   const char *base_table, size_t base)
{
    size_t i = row_of(p, table, n);
    assert_string_equal(p->rows[i].cell.server, server);
    assert_int_equal(p->rows[i].base, row_of(p, base_table, base));
}

static void test_leantea(void **state)
{
    (void)state;
    struct published p;
    load_shipped(&p, "leantea");
    assert_int_equal(p.tables_n, 10);
    assert_int_equal(p.rows_n, 135);
    assert_int_equal(p.claims_n, 6);
    expect(&p, "round4-connections", 4, "reactor", "round4-connections", 1); /* nginx at 512 */
    expect(&p, "round4-routes", 2, "reactor", "round4-routes", 0);           /* its /health */
    expect(&p, "round3-c128", 0, "threads:8", "round3-c128", 1); /* a reference below it */
    expect(&p, "round3-workers", 0, "threads", "round3-workers", 0);
    expect(&p, "round3-workers", 4, "threads:16", "round3-workers", 0);
    expect(&p, "round2", 1, "uv", "round2", 0);
    expect(&p, "round1", 2, "uv-no-keepalive", "round1", 0);
    expect(&p, "std", 1, "leantea-std", "std", 5); /* nginx's /json */
    expect(&p, "linux-ci-one-loop", 0, "reactor", "linux-ci-one-loop", 3);
    expect(&p, "linux-ci-one-loop", 2, "reactor", "linux-ci-one-loop", 0); /* nginx has no echo */
    expect(&p, "linux-ci-n-loops", 6, "reactor:4", "linux-ci-n-loops", 9);
    expect(&p, "linux-ci-n-loops", 11, "uv", "linux-ci-n-loops", 20); /* of its own run */
    const struct published_row *r = &p.rows[row_of(&p, "linux-ci-n-loops", 9)];
    assert_string_equal(r->cell.server, "nginx:4");
    assert_int_equal(r->run, 4);
    assert_int_equal(p.rows[row_of(&p, "round2", 0)].requests, 50000);
    assert_true(p.tables[0].duration_s == 15 && p.tables[0].threads == 8);
    assert_true(isinf(p.claims[4].said_range.high));
    published_fini(&p);
    published_fini(&p);
}

static void test_lear_and_luajit(void **state)
{
    (void)state;
    struct published p;
    double ratio;
    load_shipped(&p, "lear");
    assert_int_equal(p.rows_n, 12);
    expect(&p, "readme", 5, "lear:4", "readme", 4);
    expect(&p, "readme", 7, "lear:4", "readme", 6);
    expect(&p, "later-readme", 0, "lear:4", "later-readme", 1);
    struct published_range r = published_ratio(&p, row_of(&p, "readme", 5), &ratio);
    assert_near(ratio, 809.56 / 2033.09, 1e-12);
    assert_near(r.low, 809.555 / 2033.095, 1e-12); /* each to half of its last digit */
    assert_near(r.high, 809.565 / 2033.085, 1e-12);
    r = published_ratio(&p, row_of(&p, "readme", 4), &ratio);
    assert_true(ratio == 1 && r.low == 1 && r.high == 1);
    published_fini(&p);
    load_shipped(&p, "luajit");
    assert_int_equal(p.rows_n, 3);
    expect(&p, "c1000", 1, "luajit", "c1000", 0);
    expect(&p, "c100-parser", 0, "luajit-parser", "c1000", 1);
    assert_int_equal(p.rows[0].cell.route, ROUTE_HEALTH);
    assert_false(p.rows[0].cell.keepalive);
    published_fini(&p);
}

#define ROW "{\"server\": \"s\", \"route\": \"health\", \"connections\": 1, \"requests_per_s\": 5"

/* A document with one row and one more key in it, its table, its generator or at its top. */
static char *document(const char *row, const char *table, const char *generator, const char *top)
{
    return xasprintf("{\"schema\": \"parity/published\", \"schema_version\": 1, \"id\": \"x\",\n"
                     "\"title\": \"t\", \"host\": \"h\", \"source\": \"s\",\n"
                     "\"tables\": [{\"id\": \"one\",\n"
                     "\"generator\": {\"name\": \"ab\", \"keepalive\": true%s},\n"
                     "\"rows\": [" ROW "%s}]%s}]%s}",
                     generator, row, table, top);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *row, *table, *generator, *top, *message;
    } cases[] = {
        {", \"requests\": 1, \"rps\": 1", "", "", "", ":5: tables[0].rows[0].rps: unknown key"},
        {"", "", "", "", ":5: tables[0].rows[0]: says neither how long nor how many requests"},
        {", \"requests\": 0", "", "", "", ":5: tables[0].rows[0].requests: is 0"},
        {", \"requests\": 1, \"workers\": 0", "", "", "", ":5: tables[0].rows[0].workers: is 0"},
        {"", "", ", \"duration_s\": -1", "", ":4: tables[0].generator.duration_s: is -1"},
        {"", "", ", \"requests\": 9, \"flags\": 1", "",
         ":4: tables[0].generator.flags: unknown key"},
        {"", ", \"reference\": 5", ", \"requests\": 9", "", ":5: tables[0].reference: is a number"},
        {"", ", \"table\": 5", ", \"requests\": 9", "", ":5: tables[0].table: unknown key"},
        {"", "", ", \"requests\": 9", ", \"claims\": [{\"id\": \"c\", \"kind\": \"guess\"}]",
         ":5: claims[0].kind: is \"guess\"; it must be ratio, ceiling or memory"},
        {"", "", ", \"requests\": 9", ", \"route_as\": {\"health\": \"page\"}",
         ":5: tables[0].rows[0].route: \"page\" is no route"},
        {"", "", ", \"requests\": 9", ", \"runs_as\": {\"s\": 1}", ":5: runs_as.s: is a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct published p;
        struct err e = {0};
        char *text = document(cases[i].row, cases[i].table, cases[i].generator, cases[i].top);
        char *path = scratch_text("published.json", text);
        assert_int_equal(published_load(&p, path, &e), -1);
        assert_err(&e, EXIT_USAGE, scratch_dir, cases[i].message);
        published_fini(&p);
        free(text);
        free(path);
    }
}

static void test_bad_tables(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[]", "{}", "{\"schema\": \"parity/suite\"}",
        "{\"schema\": \"parity/published\", \"schema_version\": 1, \"id\": \"x\", \"title\": "
        "\"t\", "
        "\"host\": \"h\", \"source\": \"s\", \"tables\": []}",
        "{\"schema\": \"parity/published\", \"schema_version\": 1, \"id\": \"x\", \"title\": "
        "\"t\", "
        "\"host\": \"h\", \"source\": \"s\", \"tables\": [{\"id\": \"a\", \"generator\": "
        "{\"name\": \"siege\", \"keepalive\": 1}, \"rows\": {}}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct published p;
        struct err e = {0};
        char *path = scratch_text("published.json", texts[i]);
        assert_int_equal(published_load(&p, path, &e), -1);
        assert_int_equal(e.code, EXIT_USAGE);
        published_fini(&p);
        free(path);
    }
    struct published p;
    struct err e = {0};
    assert_int_equal(published_resolve(&p, "leanteo", &e), -1);
    assert_non_null(strstr(e.text, "one of: leantea lear luajit"));
    published_fini(&p);
}

static const struct published_part *part_named(const struct published_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->parts_n; i++)
        if (strcmp(plan->parts[i].name, name) == 0)
            return &plan->parts[i];
    fail_msg("there is no part %s", name);
    return NULL;
}

/* Faithful: a run for each set of flags, which are the published ones. Quick: one a generator. */
static void test_parts(void **state)
{
    (void)state;
    struct published p;
    struct published_plan plan;
    load_shipped(&p, "leantea");
    published_plan_make(&plan, &p, false, 1);
    assert_int_equal(plan.parts_n, 4);
    assert_true(part_named(&plan, "wrk-15s")->duration_s == 15);
    assert_int_equal(part_named(&plan, "wrk-15s-many")->cells_n, 2); /* two servers at 2000 */
    assert_true(part_named(&plan, "wrk-10s")->duration_s == 10);
    assert_int_equal(part_named(&plan, "ab-50000")->requests, 50000);
    assert_non_null(strstr(plan.parts[0].adapted.item[0], "-t8: 1 thread here"));
    published_plan_fini(&plan);
    published_plan_make(&plan, &p, true, 8);
    assert_int_equal(plan.parts_n, 3);
    assert_int_equal(part_named(&plan, "ab")->requests, 0);
    assert_null(strstr(part_named(&plan, "wrk")->adapted.item[0], "-t8"));
    assert_non_null(strstr(part_named(&plan, "wrk")->adapted.item[0], "(quick)"));
    published_plan_fini(&plan);
    published_plan_fini(&plan);
    published_fini(&p);
    load_shipped(&p, "lear");
    published_plan_make(&plan, &p, false, 1);
    assert_int_equal(plan.parts_n, 3);
    assert_int_equal(part_named(&plan, "ab-10000-large")->cells_n, 4);
    assert_int_equal(part_named(&plan, "ab-1000000")->requests, 1000000);
    published_plan_fini(&plan);
    published_fini(&p);
    load_shipped(&p, "luajit"); /* the parser at 100 is held against a row at 1000: side by side */
    published_plan_make(&plan, &p, true, 1);
    assert_int_equal(plan.parts_n, 1);
    assert_int_equal(part_named(&plan, "ab-many")->cells_n, 3);
    published_plan_fini(&plan);
    published_fini(&p);
}

/* Every row of every comparison has its cell by both generators in the plan that is made of its
   part, not skipped; what nobody published is. */
static void test_every_row_is_planned(void **state)
{
    (void)state;
    struct published p;
    struct published_plan plan;
    load_shipped(&p, "lear");
    published_plan_make(&plan, &p, true, 1);
    for (size_t part = 0; part < plan.parts_n; part++) {
        struct suite suite;
        struct plan runs;
        struct err e = {0};
        struct strings servers = {0};
        strings_add(&servers, "nginx:4");
        strings_add(&servers, "reactor:4"); /* where lear isn't there, its cells are not either */
        published_plan_suite(&plan, part, &servers, 7, &suite);
        assert_int_equal(plan_make(&runs, &suite, &e), 0);
        published_plan_skip(&plan, part, &runs);
        size_t wanted = 0;
        for (size_t i = 0; i < runs.cells_n; i++)
            wanted += !runs.cells[i].skipped;
        assert_int_equal(wanted, plan.parts[part].cells_n); /* nginx's half, by two generators */
        for (size_t i = 0; i < p.rows_n; i++)
            if (plan.part_of_row[i] == part && strcmp(p.rows[i].server, "nginx") == 0) {
                size_t cell = published_plan_find(&runs, &p.rows[i].cell, "ab");
                assert_true(cell < runs.cells_n && !runs.cells[cell].skipped);
            }
        plan_fini(&runs);
        suite_fini(&suite);
        strings_fini(&servers);
    }
    published_plan_fini(&plan);
    published_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leantea),  cmocka_unit_test(test_lear_and_luajit),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_parts),    cmocka_unit_test(test_every_row_is_planned),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
