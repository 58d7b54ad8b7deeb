/* Replay: the noise of a real machine, in endless runs. Blocks of duels of a server against itself
   are replayed with random signs (who is A and who is B was a coin's choice, so both ways are
   equally likely), with a slowdown planted in B or none; our rule and those of other gates judge
   the same pseudo-runs. Prints the table of alarms as comments.

   PARITY_REPLAY names a file of recorded blocks (scripts/validate-duel makes one), else the one
   beside the tests; PARITY_REPLAY_RUNS how many pseudo-runs each figure comes from. */
#include "judge/duel_plan.h"
#include "stats/distribution.h"
#include "stats/random.h"
#include "stats/robust.h"
#include "stats/sequential.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/home.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

enum {
    BLOCKS = 48,
    SPAN = 10, /* blocks = seconds of one measurement of a rule that measures once */
    RUNS = 2000
};

struct recorded { /* one block */
    unsigned run;
    double rate_a, rate_b, throughput, cpu;
};

static struct {
    struct recorded *block;
    size_t n;
    struct sequential_plan plan;
} tape;

/* One pseudo-run, B's rates with the slowdown in them. */
struct replay {
    double a[BLOCKS], b[BLOCKS];
    double throughput[BLOCKS], cpu[BLOCKS];
};

static const double margin = 0;

/* Blocks in a row of the tape (what lasts longer than a block stays in), each side by a coin. */
static void draw(struct replay *p, double slowdown, struct random *r)
{
    size_t first = random_below(r, tape.n);
    for (size_t i = 0; i < BLOCKS; i++) {
        const struct recorded *b = &tape.block[(first + i) % tape.n];
        bool swap = random_coin(r);
        p->a[i] = swap ? b->rate_b : b->rate_a;
        p->b[i] = (swap ? b->rate_a : b->rate_b) * exp(-slowdown);
        p->throughput[i] = (swap ? -b->throughput : b->throughput) + slowdown;
        p->cpu[i] = (swap ? -b->cpu : b->cpu) + slowdown;
    }
}

static bool fails(const double *values)
{
    struct sequential test;
    enum decision d = DECISION_CONTINUE;
    sequential_init(&test, &tape.plan, margin, margin + 0.02);
    for (size_t i = 0; i < BLOCKS && d == DECISION_CONTINUE; i++)
        d = sequential_feed(&test, values[i]);
    return d == DECISION_FAIL;
}

static bool ours(const struct replay *p)
{
    return fails(p->throughput) || fails(p->cpu);
}

static double mean(const double *x, size_t from)
{
    return robust_mean(x + from, SPAN);
}

/* One measurement of the old, then one of the new: ten seconds each, a threshold. */
static bool then_below(const struct replay *p, double share)
{
    return mean(p->b, SPAN) < share * mean(p->a, 0);
}

static bool a_then_b_3(const struct replay *p)
{
    return then_below(p, 0.97);
}

static bool a_then_b_10(const struct replay *p)
{
    return then_below(p, 0.90);
}

/* "80 % of the previous best": of three earlier measurements. */
static bool best_80(const struct replay *p)
{
    double best = fmax(mean(p->a, 0), fmax(mean(p->a, SPAN), mean(p->a, 2 * SPAN)));
    return mean(p->b, 3 * SPAN) < 0.8 * best;
}

/* "alert-threshold 200 %": the previous one is more than twice the new one. */
static bool twice(const struct replay *p)
{
    return mean(p->a, 0) > 2 * mean(p->b, SPAN);
}

