/* Plans: which cells there are, and that the order is random, fair and repeatable. */
#include "model/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/scratch.h"

static int add_server(const char *name, const char *more)
{
    char *below = xasprintf("home/servers/%s", name), *dir = scratch_path(below);
    char *file = xasprintf("%s/server.json", below);
    char *text = xasprintf("{\"name\": \"%s\", \"start\": [\"x\"], %s}", name, more);
    int rc = file_make_dir(dir, NULL);
    free(scratch_text(file, text));
    free(below);
    free(dir);
    free(file);
    free(text);
    return rc;
}

static int setup(void **state)
{
    if (scratch_setup(state) < 0)
        return -1;
    char *home = scratch_path("home");
    setenv("PARITY_HOME", home, 1);
    free(home);
    free(
        scratch_text("copy.json", "{\"name\": \"b\", \"start\": [\"x\"], \"routes\": [\"json\"]}"));
    return add_server("a", "\"routes\": [\"health\", \"json\", \"echo\"]") +
           add_server("b", "\"routes\": [\"health\", \"json\", \"echo\"]") +
           add_server("c", "\"routes\": [\"health\", \"json\", \"echo\"]") +
           add_server("nopost", "\"routes\": [\"health\"], \"lacks\": {\"echo\": \"no bodies\"}");
}

/* A suite of these servers (up to a NULL) with two routes, tools, levels and modes. */
static struct suite make_suite(const char *const *servers, const char *reference)
{
    struct suite s = {.name = xstrdup("test"),
                      .title = xstrdup("test"),
                      .path = xstrdup("test.json"),
                      .reference = xstrdup(reference),
                      .routes = {ROUTE_JSON, ROUTE_ECHO},
                      .routes_n = 2,
                      .connections = {8, 64},
                      .connections_n = 2,
                      .keepalive = true,
                      .close = true,
                      .workers = 1,
                      .blocks = 5,
                      .duration_s = 2,
                      .warmup_s = 0.5,
                      .seed = 7};
    for (; *servers; servers++)
        strings_add(&s.servers, *servers);
    strings_add(&s.generators, "wrk");
    strings_add(&s.generators, "ab");
    return s;
}

static const char *const abc[] = {"a", "b", "c", NULL};

static void make_plan(struct plan *p, const char *const *servers, const char *reference)
{
    struct err e = {0};
    struct suite s = make_suite(servers, reference);
    assert_int_equal(plan_make(p, &s, &e), 0);
    assert_string_equal(e.text, "");
    assert_null(s.name); /* taken over */
    assert_int_equal(s.servers.n, 0);
}

static void test_cells(void **state)
{
    (void)state;
    struct plan p;
    make_plan(&p, abc, "b");
    assert_int_equal(p.servers_n, 3);
    assert_int_equal(p.reference, 1);
    assert_int_equal(p.comparisons_n, 2 * 2 * 2 * 2);
    assert_int_equal(p.cells_n, 3 * p.comparisons_n);
    for (size_t k = 0; k < p.comparisons_n; k++) {
        const struct comparison *c = &p.comparisons[k];
        const struct cell *first = &p.cells[c->first];
        assert_int_equal(c->n, 3);
        assert_int_equal(c->first, 3 * k);
        for (size_t i = 0; i < 3; i++) {
            const struct cell *cell = first + i;
            assert_int_equal(cell->server, i);
            assert_int_equal(cell->comparison, k);
            assert_int_equal(cell->route, first->route);
            assert_int_equal(cell->generator, first->generator);
            assert_int_equal(cell->connections, first->connections);
            assert_int_equal(cell->keepalive, first->keepalive);
            assert_null(cell->skipped);
        }
        for (size_t j = 0; j < k; j++) { /* each combination once */
            const struct cell *other = &p.cells[p.comparisons[j].first];
            assert_false(other->route == first->route && other->generator == first->generator &&
                         other->connections == first->connections &&
                         other->keepalive == first->keepalive);
        }
    }
    plan_fini(&p);
    plan_fini(&p);
}

static void test_reference_joins(void **state)
{
    (void)state;
    static const char *const ab[] = {"a", "b", NULL};
    struct plan p;
    make_plan(&p, ab, "c");
    assert_int_equal(p.servers_n, 3);
    assert_int_equal(p.reference, 2);
    assert_string_equal(p.servers[2].name, "c");
    assert_int_equal(p.comparisons[0].n, 3);
    plan_fini(&p);
    /* The only server may be the reference itself. */
    static const char *const only[] = {"a", NULL};
    make_plan(&p, only, "a");
    assert_int_equal(p.servers_n, 1);
    assert_int_equal(p.reference, 0);
    plan_fini(&p);
}

