/* Witnesses: who is asked about a ratio, what counts as agreement, and the words for it. volley's
   ratios are those of comparison 0; wrk's and ab's comparisons ask the same. */
#include "present/witness.h"

#include "judge/cells.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/small_result.h"

enum {
    VOLLEY,
    WRK,
    AB,
    TOOLS
};

static const struct interval none = {NAN, NAN, NAN, 0, 0};

/* Servers a (reference), b and c, by three generators, all of one route, level and mode. */
static void make(struct result *r)
{
    small_result(r, 3, TOOLS, 6);
    strings_fini(&r->plan.suite.generators);
    strings_add(&r->plan.suite.generators, "volley");
    strings_add(&r->plan.suite.generators, "wrk");
    strings_add(&r->plan.suite.generators, "ab");
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        r->plan.cells[i].generator = i / 3;
        r->plan.cells[i].connections = 8;
    }
}

static struct ratio *add_ratio(struct result *r, size_t comparison, size_t server,
                               enum metric metric, struct interval value)
{
    struct ratio *x = xgrow(&r->ratios, &r->ratios_n, sizeof *x);
    *x = (struct ratio){.comparison = comparison,
                        .server = server,
                        .metric = metric,
                        .paired = comparison == VOLLEY,
                        .value = value};
    return x;
}

static struct interval six(double low, double high)
{
    return (struct interval){sqrt(low * high), low, high, 0.96875, 6};
}

static struct interval few(double estimate, size_t n)
{
    return (struct interval){estimate, NAN, NAN, 0, n};
}

/* Blocks of a server by a generator with these rates to the reference's. */
static void add_blocks(struct result *r, size_t comparison, size_t server, const double *ratio,
                       unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        small_trial(r, 3 * comparison, i, 100000, 8000);
        small_trial(r, 3 * comparison + server, i, 100000 * ratio[i], 8000 * ratio[i]);
    }
}

static void assert_words(const struct result *r, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    witness_write(to, r, VOLLEY);
    fclose(to);
    assert_string_equal(text, expected);
    free(text);
}

static const struct witness *only(const struct result *r)
{
    assert_int_equal(r->witnesses_n, 1);
    return &r->witnesses[0];
}

static void two_intervals(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        enum agreement agrees;
        const char *words;
    } cases[] = {
        {1.05, 1.20, AGREEMENT_YES, " Witnesses: wrk agrees on 1 ratio; ab has no valid ratio."},
        {1.10, 1.20, AGREEMENT_YES, " Witnesses: wrk agrees on 1 ratio; ab has no valid ratio."},
        {0.90, 1.01, AGREEMENT_YES, " Witnesses: wrk agrees on 1 ratio; ab has no valid ratio."},
        {0.50, 2.00, AGREEMENT_YES, " Witnesses: wrk agrees on 1 ratio; ab has no valid ratio."},
        {1.11, 1.20, AGREEMENT_NO,
         " Witnesses: wrk contradicts with b's requests/s at 1.11 to 1.20; ab has no valid ratio."},
        {0.80, 1.00, AGREEMENT_NO,
         " Witnesses: wrk contradicts with b's requests/s at 0.80 to 1.00; ab has no valid ratio."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result r;
        make(&r);
        add_ratio(&r, VOLLEY, 1, METRIC_THROUGHPUT, six(1.01, 1.10));
        add_ratio(&r, WRK, 1, METRIC_THROUGHPUT, six(cases[i].low, cases[i].high));
        witnesses_judge(&r);
        assert_int_equal(only(&r)->agrees, cases[i].agrees);
        assert_false(only(&r)->is_range);
        assert_near(only(&r)->low, cases[i].low, 0);
        assert_near(only(&r)->high, cases[i].high, 0);
        assert_words(&r, cases[i].words);
        assert_true(witness_is_heard(&r, WRK));
        assert_false(witness_is_heard(&r, AB));
        assert_false(witness_is_heard(&r, VOLLEY));
        result_fini(&r);
    }
}

