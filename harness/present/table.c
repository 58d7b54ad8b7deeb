/* table: what `parity run` prints at the end: figures, then what is left out and why, then words.
   Builds no number of its own. The fairness table is in table_fairness.c. */
#include "present/table.h"

#include "base/alloc.h"
#include "present/exclusion.h"
#include "present/figure.h"
#include "present/finding.h"
#include "present/grid.h"
#include "present/table_panel.h"
#include "present/witness.h"
#include "stats/signed_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct style {
    unsigned width;
    bool color;
};

static void heading(FILE *to, const char *text, struct style s)
{
    fputc('\n', to);
    grid_tone(to, TONE_BOLD, s.color, text);
    fputc('\n', to);
}

/* Ends a text begun with open_memstream, writes it wrapped and frees it. */
static void flush_wrapped(FILE *to, const char *lead, FILE *text, char **buffer, unsigned width)
{
    fclose(text);
    grid_wrap(to, lead, *buffer, width);
    free(*buffer);
    *buffer = NULL;
}

static void write_head(FILE *to, const struct result *r, struct style s)
{
    const struct plan *p = &r->plan;
    char *buffer = NULL;
    size_t size;
    FILE *text = open_memstream(&buffer, &size);
    fprintf(text, "%s:", p->suite.name ? p->suite.name : "parity");
    for (size_t i = 0; i < p->servers_n; i++)
        fprintf(text, "%s %s%s", i ? "," : "", p->servers[i].name,
                i == p->reference ? " (reference)" : "");
    fprintf(text, "; %s of %s s, %u worker%s, seed %llu", suite_blocks_text(&p->suite),
            figure_count(p->suite.duration_s).text, p->suite.workers,
            p->suite.workers == 1 ? "" : "s", (unsigned long long)p->suite.seed);
    if (r->state != RUN_COMPLETE)
        fprintf(text, "; %s: this is a part of the plan", run_state_name(r->state));
    flush_wrapped(to, "", text, &buffer, s.width);
    for (size_t i = 0; i < p->servers_n; i++)
        if (r->servers[i].failed) {
            char *lead = xasprintf("  %s: ", p->servers[i].name);
            grid_wrap(to, lead, r->servers[i].failed, s.width);
            free(lead);
        }
}

static void write_exclusion(FILE *to, const struct exclusion *x, const struct result *r,
                            struct style s)
{
    char *buffer = NULL;
    size_t size;
    FILE *text = open_memstream(&buffer, &size);
    fprintf(text, "%s (%zu): %s", verdict_name(x->verdict), x->cells_n,
            verdict_meaning(x->verdict));
    if (x->verdict == VERDICT_CLIENT_BOUND)
        fputs("; requests/s is left out of ratios, CPU per request stays comparable", text);
    flush_wrapped(to, "  ", text, &buffer, s.width);
    text = open_memstream(&buffer, &size);
    exclusion_write_cells(text, x, r);
    flush_wrapped(to, "      ", text, &buffer, s.width);
    if (!x->evidence[0])
        return;
    const struct cell *c = &r->plan.cells[x->cells[0]];
    text = open_memstream(&buffer, &size);
    if (x->verdict == VERDICT_SKIPPED)
        fputs(x->evidence, text);
    else
        fprintf(text, "%s%s at %u: %s", x->cells_n > 1 ? "such as " : "",
                r->plan.servers[c->server].name, c->connections, x->evidence);
    flush_wrapped(to, "      ", text, &buffer, s.width);
}

static void write_exclusions(FILE *to, const struct result *r, struct style s)
{
    struct exclusions x;
    exclusions_make(&x, r);
    if (x.n == 0 && r->plan.cells_n == 1) {
        fputs("\nThe only cell is valid.\n", to);
    } else if (x.n == 0) {
        fprintf(to, "\nAll %zu cells are valid.\n", r->plan.cells_n);
    } else {
        char *title =
            xasprintf("Not valid: %zu of %s", x.cells_n, figure_many(r->plan.cells_n, "cell").text);
        heading(to, title, s);
        free(title);
    }
    for (size_t i = 0; i < x.n; i++)
        write_exclusion(to, &x.item[i], r, s);
    exclusions_fini(&x);
}

/* What one server has in a comparison; both metrics in one breath when neither has a ratio. */
static void write_server(FILE *to, const struct result *r, size_t cell)
{
    const struct ratio *rate = panel_ratio(r, cell, METRIC_THROUGHPUT);
    const struct ratio *cpu = panel_ratio(r, cell, METRIC_CPU);
    fprintf(to, "%s ", r->plan.servers[r->plan.cells[cell].server].name);
    if (finding_of(rate) == FINDING_NONE && finding_of(cpu) == FINDING_NONE) {
        fprintf(to, "has no ratio%s%s%s", rate && rate->note[0] ? " (" : "", rate ? rate->note : "",
                rate && rate->note[0] ? ")" : "");
        return;
    }
    if (rate)
        finding_write(to, r, rate);
    fputs(rate && cpu ? ", " : "", to);
    if (cpu)
        finding_write(to, r, cpu);
}