/* By its path in the list, the reference is the same server as by its name. */
static void test_reference_by_path_and_url(void **state)
{
    (void)state;
    char *path = scratch_path("home/servers/b");
    const char *const by_path[] = {"a", path, "http://127.0.0.1:8080", NULL};
    static const struct {
        const char *reference;
        size_t index;
    } cases[] = {{"b", 1}, {"http://127.0.0.1:8080", 2}, {"port-8080", 2}, {"a", 0}};
    struct plan p;
    for (size_t i = 0; i < 4; i++) {
        make_plan(&p, by_path, cases[i].reference);
        assert_int_equal(p.servers_n, 3);
        assert_int_equal(p.reference, cases[i].index);
        plan_fini(&p);
    }
    make_plan(&p, by_path, path);
    assert_int_equal(p.servers_n, 3);
    assert_int_equal(p.reference, 1);
    plan_fini(&p);
    free(path);
}

static void assert_refused(struct suite s, const char *start, const char *part)
{
    struct plan p;
    struct err e = {0};
    assert_int_equal(plan_make(&p, &s, &e), -1);
    assert_err(&e, EXIT_USAGE, start, part);
    assert_null(s.name);
    plan_fini(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    char *copy = scratch_path("copy.json");
    const char *const same_name[] = {"b", copy, NULL};
    static const char *const unknown[] = {"a", "nobody", NULL};
    static const char *const ports[] = {"http://127.0.0.1:80", "http://127.0.0.2:80", NULL};
    assert_refused(make_suite(same_name, "a"), "two servers are named \"b\" (", copy);
    assert_refused(make_suite(ports, "a"), "two servers are named \"port-80\"", "127.0.0.2");
    assert_refused(make_suite(unknown, "a"), "there is no server \"nobody\"", "a b c nopost");
    assert_refused(make_suite(abc, "ngnix"), "reference: there is no server \"ngnix\"", "");
    struct suite s = make_suite(abc, "a");
    s.blocks = 0;
    assert_refused(s, "blocks: 0;", "");
    free(copy);
}

static void test_lacks_and_offers(void **state)
{
    (void)state;
    static const char *const with[] = {"a", "nopost", NULL};
    struct plan p;
    make_plan(&p, with, "a");
    size_t skipped = 0;
    for (size_t i = 0; i < p.cells_n; i++) {
        const struct cell *c = &p.cells[i];
        if (c->server == 0)
            assert_null(c->skipped);
        else if (c->route == ROUTE_ECHO)
            assert_string_equal(c->skipped, "no bodies");
        else /* json: neither offered nor explained */
            assert_string_equal(c->skipped, "the server's manifest doesn't offer this route");
        skipped += c->skipped != NULL;
    }
    assert_int_equal(skipped, p.cells_n / 2);
    plan_schedule(&p);
    assert_int_equal(p.steps_n, 5 * p.cells_n / 2);
    for (size_t i = 0; i < p.steps_n; i++) {
        assert_null(p.cells[p.steps[i].cell].skipped);
        assert_int_equal(p.steps[i].position, 0); /* alone in its comparison */
    }
    plan_fini(&p);
}

/* Every cell once in each block, blocks one after the other, comparisons in one piece. */
static void test_schedule_is_complete(void **state)
{
    (void)state;
    struct plan p;
    make_plan(&p, abc, "a");
    plan_schedule(&p);
    assert_int_equal(p.steps_n, 5 * p.cells_n);
    unsigned *seen = xcalloc(p.cells_n, sizeof *seen);
    for (size_t i = 0; i < p.steps_n; i++) {
        const struct step *s = &p.steps[i];
        assert_int_equal(s->block, i / p.cells_n);
        assert_int_equal(s->position, i % 3);
        assert_int_equal(p.cells[s->cell].comparison, p.cells[(s - i % 3)->cell].comparison);
        assert_int_equal(seen[s->cell], s->block);
        seen[s->cell]++;
    }
    free(seen);
    plan_fini(&p);
}

/* A generator with fewer blocks is in the first ones, one with more goes on alone. */
static void test_blocks_of_a_generator(void **state)
{
    (void)state;
    static const unsigned own[] = {2, 7};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        struct plan p;
        make_plan(&p, abc, "a");
        strings_add(&p.suite.blocks_of, p.suite.generators.item[1]);
        p.suite.blocks_of_n[0] = own[k];
        plan_schedule(&p);
        unsigned *seen = xcalloc(p.cells_n, sizeof *seen);
        for (size_t i = 0; i < p.steps_n; i++) {
            assert_int_equal(p.steps[i].block, seen[p.steps[i].cell]); /* no block is left out */
            assert_true(i == 0 || p.steps[i].block >= p.steps[i - 1].block);
            seen[p.steps[i].cell]++;
        }
        for (size_t i = 0; i < p.cells_n; i++)
            assert_int_equal(seen[i], p.cells[i].generator == 1 ? own[k] : 5);
        free(seen);
        plan_fini(&p);
    }
}

