/* Cells: medians of the valid trials, votes, spread, and the exit code of a run. */
#include "judge/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "tests/near.h"
#include "tests/small_result.h"

static const struct conditions one_cpu = {
    .asked_s = 2, .workers = 1, .server_cpus = 1, .client_cpus = 1, .process_figures = true};

static void test_medians(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 1, 1, 4);
    static const double rates[] = {1000, 1300, 1100, 1250};
    for (unsigned i = 0; i < 4; i++) {
        struct trial *t = small_trial(&r, 0, i, rates[i], 1000 * (i + 1));
        t->usage.client_cpu_s = 0.5 + 0.1 * i;
        t->usage.server_peak_rss_kib = 100 * (i + 1);
        t->tally.latency.mean = 50 + 10 * i;
        t->tally.latency.p[LATENCY_P99] = 7 * i;
        t->tally.latency.resolution = 1;
    }
    r.trials[2].tally.latency.corrected = true;
    r.trials[3].tally.latency.p[LATENCY_P99] = NAN; /* not known there: 0, 7, 14 remain */
    cells_judge(&r, &one_cpu);
    const struct cell_result *c = &r.cells[0];
    assert_int_equal(c->verdict, VERDICT_VALID);
    assert_string_equal(c->note, "");
    assert_int_equal(c->trials, 4);
    assert_int_equal(c->valid, 4);
    assert_near(c->requests_per_s, 1175, 1e-9);
    assert_near(c->requests_per_s_low, 1000, 1e-9);
    assert_near(c->requests_per_s_high, 1300, 1e-9);
    assert_near(c->cpu_ns_per_request, 2500, 1e-9);
    assert_near(c->latency_mean, 65, 1e-9);
    assert_near(c->latency[LATENCY_P99], 7, 1e-9);
    assert_true(isnan(c->latency[LATENCY_P50]));
    assert_near(c->latency_resolution, 1, 0);
    assert_true(c->latency_corrected);
    assert_false(c->latency_censored);
    assert_near(c->client_busy, 0.325, 1e-9);
    assert_near(c->peak_rss_kib, 250, 1e-9);
    result_fini(&r);
}

/* 2 of 3 are valid: the third is in no figure, and the cell is valid. */
static void test_medians_over_valid_trials_only(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 1, 1, 3);
    small_trial(&r, 0, 0, 1000, 10);
    small_trial(&r, 0, 1, 9000, 90)->verdict = VERDICT_ERRORS;
    small_trial(&r, 0, 2, 1200, 20);
    r.trials[1].tally.latency.censored = true;
    cells_judge(&r, &one_cpu);
    const struct cell_result *c = &r.cells[0];
    assert_int_equal(c->verdict, VERDICT_VALID);
    assert_int_equal(c->trials, 3);
    assert_int_equal(c->valid, 2);
    assert_near(c->requests_per_s, 1100, 1e-9);
    assert_near(c->requests_per_s_high, 1200, 1e-9);
    assert_near(c->cpu_ns_per_request, 15, 1e-6);
    assert_false(c->latency_censored);
    /* 1 of 3: the cell is not valid any more, but its one valid trial is still its figure. */
    r.trials[2].verdict = VERDICT_ERRORS;
    cells_judge(&r, &one_cpu);
    assert_int_equal(c->verdict, VERDICT_ERRORS);
    assert_int_equal(c->valid, 1);
    assert_near(c->requests_per_s, 1000, 1e-9);
    /* None: what was measured is shown, beside the verdict. */
    r.trials[0].verdict = VERDICT_ERRORS;
    cells_judge(&r, &one_cpu);
    assert_int_equal(c->valid, 0);
    assert_near(c->requests_per_s, 1200, 1e-9);
    result_fini(&r);
}

/* Trials that measured nothing give no zero. */
static void test_nothing_measured(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 1, 1, 2);
    for (unsigned i = 0; i < 2; i++) {
        struct trial *t = small_trial(&r, 0, i, 1, 1);
        trial_init(t);
        t->block = i;
        t->verdict = VERDICT_SERVER_DIED;
        snprintf(t->note, sizeof t->note, "signal %u", 11 + i);
    }
    cells_judge(&r, &one_cpu);
    const struct cell_result *c = &r.cells[0];
    assert_int_equal(c->verdict, VERDICT_SERVER_DIED);
    assert_string_equal(c->note, "signal 11"); /* of the first */
    assert_int_equal(c->trials, 2);
    assert_true(isnan(c->requests_per_s) && isnan(c->requests_per_s_low));
    assert_true(isnan(c->cpu_ns_per_request) && isnan(c->server_busy));
    result_fini(&r);
}

static void vote(const enum verdict *votes, unsigned n, enum verdict wanted, const char *note)
{
    struct result r;
    small_result(&r, 1, 1, n);
    for (unsigned i = 0; i < n; i++) {
        struct trial *t = small_trial(&r, 0, i, 1000, 10);
        t->verdict = votes[i];
        snprintf(t->note, sizeof t->note, "note %u", i);
    }
    cells_judge(&r, &one_cpu);
    assert_int_equal(r.cells[0].verdict, wanted);
    assert_string_equal(r.cells[0].note, note);
    result_fini(&r);
}

#define V VERDICT_VALID
#define E VERDICT_ERRORS
#define B VERDICT_CLIENT_BOUND
#define D VERDICT_SERVER_DIED