static void write_comparison(FILE *to, const struct result *r, size_t comparison, struct style s)
{
    const struct comparison *c = &r->plan.comparisons[comparison];
    char *buffer = NULL;
    size_t size, n = 0;
    FILE *text = open_memstream(&buffer, &size);
    fprintf(text, "%s: ", cell_title(&r->plan, &r->plan.cells[c->first]));
    for (size_t cell = c->first; cell < c->first + c->n; cell++) {
        if (r->plan.cells[cell].server == r->plan.reference)
            continue;
        fputs(n++ ? "; " : "", text);
        write_server(text, r, cell);
    }
    fputs(".", text);
    witness_write(text, r, comparison);
    flush_wrapped(to, "  ", text, &buffer, s.width);
}

/* " 0.53 to 0.60 times the requests/s (2 comparisons)" */
static void write_span(FILE *to, const struct finding_count *c, enum metric metric)
{
    struct figure low = figure_ratio(c->lowest, NAN, NAN);
    struct figure high = figure_ratio(c->highest, NAN, NAN);
    fprintf(to, " %s", low.text);
    if (strcmp(low.text, high.text) != 0)
        fprintf(to, " to %s", high.text);
    fprintf(to, " times the %s", finding_subject(metric));
    if (c->of[FINDING_FEW] > 1)
        fprintf(to, " (%s)", figure_many(c->of[FINDING_FEW], "comparison").text);
}

/* Without any interval one sentence a server says more than the same one for every comparison. */
static void write_without_intervals(FILE *to, const struct result *r, struct style s)
{
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        struct finding_count rate, cpu;
        finding_count(&rate, r, i, METRIC_THROUGHPUT);
        finding_count(&cpu, r, i, METRIC_CPU);
        if (i == r->plan.reference || (!rate.of[FINDING_FEW] && !cpu.of[FINDING_FEW]))
            continue;
        char *buffer = NULL;
        size_t size;
        FILE *text = open_memstream(&buffer, &size);
        fprintf(text, "%s against %s:", r->plan.servers[i].name,
                r->plan.servers[r->plan.reference].name);
        if (rate.of[FINDING_FEW])
            write_span(text, &rate, METRIC_THROUGHPUT);
        fputs(rate.of[FINDING_FEW] && cpu.of[FINDING_FEW] ? "," : "", text);
        if (cpu.of[FINDING_FEW])
            write_span(text, &cpu, METRIC_CPU);
        fputs(".", text);
        flush_wrapped(to, "  ", text, &buffer, s.width);
    }
    size_t most = 0; /* valid blocks */
    for (size_t i = 0; i < r->ratios_n; i++)
        most = r->ratios[i].value.n > most ? r->ratios[i].value.n : most;
    char *why =
        xasprintf("Too few blocks for an interval (n=%zu, %zu are needed: --blocks %zu), so "
                  "no order is claimed: these are the ratios that these blocks had.",
                  most, signed_rank_smallest_n(0.05), signed_rank_smallest_n(0.05));
    grid_wrap(to, "  ", why, s.width);
    free(why);
}

static bool has_ratio(const struct result *r)
{
    for (size_t i = 0; i < r->ratios_n; i++)
        if (finding_of(&r->ratios[i]) != FINDING_NONE)
            return true;
    return false;
}

static void write_words(FILE *to, const struct result *r, struct style s)
{
    unsigned confidence = finding_confidence(r);
    heading(to, "In words", s);
    if (!has_ratio(r)) {
        grid_wrap(to, "  ",
                  "Nothing can be compared: no comparison has valid cells of both the reference "
                  "and another server.",
                  s.width);
        return;
    }
    if (confidence == 0) {
        write_without_intervals(to, r, s);
        return;
    }
    char *note = xasprintf("Against %s; in brackets the interval, which holds with at least %u %% "
                           "each, so that of many a few will miss. This machine, not others.",
                           r->plan.servers[r->plan.reference].name, confidence);
    grid_wrap(to, "  ", note, s.width);
    free(note);
    for (size_t i = 0; i < r->plan.comparisons_n; i++)
        if (!witness_is_heard(r, i))
            write_comparison(to, r, i, s);
}

/* wrk's figures are its own corrections: said once, and only when they are there. */
static void write_latency_note(FILE *to, const struct result *r, struct style s)
{
    bool corrected = false, censored = false;
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        corrected |= r->cells[i].latency_corrected;
        censored |= r->cells[i].latency_censored;
    }
    if (corrected)
        grid_wrap(
            to, "",
            "Latencies by wrk are corrected by wrk for coordinated omission, not as measured.",
            s.width);
    if (censored)
        grid_wrap(to, "", "> : answers slower than the generator's time limit are missing.",
                  s.width);
}

void table_result(FILE *to, const struct result *r, unsigned width, bool color)
{
    struct style s = {width, color};
    struct panels panels;
    locale_t before = figure_locale_begin();
    panels_make(&panels, r);
    write_head(to, r, s);
    for (size_t i = 0; i < panels.n; i++) {
        fputc('\n', to);
        table_panel(to, &panels.item[i], r, width, color);
    }
    write_latency_note(to, r, s);
    write_exclusions(to, r, s);
    write_words(to, r, s);
    if (r->warnings.n)
        heading(to, "Warnings", s);
    for (size_t i = 0; i < r->warnings.n; i++)
        grid_wrap(to, "  - ", r->warnings.item[i], width);
    panels_fini(&panels);
    figure_locale_end(before);
}
