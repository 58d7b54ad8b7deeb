/* The fairness manifest made from check lists: equal, different with whose reason, or broken. */
#include "check/contract.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    SERVERS = 3
};

struct table { /* three servers, the first one is the reference */
    struct result result;
    struct check_list lists[SERVERS];
};

static void table_init(struct table *t)
{
    *t = (struct table){0};
    t->result.plan.servers = xcalloc(SERVERS, sizeof *t->result.plan.servers);
    t->result.plan.servers_n = SERVERS;
    for (int k = 0; k < SERVERS; k++)
        for (int r = 0; r < ROUTE_COUNT; r++)
            t->result.plan.servers[k].routes[r] = true;
}

static void table_fini(struct table *t)
{
    for (int k = 0; k < SERVERS; k++)
        check_list_fini(&t->lists[k]);
    result_fini(&t->result);
}

static struct check_item *add(struct table *t, int server, const char *name, const char *value)
{
    struct check_list *l = &t->lists[server];
    struct check_item *i = xgrow(&l->item, &l->n, sizeof *i);
    *i = (struct check_item){.name = xstrdup(name), .ok = true, .route = -1};
    i->value = value ? xstrdup(value) : NULL;
    return i;
}

/* One row: the same item on all servers; a value "" leaves that server out (it was not up). */
static void add_row(struct table *t, const char *name, const char *a, const char *b, const char *c)
{
    const char *const values[SERVERS] = {a, b, c};
    for (int k = 0; k < SERVERS; k++)
        if (!values[k] || values[k][0])
            add(t, k, name, values[k]);
}

static void reason(struct table *t, int server, const char *item, const char *text)
{
    struct manifest *m = &t->result.plan.servers[server];
    struct manifest_note *n = xgrow(&m->differs, &m->differs_n, sizeof *n);
    n->item = xstrdup(item);
    n->reason = xstrdup(text);
}

static const struct fairness_item *row(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->result.fairness_n; i++)
        if (strcmp(t->result.fairness[i].name, name) == 0)
            return &t->result.fairness[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void assert_reasons(const struct fairness_item *f, const char *a, const char *b,
                           const char *c)
{
    const char *const wanted[SERVERS] = {a, b, c};
    for (int k = 0; k < SERVERS; k++) {
        if (wanted[k] && f->reason[k])
            assert_string_equal(f->reason[k], wanted[k]);
        else
            assert_ptr_equal(f->reason[k], wanted[k]);
    }
}

static void equal_rows_have_no_reason(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "workers", "2", "2", "2");
    add_row(&t, "echo body", NULL, NULL, NULL);
    reason(&t, 1, "workers", "unused");
    check_compare(&t.result, t.lists);
    check_compare(&t.result, t.lists); /* replaces, doesn't add */
    assert_int_equal(t.result.fairness_n, 2);
    assert_reasons(row(&t, "workers"), NULL, NULL, NULL);
    assert_string_equal(row(&t, "workers")->value[2], "2");
    assert_null(row(&t, "echo body")->value[0]);
    assert_false(row(&t, "workers")->broken);
    table_fini(&t);
}

static void differences_show_the_written_reason(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "accept queues", "2", "2", "1");
    add_row(&t, "small head bytes", "200", "180", "150");
    reason(&t, 2, "accept queues", "no SO_REUSEPORT");
    reason(&t, 0, "head bytes", "sends Server");
    reason(&t, 1, "small head bytes", "sends no Date");
    check_compare(&t.result, t.lists);
    assert_reasons(row(&t, "accept queues"), NULL, NULL, "no SO_REUSEPORT");
    assert_reasons(row(&t, "small head bytes"), "sends Server", "sends no Date",
                   "differs, no reason written");
    assert_false(row(&t, "small head bytes")->broken);
    table_fini(&t);
}

static void workers_must_match_or_be_explained(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "workers", "2", "2", "1");
    check_compare(&t.result, t.lists);
    assert_true(row(&t, "workers")->broken);
    assert_reasons(row(&t, "workers"), NULL, NULL, "differs, no reason written");
    reason(&t, 2, "workers", "it has one loop");
    check_compare(&t.result, t.lists);
    assert_false(row(&t, "workers")->broken);
    assert_reasons(row(&t, "workers"), NULL, NULL, "it has one loop");
    table_fini(&t);
}

static void broken_contracts_break_the_row(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "json status", "200", "200", "404");
    struct check_item *i = &t.lists[2].item[0];
    i->contract = true;
    i->ok = false;
    i->problem = xstrdup("GET /json: 404, expected 200");
    reason(&t, 2, "json body", "of another item");
    check_compare(&t.result, t.lists);
    assert_true(row(&t, "json status")->broken);
    assert_reasons(row(&t, "json status"), NULL, NULL, "GET /json: 404, expected 200");
    table_fini(&t);
}

