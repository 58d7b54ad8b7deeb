/* reproduce: the terminal's table, a block of rows a published table, and the few words that rows
   and tables are named by everywhere. */
#include "present/reproduce.h"

#include "base/alloc.h"
#include "present/figure.h"
#include "present/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *reproduce_row_name(const struct published_row *row)
{
    static char text[120];
    char workers[40] = "", run[20] = "";
    if (row->workers)
        snprintf(workers, sizeof workers, ", %s", figure_many(row->workers, "worker").text);
    if (row->run)
        snprintf(run, sizeof run, ", run %u", row->run);
    snprintf(text, sizeof text, "%s%s%s", row->server, workers, run);
    return text;
}

const char *reproduce_flags(const struct published *p, size_t table)
{
    static char text[120];
    const struct published_table *t = &p->tables[table];
    char threads[24] = "", length[40] = "";
    if (t->threads)
        snprintf(threads, sizeof threads, " -t%u", t->threads);
    if (isfinite(t->duration_s))
        snprintf(length, sizeof length, " -d%gs", t->duration_s);
    for (size_t i = 0; i < p->rows_n && !length[0]; i++)
        if (p->rows[i].table == table)
            snprintf(length, sizeof length, " -n %llu", (unsigned long long)p->rows[i].requests);
    for (size_t i = 0; i < p->rows_n; i++) {
        char own[40];
        snprintf(own, sizeof own, " -n %llu", (unsigned long long)p->rows[i].requests);
        if (p->rows[i].table == table && !isfinite(t->duration_s) && strcmp(own, length) != 0)
            snprintf(length, sizeof length, " -n by row");
    }
    snprintf(text, sizeof text, "%s%s%s, %s", t->generator, threads, length,
             t->keepalive ? "keep-alive" : "close");
    return text;
}

const char *reproduce_interval(const struct interval *v)
{
    static char text[120];
    char low[32], high[32];
    snprintf(low, sizeof low, "%s", figure_ratio(v->low, v->low, v->high).text);
    snprintf(high, sizeof high, "%s", figure_ratio(v->high, v->low, v->high).text);
    const char *middle = figure_ratio(v->estimate, v->low, v->high).text;
    if (!isfinite(v->estimate))
        return "-";
    if (isfinite(v->low))
        snprintf(text, sizeof text, "%s (%s to %s)",
                 figure_ratio(v->estimate, v->low, v->high).text, low, high);
    else
        snprintf(text, sizeof text, "%s", middle);
    return text;
}

static enum grid_tone tone_of(enum published_word w)
{
    return w == WORD_HOLDS      ? TONE_GOOD
           : w == WORD_DIFFERS  ? TONE_WARN
           : w == WORD_CANT_RUN ? TONE_DIM
                                : TONE_PLAIN;
}

/* A figure never stands without its verdict: "61200", "61200 !client_bound", "-". */
static char *measured(const struct published_finding *f)
{
    if (!isfinite(f->requests_per_s))
        return xstrdup("-");
    if (f->verdict == VERDICT_VALID)
        return xasprintf("%.0f", f->requests_per_s);
    return xasprintf("%.0f !%s", f->requests_per_s, verdict_name(f->verdict));
}

static void add_row(struct grid *g, const struct published_outcome *o, size_t i)
{
    const struct published_row *row = &o->document->rows[i];
    const struct published_finding *f = &o->rows[i];
    grid_row(g);
    grid_set(g, 0, xstrdup(reproduce_row_name(row)), TONE_PLAIN);
    grid_set(g, 1, xstrdup(row->page), TONE_PLAIN);
    grid_set(g, 2, xasprintf("%u", row->cell.connections), TONE_PLAIN);
    grid_set(g, 3, xasprintf("%.0f", row->requests_per_s), TONE_PLAIN);
    grid_set(g, 4, measured(f), f->verdict == VERDICT_VALID ? TONE_PLAIN : TONE_WARN);
    grid_set(g, 5, xasprintf("%s", row->base == i ? "1" : figure_ratio(f->ratio, NAN, NAN).text),
             TONE_PLAIN);
    grid_set(g, 6, xstrdup(row->base == i ? "1" : reproduce_interval(&f->throughput)), TONE_PLAIN);
    grid_set(g, 7, xstrdup(published_word_name(f->word)), tone_of(f->word));
}

static void add_head(struct grid *g)
{
    static const char *const heads[] = {"server",   "route", "c",          "published",
                                        "measured", "ratio", "ratio here", "word"};
    grid_row(g);
    for (size_t i = 0; i < 8; i++)
        grid_set(g, i, xstrdup(heads[i]), TONE_DIM);
}