/* A 95 % interval looked at after every block from the fifth on, until it excludes zero. */
static bool peeking_t(const struct replay *p)
{
    for (size_t n = 5; n <= BLOCKS; n++) {
        double m = robust_mean(p->throughput, n);
        double t = m / (robust_sd(p->throughput, n) / sqrt((double)n));
        if (m > 0 && distribution_t_two_sided(t, (double)n - 1) < 0.05)
            return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool (*alarms)(const struct replay *p);
} rules[] = {
    {"parity duel, 48 blocks", ours},       {"a 95 % interval after every block", peeking_t},
    {"A then B, 3 %", a_then_b_3},          {"A then B, 10 %", a_then_b_10},
    {"80 % of the previous best", best_80}, {"alert at 200 %", twice}};

static const double planted_percent[] = {0, 0.5, 1, 2, 5, 10, 25};

enum {
    RULES = sizeof rules / sizeof *rules,
    PLANTED = sizeof planted_percent / sizeof *planted_percent
};

static double share[RULES][PLANTED];

static size_t runs(void)
{
    const char *text = getenv("PARITY_REPLAY_RUNS");
    return text && atol(text) > 0 ? (size_t)atol(text) : RUNS;
}

static void replay_all(void)
{
    struct random r;
    random_seed(&r, 2026);
    for (size_t k = 0; k < PLANTED; k++) {
        double slowdown = -log1p(-planted_percent[k] / 100);
        for (size_t i = 0; i < runs(); i++) {
            struct replay p;
            draw(&p, slowdown, &r);
            for (size_t rule = 0; rule < RULES; rule++)
                share[rule][k] += rules[rule].alarms(&p) / (double)runs();
        }
    }
}

/* The table as Markdown; the caller frees. */
static char *table(void)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    fprintf(f, "| alarms, %% of %zu replayed runs |", runs());
    for (size_t k = 0; k < PLANTED; k++)
        fprintf(f, planted_percent[k] > 0 ? " %g %% slower |" : " equal |", planted_percent[k]);
    fprintf(f, "\n|---|");
    for (size_t k = 0; k < PLANTED; k++)
        fprintf(f, "---|");
    for (size_t rule = 0; rule < RULES; rule++) {
        fprintf(f, "\n| %s |", rules[rule].name);
        for (size_t k = 0; k < PLANTED; k++)
            fprintf(f, " %.1f |", share[rule][k] * 100);
    }
    fprintf(f, "\n");
    fclose(f);
    return text;
}

static void print_table(void)
{
    char *text = table();
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        printf("# %s\n", line);
    free(text);
}

static void read_tape(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        struct recorded b;
        if (*line == '#')
            continue;
        if (sscanf(line, "%u %lf %lf %lf %lf", &b.run, &b.rate_a, &b.rate_b, &b.throughput,
                   &b.cpu) == 5) {
            struct recorded *to = xgrow(&tape.block, &tape.n, sizeof *to);
            *to = b;
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    const char *given = getenv("PARITY_REPLAY");
    char *path = given ? xstrdup(given) : home_path("harness/tests/fixtures/duel/replay.tsv");
    char *text = file_read(path, NULL, NULL);
    if (!text)
        fprintf(stderr, "cannot read %s\n", path);
    if (text)
        read_tape(text);
    free(text);
    free(path);
    if (tape.n < BLOCKS || duel_plan_make(&tape.plan, BLOCKS, 0.005, 0.05) < 0)
        return -1;
    replay_all();
    print_table();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(tape.block);
    return 0;
}

/* Three standard errors above the promise, for the replay is a sample itself. */
static void test_false_alarms_keep_the_promise_on_real_noise(void **state)
{
    (void)state;
    assert_true(share[0][0] <= 0.01 + 3 * sqrt(0.01 * 0.99 / (double)runs()));
}

static void test_alarms_grow_with_the_slowdown(void **state)
{
    (void)state;
    for (size_t k = 1; k < PLANTED; k++)
        assert_true(share[0][k] >= share[0][k - 1]);
    assert_true(share[0][PLANTED - 1] > 0.99);
}

static void test_a_quarter_is_not_seen_at_200_percent(void **state)
{
    (void)state;
    assert_true(share[RULES - 1][PLANTED - 1] < share[0][PLANTED - 1]);
}

/* Looking until it is "significant" alarms far too often: 14 % by simulation for normal noise. */
static void test_peeking_breaks_its_own_promise(void **state)
{
    (void)state;
    assert_true(share[1][0] > 0.05);
}

/* A threshold on one measurement after the other: some alarm at equal servers more than once in a
   hundred runs, and all of them miss slowdowns that ours doesn't. */
static void test_thresholds_on_single_runs_fail_either_way(void **state)
{
    (void)state;
    assert_true(share[2][0] > share[0][0]);
    assert_true(share[3][4] < share[0][4]);
    assert_true(share[4][4] < share[0][4] && share[5][5] < share[0][5]);
}

/* The README shows what the blocks beside the tests give. */
static void test_the_readme_has_this_table(void **state)
{
    (void)state;
    if (getenv("PARITY_REPLAY") || getenv("PARITY_REPLAY_RUNS"))
        return;
    char *path = home_path("README.md"), *readme = file_read(path, NULL, NULL), *text = table();
    assert_non_null(readme);
    if (!strstr(readme, text))
        fail_msg("the README hasn't this table (scripts/validate-duel prints it):\n%s", text);
    free(text);
    free(readme);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_alarms_keep_the_promise_on_real_noise),
        cmocka_unit_test(test_alarms_grow_with_the_slowdown),
        cmocka_unit_test(test_a_quarter_is_not_seen_at_200_percent),
        cmocka_unit_test(test_peeking_breaks_its_own_promise),
        cmocka_unit_test(test_thresholds_on_single_runs_fail_either_way),
        cmocka_unit_test(test_the_readme_has_this_table),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