static bool same_steps(const struct plan *a, const struct plan *b)
{
    return a->steps_n == b->steps_n &&
           memcmp(a->steps, b->steps, a->steps_n * sizeof *a->steps) == 0;
}

static void test_seed_decides(void **state)
{
    (void)state;
    struct plan a, b;
    make_plan(&a, abc, "a");
    make_plan(&b, abc, "a");
    plan_schedule(&a);
    plan_schedule(&b);
    assert_true(same_steps(&a, &b));
    plan_schedule(&b); /* again: the same, not the next */
    assert_true(same_steps(&a, &b));
    b.suite.seed = 8;
    plan_schedule(&b);
    assert_false(same_steps(&a, &b));
    plan_fini(&a);
    plan_fini(&b);
}

/* Each server is first, second and third about as often, and blocks differ in their order. */
static void test_order_is_fair(void **state)
{
    (void)state;
    struct plan p;
    make_plan(&p, abc, "a");
    p.suite.blocks = 1000;
    plan_schedule(&p);
    double at[3][3] = {{0}}, n = (double)p.steps_n / 3;
    size_t same_start = 0;
    for (size_t i = 0; i < p.steps_n; i++) {
        const struct step *s = &p.steps[i];
        at[p.cells[s->cell].server][s->position]++;
        same_start += i % p.cells_n == 0 && s->cell == p.steps[0].cell;
    }
    /* 16000 draws of 1/3: sd 0.0037; the seed is fixed, so this passes always or never. */
    for (int server = 0; server < 3; server++)
        for (int position = 0; position < 3; position++)
            assert_near(at[server][position] / n, 1.0 / 3, 0.015);
    assert_between((double)same_start, 5.0, 50.0); /* 1000 / 48 */
    plan_fini(&p);
}

static void test_skip_leaves_the_rest_in_order(void **state)
{
    (void)state;
    struct plan a, b;
    make_plan(&a, abc, "a");
    make_plan(&b, abc, "a");
    plan_schedule(&a);
    plan_skip(&b, 4, "first");
    plan_skip(&b, 4, "second");
    assert_string_equal(b.cells[4].skipped, "first");
    plan_schedule(&b);
    assert_int_equal(b.steps_n, a.steps_n - 5);
    for (size_t i = 0, j = 0; i < a.steps_n; i++) {
        if (a.steps[i].cell == 4)
            continue;
        assert_int_equal(a.steps[i].cell, b.steps[j].cell);
        assert_int_equal(a.steps[i].block, b.steps[j].block);
        j++;
    }
    plan_fini(&a);
    plan_fini(&b);
}

static void test_seconds(void **state)
{
    (void)state;
    struct plan p;
    make_plan(&p, abc, "a");
    assert_near(plan_seconds(&p), 6, 1e-9); /* nothing scheduled: the checks of three servers */
    plan_schedule(&p);
    double one = plan_seconds(&p);
    assert_between(one, 240 * 2.5, 240 * 4.0);
    p.suite.blocks = 10;
    plan_schedule(&p);
    assert_near(plan_seconds(&p) - 6, 2 * (one - 6), 1e-6);
    plan_fini(&p);
}

static void test_titles(void **state)
{
    (void)state;
    struct plan p;
    make_plan(&p, abc, "a");
    struct cell c = {.route = ROUTE_ECHO, .generator = 1, .connections = 1000000};
    assert_string_equal(cell_title(&p, &c), "echo ab c=1000000 close");
    c.keepalive = true;
    assert_string_equal(cell_title(&p, &c), "echo ab c=1000000 keep-alive");
    plan_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_reference_joins),
        cmocka_unit_test(test_reference_by_path_and_url),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_lacks_and_offers),
        cmocka_unit_test(test_schedule_is_complete),
        cmocka_unit_test(test_blocks_of_a_generator),
        cmocka_unit_test(test_seed_decides),
        cmocka_unit_test(test_order_is_fair),
        cmocka_unit_test(test_skip_leaves_the_rest_in_order),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_titles),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