/* The reasons of a table's rows, each once, with how many rows have it. */
static void write_reasons(FILE *to, const struct published_outcome *o, size_t table, unsigned width)
{
    const struct published *p = o->document;
    for (size_t i = 0; i < p->rows_n; i++) {
        size_t same = 0, before = 0;
        if (p->rows[i].table != table || !o->rows[i].why[0])
            continue;
        for (size_t k = 0; k < p->rows_n; k++)
            if (p->rows[k].table == table && strcmp(o->rows[k].why, o->rows[i].why) == 0) {
                same++;
                before += k < i;
            }
        if (before)
            continue;
        char *lead = xasprintf("  %s %s c=%u%s: %s: ", p->rows[i].server, p->rows[i].page,
                               p->rows[i].cell.connections, same > 1 ? " and others" : "",
                               published_word_name(o->rows[i].word));
        char *text = xasprintf("%s%s", lead, o->rows[i].why);
        grid_wrap(to, "  ", text + 2, width);
        free(text);
        free(lead);
    }
}

static void write_table(FILE *to, const struct published_outcome *o, size_t table, unsigned width,
                        bool color)
{
    const struct published *p = o->document;
    const struct published_table *t = &p->tables[table];
    struct grid g;
    char *title = xasprintf("%s (%s%s%s)", t->id, reproduce_flags(p, table), t->host ? "; " : "",
                            t->host ? t->host : "");
    fputc('\n', to);
    grid_tone(to, TONE_BOLD, color, title);
    fputc('\n', to);
    if (t->note)
        grid_wrap(to, "  ", t->note, width);
    grid_init(&g, 8);
    for (size_t i = 2; i < 7; i++)
        g.right[i] = true;
    add_head(&g);
    for (size_t i = 0; i < p->rows_n; i++)
        if (p->rows[i].table == table)
            add_row(&g, o, i);
    grid_write(to, &g, color);
    grid_fini(&g);
    write_reasons(to, o, table, width);
    free(title);
}

static void write_line(FILE *to, const char *label, enum published_word word, const char *text,
                       unsigned width)
{
    char *line = word == WORD_COUNT
                     ? xasprintf("%s: %s", label, text)
                     : xasprintf("%s: %s: %s", label, published_word_name(word), text);
    grid_wrap(to, "  ", line, width);
    free(line);
}

static void write_claims(FILE *to, const struct published_outcome *o, unsigned width, bool color)
{
    const struct published *p = o->document;
    if (!p->claims_n)
        return;
    fputc('\n', to);
    grid_tone(to, TONE_BOLD, color,
              "What it says, what its own figures say, and what was measured");
    fputc('\n', to);
    for (size_t i = 0; i < p->claims_n; i++) {
        const struct published_judgement *j = &o->claims[i];
        fprintf(to, "%s\n", p->claims[i].id);
        write_line(to, "said", j->said, p->claims[i].said, width);
        write_line(to, "its own data", j->data, p->claims[i].data, width);
        if (j->measured[0])
            write_line(to, "here", WORD_COUNT, j->measured, width);
        if (j->why[0])
            write_line(to, "note", WORD_COUNT, j->why, width);
    }
}

static void write_counts(FILE *to, const struct published_outcome *o)
{
    size_t of[WORD_COUNT] = {0};
    for (size_t i = 0; i < o->document->rows_n; i++)
        of[o->rows[i].word]++;
    fprintf(to, "\n%s:", figure_many(o->document->rows_n, "published row").text);
    for (int w = 0; w < WORD_COUNT; w++)
        if (of[w])
            fprintf(to, " %zu %s;", of[w], published_word_name((enum published_word)w));
    fputs(" holds = within 20 %, the spread of the authors' own repetitions\n", to);
}

void reproduce_write_table(FILE *to, const struct published_outcome *o, unsigned width, bool color)
{
    locale_t before = figure_locale_begin();
    fprintf(to, "%s\n", o->document->title);
    for (size_t i = 0; i < o->document->tables_n; i++)
        write_table(to, o, i, width, color);
    write_claims(to, o, width, color);
    write_counts(to, o);
    figure_locale_end(before);
}

void reproduce_write_plan(FILE *to, const struct published_outcome *o, double seconds,
                          unsigned width)
{
    const struct published *p = o->document;
    fprintf(to, "%s: %s, %s in %s, about %s%s\n", p->id,
            figure_many(p->rows_n, "published row").text, figure_many(p->tables_n, "table").text,
            figure_many(o->plan->parts_n, "run").text, figure_duration(seconds).text,
            o->plan->quick ? " (quick)" : "");
    grid_wrap(to, "source: ", p->source, width);
    for (size_t i = 0; i < p->adaptations.n; i++)
        grid_wrap(to, "adapted: ", p->adaptations.item[i], width);
    for (size_t i = 0; i < o->plan->parts_n; i++)
        for (size_t k = 0; k < o->plan->parts[i].adapted.n; k++)
            grid_wrap(to, "adapted: ", o->plan->parts[i].adapted.item[k], width);
    for (size_t i = 0; i < o->missing.n; i++) {
        char *text =
            xasprintf("%s can't run here: %s", o->missing.item[i].key, o->missing.item[i].text);
        grid_wrap(to, "missing: ", text, width);
        free(text);
    }
}