/* Too few blocks for an interval: their range can agree, but never contradict. */
static void a_range_proves_nothing(void **state)
{
    (void)state;
    static const double meets[] = {1.09, 1.30}, misses[] = {1.20, 1.30}, one[] = {1.25};
    struct result r;
    make(&r);
    add_ratio(&r, VOLLEY, 1, METRIC_THROUGHPUT, six(1.01, 1.10));
    add_ratio(&r, WRK, 1, METRIC_THROUGHPUT, few(1.19, 2));
    add_blocks(&r, WRK, 1, meets, 2);
    witnesses_judge(&r);
    assert_true(only(&r)->is_range);
    assert_int_equal(only(&r)->agrees, AGREEMENT_YES);
    assert_words(&r, " Witnesses: wrk agrees on 1 ratio; ab has no valid ratio.");
    r.trials_n = 0;
    add_blocks(&r, WRK, 1, misses, 2);
    witnesses_judge(&r);
    assert_int_equal(only(&r)->agrees, AGREEMENT_OPEN);
    assert_words(&r, " Witnesses: wrk puts b's requests/s at 1.20 to 1.30 (2 blocks: too few to "
                     "contradict); ab has no valid ratio.");
    r.trials_n = 0;
    r.ratios[1].value.n = 1;
    add_blocks(&r, WRK, 1, one, 1);
    witnesses_judge(&r);
    assert_words(&r, " Witnesses: wrk puts b's requests/s at 1.25 (1 block: too few to "
                     "contradict); ab has no valid ratio.");
    result_fini(&r);
}

/* The blocks of a range are those that made the ratio: valid on both sides, for CPU per request
   also where the generator was the limit. */
static void which_blocks_are_in_a_range(void **state)
{
    (void)state;
    static const double ratio[] = {1.2, 1.3, 2.0, 0.5, 1.4};
    for (int m = 0; m < METRIC_COUNT; m++) {
        struct result r;
        make(&r);
        add_ratio(&r, VOLLEY, 1, (enum metric)m, six(1.01, 1.10));
        add_ratio(&r, WRK, 1, (enum metric)m, few(1.25, 2));
        add_blocks(&r, WRK, 1, ratio, 5);
        r.trials[2 * 2].verdict = VERDICT_ERRORS;           /* block 2: the reference */
        r.trials[2 * 3 + 1].verdict = VERDICT_SHORT;        /* block 3: b */
        r.trials[2 * 4 + 1].verdict = VERDICT_CLIENT_BOUND; /* block 4: b */
        small_trial(&r, 3 * WRK + 1, 5, 100, 8);            /* block 5: b alone */
        small_trial(&r, 3 * WRK + 2, 0, 100, 8);            /* another server */
        witnesses_judge(&r);
        assert_near(only(&r)->low, 1.2, 1e-4);
        assert_near(only(&r)->high, m == METRIC_CPU ? 1.4 : 1.3, 1e-4);
        result_fini(&r);
    }
}

static void nobody_else_is_asked(void **state)
{
    (void)state;
    enum {
        PLAIN,
        ROUTE,
        LEVEL,
        MODE,
        METRIC,
        SERVER,
        GENERATOR,
        NO_VALUE,
        NO_BLOCK,
        NOT_PAIRED,
        BOTH_PAIRED,
        CASES
    };
    for (int k = 0; k < CASES; k++) {
        struct result r;
        make(&r);
        struct cell *cells = &r.plan.cells[3 * WRK];
        for (size_t i = 0; i < 3; i++) {
            cells[i].route = k == ROUTE ? ROUTE_JSON : ROUTE_HEALTH;
            cells[i].connections = k == LEVEL ? 16 : 8;
            cells[i].keepalive = k != MODE;
            cells[i].generator = k == GENERATOR ? VOLLEY : WRK;
        }
        add_ratio(&r, VOLLEY, 1, METRIC_THROUGHPUT, six(1.01, 1.10))->paired = k != NOT_PAIRED;
        struct interval value = k == NO_VALUE ? none : six(1.02, 1.2);
        value.n = k == NO_BLOCK ? 0 : value.n;
        add_ratio(&r, WRK, k == SERVER ? 2 : 1, k == METRIC ? METRIC_CPU : METRIC_THROUGHPUT, value)
            ->paired = k == BOTH_PAIRED;
        witnesses_judge(&r);
        witnesses_judge(&r); /* replaces, never appends */
        assert_int_equal(r.witnesses_n, k == PLAIN ? 1 : 0);
        bool planned = k != ROUTE && k != LEVEL && k != MODE && k != GENERATOR;
        assert_words(&r, k == NOT_PAIRED ? ""
                         : k == PLAIN ? " Witnesses: wrk agrees on 1 ratio; ab has no valid ratio."
                         : planned    ? " Witnesses: wrk has no valid ratio; ab has no valid ratio."
                                      : " Witnesses: ab has no valid ratio.");
        result_fini(&r);
    }
}