static void known_differences_break_no_row_but_block(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "health again", "same", "no answer", "no answer");
    for (int k = 1; k < SERVERS; k++) {
        struct check_item *i = &t.lists[k].item[0];
        *i = (struct check_item){.name = i->name,
                                 .value = i->value,
                                 .contract = true,
                                 .route = ROUTE_HEALTH,
                                 .scope = CHECK_KEEPALIVE,
                                 .problem = xstrdup("no second answer")};
    }
    reason(&t, 1, "again", "closes after each answer");
    check_compare(&t.result, t.lists);
    assert_true(row(&t, "health again")->broken); /* one has no reason */
    assert_reasons(row(&t, "health again"), NULL, "known: closes after each answer",
                   "no second answer");
    reason(&t, 2, "health again", "so does this");
    check_compare(&t.result, t.lists);
    assert_false(row(&t, "health again")->broken);
    assert_reasons(row(&t, "health again"), NULL, "known: closes after each answer",
                   "known: so does this");
    assert_non_null(check_blocks(&t.lists[1], ROUTE_HEALTH, true));
    assert_null(check_blocks(&t.lists[1], ROUTE_HEALTH, false));
    table_fini(&t);
}

static void absent_routes_say_why(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "echo status", "200", "not offered", "200");
    add_row(&t, "echo body", "5 bytes as asked", NULL, "5 bytes as asked");
    t.result.plan.servers[1].routes[ROUTE_ECHO] = false;
    t.result.plan.servers[1].lacks[ROUTE_ECHO] = xstrdup("serves files only");
    check_compare(&t.result, t.lists);
    assert_reasons(row(&t, "echo status"), NULL, "serves files only", NULL);
    assert_reasons(row(&t, "echo body"), NULL, NULL, NULL);
    assert_false(row(&t, "echo status")->broken);
    table_fini(&t);
}

static void servers_that_were_not_up_are_left_out(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "workers", "", "2", "2");
    add_row(&t, "backlog", "", "4096", "511");
    check_compare(&t.result, t.lists);
    assert_int_equal(t.result.fairness_n, 2);
    assert_null(row(&t, "workers")->value[0]);
    assert_reasons(row(&t, "workers"), NULL, NULL, NULL);
    assert_reasons(row(&t, "backlog"), NULL, NULL, "differs, no reason written");
    table_fini(&t);
    table_init(&t);
    check_compare(&t.result, t.lists);
    assert_int_equal(t.result.fairness_n, 0);
    table_fini(&t);
}

static void what_was_not_seen_is_no_mismatch(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "workers", "unknown", "2", "2");
    add_row(&t, "backlog", "unknown", "2", "3");
    add_row(&t, "Expect: 100-continue", "100, 200", NULL, "100, 200");
    check_compare(&t.result, t.lists);
    assert_false(row(&t, "workers")->broken);
    assert_reasons(row(&t, "workers"), "could not be seen", NULL, NULL);
    assert_reasons(row(&t, "backlog"), "could not be seen", NULL, "differs, no reason written");
    assert_reasons(row(&t, "Expect: 100-continue"), NULL, NULL, NULL);
    table_fini(&t);
}

static void chance_is_no_difference(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "accepted by worker", "9 + 7 of 16", "8 + 8 of 16", "unknown");
    for (int k = 0; k < SERVERS; k++)
        t.lists[k].item[0].varies = true;
    check_compare(&t.result, t.lists);
    assert_reasons(row(&t, "accepted by worker"), NULL, NULL, NULL);
    assert_string_equal(row(&t, "accepted by worker")->value[0], "9 + 7 of 16");
    table_fini(&t);
}

static void warnings_are_told_but_break_nothing(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    add_row(&t, "files that grow", "none", "access.log", "none");
    t.lists[1].item[0].problem = xstrdup("access.log grew");
    check_compare(&t.result, t.lists);
    assert_reasons(row(&t, "files that grow"), NULL, "access.log grew", NULL);
    assert_false(row(&t, "files that grow")->broken);
    reason(&t, 1, "files that grow", "keeps a log by law");
    check_compare(&t.result, t.lists);
    assert_reasons(row(&t, "files that grow"), NULL, "known: keeps a log by law", NULL);
    table_fini(&t);
}

static void a_block_is_by_route_and_kind_of_connection(void **state)
{
    struct table t;
    (void)state;
    table_init(&t);
    struct check_item *i = add(&t, 0, "json status", "404");
    i->contract = true;
    i->ok = false;
    i->route = ROUTE_JSON;
    assert_ptr_equal(check_blocks(&t.lists[0], ROUTE_JSON, true), i);
    assert_ptr_equal(check_blocks(&t.lists[0], ROUTE_JSON, false), i);
    assert_null(check_blocks(&t.lists[0], ROUTE_HEALTH, true));
    i->route = -1;
    i->scope = CHECK_CLOSE;
    assert_null(check_blocks(&t.lists[0], ROUTE_HEALTH, true));
    assert_ptr_equal(check_blocks(&t.lists[0], ROUTE_HEALTH, false), i);
    i->contract = false;
    assert_null(check_blocks(&t.lists[0], ROUTE_HEALTH, false));
    table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_have_no_reason),
        cmocka_unit_test(differences_show_the_written_reason),
        cmocka_unit_test(workers_must_match_or_be_explained),
        cmocka_unit_test(broken_contracts_break_the_row),
        cmocka_unit_test(known_differences_break_no_row_but_block),
        cmocka_unit_test(absent_routes_say_why),
        cmocka_unit_test(servers_that_were_not_up_are_left_out),
        cmocka_unit_test(what_was_not_seen_is_no_mismatch),
        cmocka_unit_test(chance_is_no_difference),
        cmocka_unit_test(warnings_are_told_but_break_nothing),
        cmocka_unit_test(a_block_is_by_route_and_kind_of_connection),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