static void test_votes(void **state)
{
    (void)state;
    vote((enum verdict[]){V}, 1, V, "note 0");
    vote((enum verdict[]){B}, 1, B, "note 0");
    vote((enum verdict[]){V, E}, 2, E, "note 1"); /* half is not most */
    vote((enum verdict[]){E, V, V}, 3, V, "note 1");
    vote((enum verdict[]){V, V, E, B}, 4, E, "note 2"); /* a tie: the graver one */
    vote((enum verdict[]){V, B, E, B}, 4, B, "note 1");
    vote((enum verdict[]){B, D, E, D, E}, 5, D, "note 1");
    vote((enum verdict[]){V, V, E, E, B}, 5, E, "note 2");
    vote((enum verdict[]){V, V, V, E, E}, 5, V, "note 0");
}

/* Cells without trials keep what the run says of them; skipped ones say why. */
static void test_cells_without_trials(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 3, 1, 1);
    plan_skip(&r.plan, 0, "the manifest lacks it");
    r.cells[1].verdict = VERDICT_CONTRACT_BROKEN;
    strcpy(r.cells[1].note, "health: 404");
    cells_judge(&r, &one_cpu);
    assert_int_equal(r.cells[0].verdict, VERDICT_SKIPPED);
    assert_string_equal(r.cells[0].note, "the manifest lacks it");
    assert_int_equal(r.cells[1].verdict, VERDICT_CONTRACT_BROKEN);
    assert_string_equal(r.cells[1].note, "health: 404");
    assert_int_equal(r.cells[2].verdict, VERDICT_NOT_RUN);
    assert_true(isnan(r.cells[1].requests_per_s));
    assert_int_equal(r.cells[1].trials, 0);
    result_fini(&r);
}

static void test_spread(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 1, 1, 3);
    small_trial(&r, 0, 0, 1000, 10);
    small_trial(&r, 0, 1, 1599, 10);
    cells_judge(&r, &one_cpu);
    assert_int_equal(r.cells[0].verdict, VERDICT_VALID);
    r.trials[1].tally.ok = 3202;
    cells_judge(&r, &one_cpu);
    assert_int_equal(r.cells[0].verdict, VERDICT_UNSTABLE);
    assert_string_equal(r.cells[0].note, "blocks range from 1000 to 1601 requests/s");
    assert_near(r.cells[0].requests_per_s, 1300.5, 1e-9); /* the figure is kept, and marked */
    /* A later block is judged with the others: unstable is no memory of the cell. */
    r.trials[1].tally.ok = 2200;
    cells_judge(&r, &one_cpu);
    assert_int_equal(r.cells[0].verdict, VERDICT_VALID);
    assert_string_equal(r.cells[0].note, "");
    /* An invalid trial far off is no spread. */
    small_trial(&r, 0, 2, 99, 10)->verdict = VERDICT_ERRORS;
    cells_judge(&r, &one_cpu);
    assert_int_equal(r.cells[0].verdict, VERDICT_VALID);
    result_fini(&r);
}

/* Judging twice changes nothing. */
static void test_judging_is_idempotent(void **state)
{
    (void)state;
    struct result r;
    small_result(&r, 2, 2, 2);
    for (size_t cell = 0; cell < 4; cell++)
        small_trial(&r, cell, 0, 1000 + 100 * (double)cell, 10)->verdict =
            cell == 2 ? VERDICT_ERRORS : VERDICT_VALID;
    cells_judge(&r, &one_cpu);
    char *once = result_to_json(&r);
    cells_judge(&r, &one_cpu);
    char *twice = result_to_json(&r);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    result_fini(&r);
}

static int exit_code(const enum verdict *verdicts, size_t n)
{
    struct result r;
    small_result(&r, n, 1, 1);
    for (size_t i = 0; i < n; i++)
        r.cells[i].verdict = verdicts[i];
    int code = cells_exit_code(&r);
    result_fini(&r);
    return code;
}

static void test_exit_codes(void **state)
{
    (void)state;
    static const enum verdict fails[] = {
        VERDICT_CONTRACT_BROKEN, VERDICT_BOOT_FAILED,    VERDICT_SERVER_DIED, VERDICT_ERRORS,
        VERDICT_KEEPALIVE_LOST,  VERDICT_CONNECT_FAILED, VERDICT_NO_DATA};
    static const enum verdict tools[] = {VERDICT_TOOL_FAILED, VERDICT_TOOL_TIMEOUT};
    static const enum verdict neither[] = {VERDICT_SKIPPED,      VERDICT_NOT_RUN,
                                           VERDICT_CLIENT_BOUND, VERDICT_UNSTABLE,
                                           VERDICT_INCONSISTENT, VERDICT_SHARED_CORES};
    assert_int_equal(exit_code((enum verdict[]){VERDICT_VALID}, 1), EXIT_DONE);
    /* One failed point among good ones is not success. */
    for (size_t i = 0; i < sizeof fails / sizeof *fails; i++) {
        enum verdict v[] = {VERDICT_VALID, fails[i], VERDICT_VALID};
        assert_int_equal(exit_code(v, 3), EXIT_FAIL);
    }
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        enum verdict v[] = {VERDICT_VALID, tools[i], VERDICT_ERRORS};
        assert_int_equal(exit_code(v, 2), EXIT_MACHINE);
        assert_int_equal(exit_code(v, 3), EXIT_FAIL);
    }
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++) {
        enum verdict v[] = {neither[i], VERDICT_VALID};
        assert_int_equal(exit_code(v, 1), EXIT_INCONCLUSIVE);
        assert_int_equal(exit_code(v, 2), EXIT_DONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_medians),
        cmocka_unit_test(test_medians_over_valid_trials_only),
        cmocka_unit_test(test_nothing_measured),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_cells_without_trials),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_judging_is_idempotent),
        cmocka_unit_test(test_exit_codes),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
