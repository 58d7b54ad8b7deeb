/* Ratios: exact pairs by block, against estimates worked out by hand. */
#include "judge/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/small_result.h"

static const struct conditions one_cpu = {
    .asked_s = 2, .workers = 1, .server_cpus = 1, .client_cpus = 1, .process_figures = true};

/* Server 1 of comparison c: its ratio of this metric. */
static const struct ratio *ratio_of(const struct result *r, size_t comparison, enum metric metric)
{
    for (size_t i = 0; i < r->ratios_n; i++)
        if (r->ratios[i].comparison == comparison && r->ratios[i].server == 1 &&
            r->ratios[i].metric == metric)
            return &r->ratios[i];
    fail_msg("no ratio of comparison %zu", comparison);
    return NULL;
}

static void judge(struct result *r)
{
    cells_judge(r, &one_cpu);
    ratios_judge(r);
}

/* A block in which b's rate is q times a's 100000/s, and its CPU per request 1/q. */
static void add_block(struct result *r, unsigned block, double q)
{
    small_trial(r, 0, block, 100000, 8000);
    small_trial(r, 1, block, 100000 * q, 8000 / q);
}

/* log2 of the ratios: 1, 0, 3. Walsh averages 0 0.5 1 1.5 2 3, their median 1.25. Divided by 16 so
   that the spread stays within what is stable. */
static void test_hodges_lehmann_by_hand(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 3);
    add_block(&r, 0, exp2(1 / 16.0));
    add_block(&r, 1, 1);
    add_block(&r, 2, exp2(3 / 16.0));
    judge(&r);
    assert_int_equal(r.ratios_n, 2);
    const struct ratio *rate = ratio_of(&r, 0, METRIC_THROUGHPUT);
    assert_near(rate->value.estimate, exp2(1.25 / 16), 1e-4); /* whole requests were counted */
    assert_int_equal(rate->value.n, 3);
    assert_true(isnan(rate->value.low) && isnan(rate->value.high));
    assert_near(rate->value.confidence, 0, 0);
    assert_string_equal(rate->note, "3 blocks are too few for a 95 % interval (6 needed)");
    const struct ratio *cpu = ratio_of(&r, 0, METRIC_CPU);
    assert_near(cpu->value.estimate, exp2(-1.25 / 16), 1e-4);
    result_fini(&r);
}

static void test_one_block(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 1);
    add_block(&r, 0, 2);
    judge(&r);
    const struct ratio *rate = ratio_of(&r, 0, METRIC_THROUGHPUT);
    assert_near(rate->value.estimate, 2, 1e-9);
    assert_string_equal(rate->note, "1 block is too few for a 95 % interval (6 needed)");
    result_fini(&r);
}

/* Six blocks: the widest interval, from the smallest to the largest; 1 - 2/64 sure. */
static void test_six_blocks_have_an_interval(void **state)
{
    (void)state;
    static const double q[] = {1.10, 1.02, 1.05, 1.01, 1.08, 1.04};
    struct result r;
    small_result(&r, 2, 1, 6);
    for (unsigned i = 0; i < 6; i++)
        add_block(&r, i, q[i]);
    judge(&r);
    const struct ratio *x = ratio_of(&r, 0, METRIC_THROUGHPUT);
    assert_near(x->value.low, 1.01, 1e-9);
    assert_near(x->value.high, 1.10, 1e-9);
    assert_near(x->value.confidence, 0.96875, 1e-12);
    assert_int_equal(x->value.n, 6);
    assert_string_equal(x->note, "");
    assert_between(x->value.estimate, 1.04, 1.06);
    result_fini(&r);
}

/* A machine that gets slower by half from block to block: within each block b is 2 % ahead, and
   that is what comes out, exactly, whatever order the trials are in. */
static void test_drift_between_blocks_cancels(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 6);
    for (unsigned i = 6; i-- > 0;) {
        double machine = 100000 * pow(0.95, i);
        small_trial(&r, 1, i, round(machine) * 1.02, 10)->position = i % 2;
        small_trial(&r, 0, i, round(machine), 10)->position = 1 - i % 2;
    }
    judge(&r);
    const struct ratio *x = ratio_of(&r, 0, METRIC_THROUGHPUT);
    assert_near(x->value.estimate, 1.02, 1e-5);
    assert_near(x->value.low, 1.02, 1e-5);
    assert_near(x->value.high, 1.02, 1e-5);
    result_fini(&r);
}

