/* volley: command line, run, conclusion. One process loads all servers of a comparison: it holds
   its connections to each and loads one at a time, in a palindrome that is drawn and repeated. */
#include "load/volley.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/program.h"
#include "load/generator.h"
#include "load/limits.h"
#include "load/symptom.h"
#include "load/tool.h"
#include "load/volley_argv.h"
#include "load/volley_report.h"
#include "model/duel_slice.h"
#include "stats/block.h"
#include "stats/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIMEOUT_S = 10, /* of an answer, as wrk is told */
    GRACE_MS = 3000,
    TARGETS_MAX = 64 /* volley's own limit */
};
static const double start_s = 0.05;
static const double least_slice_s = 0.01;
static const double slices_least = 4;                /* of each server: two palindromes */
static const double answer_s = 10e-6, byte_s = 1e-9; /* of one answer, roughly, on this loopback */
static const double drain_share = 0.2;               /* of a slice, that its end may cost */
/* Not const, so that a test of the watchdog needn't wait. */
static double margin_s = 3 * TIMEOUT_S;

double volley_slice_s(const struct load *l)
{
    double each_s = answer_s + byte_s * (double)route_get(l->route)->body_len;
    double slice_s = fmax(least_slice_s, l->connections * each_s / drain_share);
    double slices = fmax(slices_least, 2 * floor(l->duration_s / slice_s / 2));
    return l->duration_s / slices; /* whole palindromes, so that the last one isn't beyond it */
}

char *volley_find(struct err *e)
{
    char *program = program_find_own("volley");
    if (!program)
        err_set(e, EXIT_MACHINE, "the load generator volley is not there: build it (make all)");
    return program;
}

static char *missing(void)
{
    struct err e = {0};
    char *program = volley_find(&e);
    free(program);
    return program ? NULL : xstrdup(e.text);
}

static char *version(void)
{
    char *program = volley_find(NULL);
    char *const argv[] = {program, (char[]){"--version"}, NULL};
    char *line = program ? tool_first_line(argv) : NULL;
    free(program);
    return line;
}

static double seconds(const struct load *l)
{
    return start_s + l->warmup_s + l->duration_s;
}

static char *refuses(const struct load *l)
{
    struct limits limits;
    struct load all = *l;
    unsigned together = l->together > 1 ? l->together : 1;
    if (l->connections == 0)
        return xstrdup("volley needs at least 1 connection");
    if (together > TARGETS_MAX)
        return xasprintf("volley loads at most %d servers at once, not %u", TARGETS_MAX, together);
    limits_read(&limits, "/proc");
    char *why = limits_refuse(&limits, l);
    limits.ports = -1; /* each server is an address of its own; descriptors are of one process */
    all.connections *= together;
    return why ? why : limits_refuse(&limits, &all);
}

/* "0,2,1,1,2,0" */
static char *order_text(const size_t *order, size_t n)
{
    char *text = xstrdup("");
    for (size_t i = 0; i < n; i++) {
        char *more = xasprintf("%s%s%zu", text, i ? "," : "", order[i]);
        free(text);
        text = more;
    }
    return text;
}

static void make_job(struct tool_job *job, const struct load *l, size_t n, double run_s,
                     char *program_taken)
{
    *job = (struct tool_job){.prefix = "", .limit_s = run_s * 2 + margin_s, .grace_ms = GRACE_MS};
    strings_take(&job->argv, program_taken);
    strings_add(&job->argv, "--json");
    volley_argv_add(&job->argv, "--threads", xstrdup("1"));
    volley_argv_add(&job->argv, "--connections", xasprintf("%u", l->connections));
    volley_argv_add(&job->argv, "--duration", xasprintf("%.0fms", run_s * 1e3));
    volley_argv_add(&job->argv, "--timeout", xasprintf("%ds", TIMEOUT_S));
    volley_argv_request(&job->argv, l->route, l->keepalive);
    for (size_t i = 0; i < n; i++)
        strings_take(&job->argv, tool_url(&l[i]));
}

/* What a target's figures say about why it has none, or too few. */
static void judge_target(const struct volley_target *t, struct load_outcome *o)
{
    struct symptom s;
    int64_t failed = t->tally.errors[ERROR_CONNECT];
    bool scarce = t->connect_error[0] && symptom_find(t->connect_error, &s) &&
                  s.verdict != VERDICT_CONNECT_FAILED;
    if (failed > 0 && (scarce || t->tally.requests == 0)) {
        o->verdict = scarce ? s.verdict : VERDICT_CONNECT_FAILED;
        snprintf(o->note, sizeof o->note, "%lld connect%s failed: %s", (long long)failed,
                 failed == 1 ? "" : "s",
                 t->connect_error[0] ? t->connect_error : "volley doesn't say why");
    } else if (t->tally.requests == 0) {
        o->verdict = VERDICT_NO_DATA;
        snprintf(o->note, sizeof o->note, "no request was completed (%lld error%s)",
                 (long long)tally_errors(&t->tally), tally_errors(&t->tally) == 1 ? "" : "s");
    } else if (t->framing_error[0]) {
        snprintf(o->note, sizeof o->note, "the first framing error: %s", t->framing_error);
    }
}

/* Slices are kept without their histograms, which are most of their bytes: the summary has their
   sum. */
static int read_slices(const char *path, struct duel_slices *slices, struct err *e)
{
    char *text = file_read(path, NULL, e), *lean = NULL;
    int rc = text ? duel_slices_read(slices, text, path, e) : -1;
    if (rc == 0) {
        lean = duel_slices_lean(text);
        rc = file_replace(path, lean, strlen(lean), e);
    }
    free(lean);
    free(text);
    return rc;
}

