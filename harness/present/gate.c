/* gate: see present/gate.h. What passed is counted, what did not is shown; the summary has it all.
 */
#include "present/gate.h"

#include "base/alloc.h"
#include "present/figure.h"
#include "present/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *outcome_words(enum gate_outcome o)
{
    static const char *const words[GATE_OUTCOMES] = {
        "pass", "improved", "new", "note", "not compared", "inconclusive", "missing", "FAIL"};
    return words[o];
}

static enum grid_tone tone_of(enum gate_outcome o)
{
    return o == GATE_FAIL || o == GATE_MISSING                                  ? TONE_BAD
           : o == GATE_PASS || o == GATE_IMPROVED                               ? TONE_GOOD
           : o == GATE_INCONCLUSIVE || o == GATE_NOT_COMPARED || o == GATE_NOTE ? TONE_WARN
                                                                                : TONE_PLAIN;
}

bool gate_is_news(const struct gate_check *c)
{
    return c->outcome != GATE_PASS || c->tier == GATE_DUEL;
}

static char *interval_change(const struct gate_check *c)
{
    const char *way = c->worse > 0 ? "worse" : "better";
    if (isfinite(c->low) && isfinite(c->high))
        return xasprintf("%.2f %% %s (%.2f to %.2f)", fabs(c->worse), way, c->low, c->high);
    return xasprintf("%.2f %% %s", fabs(c->worse), way);
}

/* Of large counts a fraction is the clock's noise. */
static char *counts_change(double before, double now)
{
    double unit = now >= 100 ? 1 : 100;
    before = round(before * unit) / unit;
    now = round(now * unit) / unit;
    return before == now ? xasprintf("%.10g", now) : xasprintf("%.10g -> %.10g", before, now);
}

char *gate_change(const struct gate_check *c)
{
    if (isfinite(c->before) && isfinite(c->now) && c->tier == GATE_COUNTS)
        return counts_change(c->before, c->now);
    if (isfinite(c->worse))
        return interval_change(c);
    if (isfinite(c->now))
        return xasprintf("%.4g%s%s", c->now, *c->unit ? " " : "", c->unit);
    return xstrdup("-");
}

static void write_head(FILE *to, const struct gate *g, unsigned width, bool color)
{
    enum grid_tone tone = g->verdict == GATE_VERDICT_PASS   ? TONE_GOOD
                          : g->verdict == GATE_VERDICT_FAIL ? TONE_BAD
                                                            : TONE_WARN;
    grid_tone(to, tone, color, gate_verdict_name(g->verdict));
    fputc('\n', to);
    grid_wrap(to, "  ", g->reason ? g->reason : "", width);
}

static void write_table(FILE *to, const struct gate *g, bool color)
{
    struct grid grid;
    size_t silent = 0;
    grid_init(&grid, 4);
    for (size_t i = 0; i < g->checks_n; i++) {
        const struct gate_check *c = &g->checks[i];
        if (!gate_is_news(c)) {
            silent++;
            continue;
        }
        grid_row(&grid);
        grid_set(&grid, 0, xstrdup(outcome_words(c->outcome)), tone_of(c->outcome));
        grid_set(&grid, 1, xstrdup(gate_tier_name(c->tier)), TONE_DIM);
        grid_set(&grid, 2, xstrdup(c->series), TONE_PLAIN);
        grid_set(&grid, 3, gate_change(c), TONE_PLAIN);
    }
    grid_write(to, &grid, color);
    grid_fini(&grid);
    if (silent)
        fprintf(to, "%s passed without a change worth telling\n",
                figure_many(silent, "check").text);
}

/* What those checks say that ask for a deed. */
static void write_words(FILE *to, const struct gate *g, unsigned width)
{
    for (size_t i = 0; i < g->checks_n; i++) {
        const struct gate_check *c = &g->checks[i];
        if (c->outcome == GATE_PASS || c->outcome == GATE_IMPROVED)
            continue;
        char *text = xasprintf("%s: %s", c->series, c->words);
        grid_wrap(to, "- ", text, width);
        free(text);
    }
    for (size_t i = 0; i < g->notes.n; i++)
        grid_wrap(to, "note: ", g->notes.item[i], width);
}

void gate_write(FILE *to, const struct gate *g, unsigned width, bool color)
{
    locale_t before = figure_locale_begin();
    char *chart = gate_chart(g);
    write_table(to, g, color);
    fputs(chart, to);
    write_words(to, g, width);
    write_head(to, g, width, color);
    free(chart);
    figure_locale_end(before);
}

/* Markdown's own characters, and a line's end, lose their meaning. */
static void put_plain(FILE *to, const char *text)
{
    for (const char *p = text ? text : ""; *p; p++) {
        if (strchr("<&@#", *p)) /* markup, and what would name people or issues */
            fprintf(to, "&#%d;", *p);
        else if ((unsigned char)*p < ' ')
            fputc(' ', to);
        else if (strchr("\\`*_{}[]|~$", *p))
            fprintf(to, "\\%c", *p);
        else
            fputc(*p, to);
    }
}

static void put_row(FILE *to, const struct gate_check *c)
{
    char *change = gate_change(c);
    bool bad = c->outcome == GATE_FAIL || c->outcome == GATE_MISSING;
    fprintf(to, "| %s%s%s | %s | ", bad ? "**" : "", outcome_words(c->outcome), bad ? "**" : "",
            gate_tier_name(c->tier));
    put_plain(to, c->series);
    fputs(" | ", to);
    put_plain(to, change);
    fputs(" | ", to);
    put_plain(to, c->words);
    fputs(" |\n", to);
    free(change);
}

static void put_table(FILE *to, const struct gate *g, bool news)
{
    fputs("\n| outcome | tier | series | change | what was found |\n|---|---|---|---|---|\n", to);
    for (size_t i = 0; i < g->checks_n; i++)
        if (gate_is_news(&g->checks[i]) == news)
            put_row(to, &g->checks[i]);
}

static void put_title(FILE *to, const struct gate *g)
{
    fprintf(to, "## Parity gate: %s\n\n", gate_verdict_name(g->verdict));
    put_plain(to, g->reason);
    fputs("\n\n", to);
    put_plain(to, g->head ? g->head : "no build");
    fputs(g->base ? " against " : ", no base", to);
    put_plain(to, g->base);
    fprintf(to, "; %s; ", figure_duration(g->elapsed_s).text);
    put_plain(to, facts_show(&g->environment, "cpu_model"));
    fputs(", Linux ", to);
    put_plain(to, facts_show(&g->environment, "kernel"));
    fputc('\n', to);
}

static void put_notes(FILE *to, const struct gate *g)
{
    for (size_t i = 0; i < g->notes.n; i++) {
        fputs(i ? "- " : "\n- ", to);
        put_plain(to, g->notes.item[i]);
        fputc('\n', to);
    }
}

char *gate_summary(const struct gate *g)
{
    char *text = NULL, *chart = gate_chart(g);
    size_t size, silent = 0;
    FILE *to = open_memstream(&text, &size);
    locale_t before = figure_locale_begin();
    put_title(to, g);
    put_table(to, g, true);
    if (*chart)
        fprintf(to, "\n```text\n%s```\n", chart);
    put_notes(to, g);
    for (size_t i = 0; i < g->checks_n; i++)
        silent += !gate_is_news(&g->checks[i]);
    if (silent) {
        fprintf(to, "\n<details><summary>%s passed without a change worth telling</summary>\n",
                figure_many(silent, "check").text);
        put_table(to, g, false);
        fputs("\n</details>\n", to);
    }
    figure_locale_end(before);
    fclose(to);
    free(chart);
    return text;
}