/* A block in which one side isn't valid, or missing, gives no pair. */
static void test_blocks_with_one_side_only(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 9);
    for (unsigned i = 0; i < 7; i++)
        add_block(&r, i, 1.04);
    r.trials[2].verdict = VERDICT_ERRORS;       /* the reference in block 1 */
    r.trials[7].verdict = VERDICT_CLIENT_BOUND; /* b in block 3 */
    small_trial(&r, 1, 7, 300000, 1);           /* block 7: b alone */
    r.trials[r.trials_n - 1].verdict = VERDICT_SHORT;
    judge(&r);
    assert_int_equal(r.cells[1].verdict, VERDICT_VALID);
    const struct ratio *rate = ratio_of(&r, 0, METRIC_THROUGHPUT);
    assert_int_equal(rate->value.n, 5);
    assert_near(rate->value.estimate, 1.04, 1e-9);
    assert_string_equal(rate->note, "5 blocks are too few for a 95 % interval (6 needed)");
    assert_int_equal(ratio_of(&r, 0, METRIC_CPU)->value.n, 6); /* client-bound is good enough */
    result_fini(&r);
}

/* All client-bound: the rates are the client's, the CPU per request is the servers'. */
static void test_client_bound_enters_cpu_only(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 6);
    for (unsigned i = 0; i < 6; i++)
        add_block(&r, i, 1.25);
    for (size_t i = 1; i < r.trials_n; i += 2)
        r.trials[i].verdict = VERDICT_CLIENT_BOUND;
    judge(&r);
    const struct ratio *rate = ratio_of(&r, 0, METRIC_THROUGHPUT);
    const struct ratio *cpu = ratio_of(&r, 0, METRIC_CPU);
    assert_true(isnan(rate->value.estimate) && isnan(rate->value.low));
    assert_int_equal(rate->value.n, 0);
    assert_string_equal(rate->note, "the cell is client_bound");
    assert_near(cpu->value.estimate, 0.8, 1e-9);
    assert_near(cpu->value.low, 0.8, 1e-9);
    assert_int_equal(cpu->value.n, 6);
    assert_string_equal(cpu->note, "");
    result_fini(&r);
}

static void test_reference_not_valid(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 6);
    for (unsigned i = 0; i < 6; i++)
        add_block(&r, i, 1.25);
    for (size_t i = 0; i < r.trials_n; i += 2)
        r.trials[i].verdict = i < 8 ? VERDICT_ERRORS : VERDICT_VALID;
    judge(&r);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct ratio *x = ratio_of(&r, 0, (enum metric)m);
        assert_true(isnan(x->value.estimate) && isnan(x->value.low) && isnan(x->value.high));
        assert_int_equal(x->value.n, 0);
        assert_string_equal(x->note, "the reference is errors");
    }
    result_fini(&r);
}

static void test_unstable_skipped_and_unmeasured(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 3, 6);
    for (unsigned i = 0; i < 6; i++) {
        small_trial(&r, 0, i, 1000, 10);
        small_trial(&r, 1, i, i ? 1000 : 2000, 10); /* comparison 0: b is unstable */
        small_trial(&r, 2, i, 1000, 10);            /* comparison 1: b is skipped */
    }
    plan_skip(&r.plan, 3, "lacks it");
    judge(&r);
    assert_int_equal(r.ratios_n, 6);
    assert_string_equal(ratio_of(&r, 0, METRIC_THROUGHPUT)->note, "the cell is unstable");
    assert_string_equal(ratio_of(&r, 1, METRIC_CPU)->note, "the cell is skipped");
    assert_string_equal(ratio_of(&r, 2, METRIC_THROUGHPUT)->note, "the cell is not_run");
    result_fini(&r);
}

/* Both cells are valid, but never in the same block. */
static void test_no_common_block(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 2);
    small_trial(&r, 0, 0, 1000, 10);
    small_trial(&r, 1, 1, 1000, 10);
    judge(&r);
    const struct ratio *x = ratio_of(&r, 0, METRIC_THROUGHPUT);
    assert_int_equal(x->value.n, 0);
    assert_true(isnan(x->value.estimate));
    assert_string_equal(x->note, "no block has figures of both sides");
    result_fini(&r);
}

/* CPU isn't known of a server that runs already: no ratio of it, and the rate's is untouched. */
static void test_unknown_cpu(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 1, 6);
    for (unsigned i = 0; i < 6; i++) {
        add_block(&r, i, 2);
        r.trials[r.trials_n - 1].usage.server_cpu_s = i % 2 ? NAN : 0;
    }
    judge(&r);
    assert_near(ratio_of(&r, 0, METRIC_THROUGHPUT)->value.estimate, 2, 1e-9);
    assert_true(isnan(ratio_of(&r, 0, METRIC_CPU)->value.estimate));
    assert_int_equal(ratio_of(&r, 0, METRIC_CPU)->value.n, 0);
    assert_string_equal(ratio_of(&r, 0, METRIC_CPU)->note, "no block has figures of both sides");
    result_fini(&r);
}