/* 3: a server had not one right answer, which its figures say; the others' are good. Any other
   status is of a run that isn't whole, even where it printed a summary (its slices may be cut). */
static bool is_whole_run(const struct tool_end *end)
{
    return end->status == EXIT_DONE || end->status == EXIT_INCONCLUSIVE;
}

static void no_summary(const struct tool_end *end, size_t n, struct load_share *x)
{
    if (!is_whole_run(end)) {
        tool_diagnose(end, "volley", &x->tally, &x->outcome);
        return;
    }
    const char *said = end->out[0] ? end->out : "(nothing)";
    x->outcome.verdict = VERDICT_TOOL_FAILED;
    snprintf(x->outcome.note, sizeof x->outcome.note,
             "volley %s, but what it printed is no whole summary of %zu server%s; it begins: %.*s",
             end->how, n, n == 1 ? "" : "s", (int)strcspn(said, "\n"), said);
}

static int take_figures(const struct volley_target *targets, const struct volley_turns *asked,
                        const char *slices_path, struct load_share *shares, struct err *e)
{
    struct duel_slices slices = {0};
    struct volley_turns turns = *asked;
    int rc = read_slices(slices_path, &slices, e);
    turns.slices = &slices;
    if (rc == 0)
        volley_report_share(&turns, shares);
    for (size_t i = 0; i < turns.targets; i++) {
        shares[i].tally = targets[i].tally;
        shares[i].outcome.verdict = VERDICT_VALID;
        judge_target(&targets[i], &shares[i].outcome);
    }
    duel_slices_fini(&slices);
    return rc;
}

/* Figures and outcomes of a run that has ended by itself. */
static int conclude(const struct tool_end *end, const struct volley_turns *turns,
                    const char *slices_path, struct load_share *shares, struct err *e)
{
    size_t n = turns->targets;
    struct volley_target *targets = xcalloc(n, sizeof *targets);
    bool good = is_whole_run(end) && volley_report_parse(end->out, targets, n) == 0;
    int rc = good ? take_figures(targets, turns, slices_path, shares, e) : 0;
    for (size_t i = 0; i < n && !good; i++)
        no_summary(end, n, &shares[i]);
    free(targets);
    return rc;
}

static void no_figures(struct load_share *x)
{
    *x = (struct load_share){.outcome = {.verdict = VERDICT_NOT_RUN, .cpu_s = NAN},
                             .server_cpu_s = NAN,
                             .log_ratio = {NAN, NAN}};
    tally_unknown(&x->tally);
}

static void add_turns(struct tool_job *job, const struct load *l, size_t n, const size_t *order)
{
    volley_argv_add(&job->argv, "--slice", xasprintf("%.0fus", volley_slice_s(l) * 1e6));
    if (order)
        volley_argv_add(&job->argv, "--order", order_text(order, 2 * n));
    for (size_t i = 0; i < n; i++)
        volley_argv_pids(&job->argv, i, l[i].pids, l[i].pids_n);
}

static int measure_all(const struct load *l, size_t n, size_t reference, struct load_share *shares,
                       struct err *e)
{
    struct random random;
    struct tool_job job = {0};
    struct tool_end end = {0};
    struct load all = l[0];
    char *program;
    size_t *order = n > 1 ? xcalloc(2 * n, sizeof *order) : NULL;
    for (size_t i = 0; i < n; i++)
        no_figures(&shares[i]);
    if (order) {
        random_seed(&random, l->seed);
        block_draw_order(&random, n, order);
    }
    char *slices_path = xasprintf("%s/slices.jsonl", l->raw_dir);
    int rc = (program = volley_find(e)) ? 0 : -1;
    if (rc == 0) {
        make_job(&job, l, n, l->duration_s * (double)n, program);
        add_turns(&job, l, n, order);
        volley_argv_add(&job.argv, "--slices", xstrdup(slices_path));
        all.connections *= (unsigned)n; /* descriptors of the one process */
        rc = tool_run(&all, &job, &end, e);
    }
    struct volley_turns turns = {.order = order, .targets = n, .reference = reference};
    struct load_outcome cut = {0};
    if (rc == 0 && tool_cut_short(&end, &job, &cut)) {
        for (size_t i = 0; i < n; i++)
            shares[i].outcome = cut;
    } else if (rc == 0) {
        rc = conclude(&end, &turns, slices_path, shares, e);
    }
    tool_end_fini(&end);
    strings_fini(&job.argv);
    free(slices_path);
    free(order);
    return rc;
}

static int measure(const struct load *l, struct tally *t, struct load_outcome *o, struct err *e)
{
    struct load_share share;
    int rc = measure_all(l, 1, 1, &share, e);
    *t = share.tally;
    *o = share.outcome;
    return rc;
}

static int warm(const struct load *l, struct err *e)
{
    struct limits limits;
    struct tool_job job = {0};
    struct tool_end end = {0};
    char *program;
    int rc = 0;
    limits_read(&limits, "/proc");
    if (l->warmup_s > 0 && (rc = (program = volley_find(e)) ? 0 : -1) == 0) {
        make_job(&job, l, 1, l->warmup_s, program);
        char *prefix = xasprintf("warm-%u-", ntohs(l->address.sin_port));
        job.prefix = prefix;
        rc = tool_run(l, &job, &end, e);
        tool_end_fini(&end);
        strings_fini(&job.argv);
        free(prefix);
    }
    limits_settle(&limits, l);
    return rc;
}

const struct generator volley_generator = {
    .name = "volley",
    .title = "all servers of a comparison side by side; one thread; latencies as measured",
    .missing = missing,
    .version = version,
    .seconds = seconds,
    .refuses = refuses,
    .warm = warm,
    .measure = measure,
    .measure_all = measure_all};