/* When it is volley's own ratio that has no interval, the witness isn't the one with too few. */
static void the_ratio_itself_has_no_interval(void **state)
{
    (void)state;
    struct result r;
    make(&r);
    add_ratio(&r, VOLLEY, 1, METRIC_CPU, few(0.8, 3));
    add_ratio(&r, AB, 1, METRIC_CPU, six(0.75, 0.85));
    witnesses_judge(&r);
    assert_int_equal(only(&r)->agrees, AGREEMENT_OPEN);
    assert_words(&r, " Witnesses: wrk has no valid ratio; ab puts b's CPU per request at 0.75 to "
                     "0.85 (not comparable: the ratio itself has no interval).");
    result_fini(&r);
}

/* All kinds in one sentence, and several of a kind. */
static void words_of_all_kinds(void **state)
{
    (void)state;
    static const double misses[] = {1.20, 1.30};
    struct result r;
    make(&r);
    for (size_t server = 1; server < 3; server++)
        for (int m = 0; m < METRIC_COUNT; m++)
            add_ratio(&r, VOLLEY, server, (enum metric)m, six(1.01, 1.10));
    add_ratio(&r, WRK, 1, METRIC_THROUGHPUT, six(1.02, 1.05));
    add_ratio(&r, WRK, 1, METRIC_CPU, six(0.60, 0.64));
    add_ratio(&r, WRK, 2, METRIC_THROUGHPUT, few(1.25, 2));
    add_blocks(&r, WRK, 2, misses, 2);
    add_ratio(&r, WRK, 2, METRIC_CPU, six(0.80, 0.901));
    add_ratio(&r, AB, 1, METRIC_THROUGHPUT, six(1.02, 1.05));
    add_ratio(&r, AB, 2, METRIC_THROUGHPUT, six(1.02, 1.05));
    witnesses_judge(&r);
    assert_int_equal(r.witnesses_n, 6);
    assert_words(&r,
                 " Witnesses: wrk agrees on 1 ratio, contradicts with b's CPU per request at 0.60 "
                 "to 0.64, c's CPU per request at 0.80 to 0.90, puts c's requests/s at 1.20 to "
                 "1.30 (2 blocks: too few to contradict); ab agrees on 2 ratios.");
    assert_true(witness_is_heard(&r, WRK) && witness_is_heard(&r, AB));
    r.ratios[5].value = six(1.2, 1.3); /* b's CPU per request by wrk contradicts, nothing agrees */
    r.ratios[4].value = none;
    witnesses_judge(&r);
    assert_words(&r,
                 " Witnesses: wrk contradicts with b's CPU per request at 1.20 to 1.30, c's CPU "
                 "per request at 0.80 to 0.90, puts c's requests/s at 1.20 to 1.30 (2 blocks: too "
                 "few to contradict); ab agrees on 2 ratios.");
    result_fini(&r);
}

static void nothing_measured(void **state)
{
    (void)state;
    struct result r;
    make(&r);
    witnesses_judge(&r);
    assert_int_equal(r.witnesses_n, 0);
    assert_words(&r, "");
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_intervals),
        cmocka_unit_test(a_range_proves_nothing),
        cmocka_unit_test(which_blocks_are_in_a_range),
        cmocka_unit_test(nobody_else_is_asked),
        cmocka_unit_test(the_ratio_itself_has_no_interval),
        cmocka_unit_test(words_of_all_kinds),
        cmocka_unit_test(nothing_measured),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