/* One ratio a comparison, server but the reference, and metric; wherever the reference stands. */
static void test_all_pairs_once(void **state)
{
    (void)state;
    for (size_t reference = 0; reference < 3; reference++) {
        struct result r;
        unsigned seen[2][3][METRIC_COUNT] = {{{0}}};
        small_result(&r, 3, 2, 1);
        r.plan.reference = reference;
        for (size_t cell = 0; cell < 6; cell++)
            small_trial(&r, cell, 0, 1000 * (double)(cell % 3 + 1), 10);
        judge(&r);
        judge(&r); /* replaces, never appends */
        assert_int_equal(r.ratios_n, 2 * 2 * METRIC_COUNT);
        for (size_t i = 0; i < r.ratios_n; i++) {
            const struct ratio *x = &r.ratios[i];
            assert_int_not_equal(x->server, reference);
            assert_int_equal(seen[x->comparison][x->server][x->metric]++, 0);
            if (x->metric == METRIC_THROUGHPUT)
                assert_near(x->value.estimate, ((double)x->server + 1) / ((double)reference + 1),
                            1e-9);
        }
        result_fini(&r);
    }
}

/* Comparison 0 by a generator with slices side by side, comparison 1 the same by another one. */
static void test_witnesses(void **state)
{
    (void)state;
    static const double q[] = {1.10, 1.02, 1.05, 1.01, 1.08, 1.04};
    static const struct {
        double by[2];
        enum agreement agrees;
    } cases[] = {{{1.09, 1.2}, AGREEMENT_YES}, {{1.2, 1.3}, AGREEMENT_OPEN}};
    for (size_t k = 0; k < 2; k++) {
        struct result r;
        small_result(&r, 2, 2, 6);
        strings_add(&r.plan.suite.generators, "ab");
        for (size_t i = 2; i < 4; i++) {
            r.plan.cells[i].generator = 1;
            r.plan.cells[i].connections = r.plan.cells[0].connections;
        }
        for (unsigned i = 0; i < 6; i++) {
            add_block(&r, i, 1.3); /* totals that the slices overrule */
            r.trials[r.trials_n - 1].paired_log_ratio[METRIC_THROUGHPUT] = log(q[i]);
        }
        for (unsigned i = 0; i < 2; i++) {
            small_trial(&r, 2, i, 100000, 8000);
            small_trial(&r, 3, i, 100000 * cases[k].by[i], 8000);
        }
        judge(&r);
        const struct ratio *x = ratio_of(&r, 0, METRIC_THROUGHPUT);
        assert_true(x->paired);
        assert_near(x->value.low, 1.01, 1e-9);
        assert_near(x->value.high, 1.10, 1e-9);
        assert_false(ratio_of(&r, 0, METRIC_CPU)->paired);
        assert_int_equal(r.witnesses_n, 1);
        assert_ptr_equal(&r.ratios[r.witnesses[0].ratio], x);
        assert_int_equal(r.witnesses[0].agrees, cases[k].agrees);
        assert_true(r.witnesses[0].is_range);
        assert_near(r.witnesses[0].low, cases[k].by[0], 1e-4);
        assert_near(r.witnesses[0].high, cases[k].by[1], 1e-4);
        result_fini(&r);
    }
}

/* Any two cells: side by side through the reference, which cancels; in two comparisons by block,
   where the reference's slices say nothing. */
static void test_between_any_two(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 3, 2, 6);
    for (unsigned i = 0; i < 6; i++)
        for (size_t c = 0; c < 6; c++) {
            struct trial *t = small_trial(&r, c, i, 100000 + 1000.0 * (double)c, 10);
            if (c % 3)
                t->paired_log_ratio[METRIC_THROUGHPUT] = log(1.1) * (double)(c % 3);
        }
    judge(&r);
    struct ratio x = {.metric = METRIC_THROUGHPUT};
    ratio_between(&r, 2, 1, &x);
    assert_true(x.paired);
    assert_near(x.value.estimate, 1.1, 1e-9);
    ratio_between(&r, 0, 2, &x);
    assert_true(x.paired);
    assert_near(x.value.estimate, 1 / 1.21, 1e-9);
    ratio_between(&r, 4, 1, &x);
    assert_false(x.paired);
    assert_near(x.value.estimate, 104.0 / 101, 1e-6);
    assert_int_equal(x.value.n, 6);
    x.metric = METRIC_CPU;
    ratio_between(&r, 2, 1, &x);
    assert_false(x.paired);
    assert_near(x.value.estimate, 1, 1e-6);
    r.cells[1].verdict = VERDICT_UNSTABLE;
    ratio_between(&r, 2, 1, &x);
    assert_true(isnan(x.value.estimate));
    assert_string_equal(x.note, "the reference is unstable");
    result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hodges_lehmann_by_hand),
        cmocka_unit_test(test_one_block),
        cmocka_unit_test(test_witnesses),
        cmocka_unit_test(test_six_blocks_have_an_interval),
        cmocka_unit_test(test_drift_between_blocks_cancels),
        cmocka_unit_test(test_blocks_with_one_side_only),
        cmocka_unit_test(test_client_bound_enters_cpu_only),
        cmocka_unit_test(test_reference_not_valid),
        cmocka_unit_test(test_unstable_skipped_and_unmeasured),
        cmocka_unit_test(test_no_common_block),
        cmocka_unit_test(test_unknown_cpu),
        cmocka_unit_test(test_all_pairs_once),
        cmocka_unit_test(test_between_any_two),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
