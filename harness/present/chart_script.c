/* chart_script: a draft as gnuplot's data and script. Ranges and ticks are explicit, so that one
   point or equal values need no guessing; text is never "enhanced", so that names keep their
   underscores; each block of data that the script names is there. Works with gnuplot 5.0 and later.

   The data of one server: its valid points (a blank line where one in between is missing, which
   breaks the line), its hollow points, and before them its bars; each block only when it has
   points. */
#include "present/chart.h"
#include "present/chart_draft.h"

#include "base/alloc.h"
#include "present/figure.h"
#include "present/finding.h"

#include <math.h>
#include <stdlib.h>

enum {
    HEIGHT = 500, /* of the terminals in chart.c */
    LINE = 19,
    NOTE_COLUMNS = 88,
    NOTE_LINES = 5
};

enum block {
    BLOCK_BARS, /* first: gnuplot leaves white where a bar's point would be */
    BLOCK_FILLED,
    BLOCK_HOLLOW,
    BLOCKS
};

static bool in_block(const struct draft *d, const struct point *pt, enum block b)
{
    if (!draft_has(d, pt))
        return false;
    if (b == BLOCK_BARS)
        return isfinite(pt->low) && isfinite(pt->high);
    return point_is_valid(pt, d->kind) == (b == BLOCK_FILLED);
}

static size_t block_size(const struct draft *d, const struct series *s, enum block b)
{
    size_t n = 0;
    for (size_t k = 0; k < s->n; k++)
        n += in_block(d, &s->points[k], b);
    return n;
}

/* Servers stand side by side at a level, a few percent apart, so that bars don't hide each other.
 */
static double place(const struct draft *d, const struct series *s, const struct point *pt)
{
    double middle = ((double)d->panel->servers_n - 1) / 2;
    return d->panel->levels[pt->level] * exp2(0.09 * ((double)s->server - middle));
}

static double inside(const struct draft *d, double v)
{
    v /= d->scale;
    return d->y.log ? fmin(fmax(v, d->y.low), d->y.high) : v;
}

/* Text on one line; its quotes doubled where it goes into a single-quoted string of gnuplot, in
   which nothing else is special. */
static void write_plain(FILE *to, const char *text, bool quoted)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        fputs(quoted && c == '\'' ? "'" : "", to);
        fputc(c < 0x20 || c == 0x7f ? ' ' : c, to);
    }
}

static void write_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    write_plain(to, text, true);
    fputc('\'', to);
}

static void write_block(FILE *to, const struct draft *d, const struct series *s, enum block b)
{
    static const char *const names[BLOCKS] = {"bars", "valid", "hollow"};
    bool gap = false, any = false;
    fputs("# ", to);
    write_plain(to, d->r->plan.servers[s->server].name, false);
    fprintf(to, ", %s: connections, %s, low, high\n", names[b], d->unit);
    for (size_t k = 0; k < s->n; k++) {
        const struct point *pt = &s->points[k];
        if (!in_block(d, pt, b)) {
            gap = true;
            continue;
        }
        if (gap && any && b == BLOCK_FILLED)
            fputc('\n', to);
        fprintf(to, "%.6g %.6g", place(d, s, pt), inside(d, pt->value));
        if (b == BLOCK_BARS)
            fprintf(to, " %.6g %.6g", inside(d, pt->low), inside(d, pt->high));
        fputc('\n', to);
        any = true;
        gap = false;
    }
    fputs("\n\n", to);
}

void draft_write_data(FILE *to, const struct draft *d)
{
    for (size_t i = 0; i < d->series_n; i++)
        for (int b = 0; b < BLOCKS; b++)
            if (block_size(d, &d->series[i], (enum block)b))
                write_block(to, d, &d->series[i], (enum block)b);
}

static void write_meaning(FILE *to, const struct draft *d)
{
    unsigned confidence = finding_confidence(d->r);
    switch (d->kind) {
    case CHART_THROUGHPUT:
        fputs("Median over blocks; bars: smallest and largest block.", to);
        break;
    case CHART_PARITY:
    case CHART_PARITY_CPU:
        fprintf(to, "Reference: %s.", d->r->plan.servers[d->r->plan.reference].name);
        if (d->bars)
            fprintf(to, " Bars: interval, at least %u %% each.", confidence);
        else
            fputs(" Too few blocks for an interval: no order is claimed.", to);
        break;
    case CHART_P50:
    case CHART_P99:
        fputs("Median over blocks.", to);
        for (size_t i = 0; i < d->r->plan.cells_n; i++)
            if (d->r->plan.cells[i].generator == d->panel->generator &&
                d->r->cells[i].latency_corrected) {
                fputs(" The generator corrected these for coordinated omission.", to);
                break;
            }
        break;
    default: fputs("Median over blocks.", to);
    }
}

static char *notes_text(const struct draft *d)
{
    char *text = NULL;
    size_t size;
    bool hollow = false, missing = false;
    for (size_t i = 0; i < d->remarks.n; i++) {
        hollow |= d->remarks.item[i].drawn;
        missing |= !d->remarks.item[i].drawn;
    }
    FILE *to = open_memstream(&text, &size);
    write_meaning(to, d);
    fputs(hollow ? " Hollow = not comparable: " : "", to);
    remarks_write(to, &d->remarks, true, d->panel, d->r);
    fputs(hollow ? "." : "", to);
    fputs(missing ? " Not drawn: " : "", to);
    remarks_write(to, &d->remarks, false, d->panel, d->r);
    fputs(missing ? "." : "", to);
    fclose(to);
    return text;
}

/* Ends the next line of text at a blank and returns it; *rest goes on after it. NULL at the end. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (!line)
        return NULL;
    size_t n = 0, cut = 0;
    while (n < NOTE_COLUMNS && line[n]) {
        if (line[n] == ' ')
            cut = n;
        n++;
    }
    if (!line[n]) {
        *rest = NULL;
    } else {
        cut = cut ? cut : n - 1; /* a word longer than the line loses a byte: it is cut anyway */
        line[cut] = '\0';
        *rest = line + cut + 1;
    }
    return line;
}

/* Footnotes as labels at the bottom; returns how many lines there are. */
static unsigned write_notes(FILE *to, const struct draft *d)
{
    char *text = notes_text(d), *rest = text, *lines[NOTE_LINES];
    unsigned n = 0;
    while (n < NOTE_LINES && (lines[n] = next_line(&rest)))
        n++;
    if (rest && n == NOTE_LINES)
        lines[n - 1] = "... and more: see the tables of the report.";
    for (unsigned i = 0; i < n; i++) {
        fputs("set label ", to);
        write_quoted(to, lines[i]);
        fprintf(to, " at screen 0.015,%.4f left textcolor rgb '#555555'\n",
                (8.0 + LINE * (n - 1 - i + 0.4)) / HEIGHT);
    }
    free(text);
    return n;
}

static void write_head(FILE *to, const struct draft *d)
{
    size_t terminals;
    fprintf(to,
            "# %s: gnuplot -e \"term='png'; output='%s.png'\" %s.gp\n"
            "if (!exists(\"term\")) term = '%s'\n"
            "if (!exists(\"output\")) output = '%s.svg'\n"
            "reset\n"
            "set terminal @term\n"
            "set output output\n"
            "set termoption noenhanced\n"
            "set encoding utf8\n"
            "set object 1 rectangle from screen 0,0 to screen 1,1 behind "
            "fillcolor rgb '#ffffff' fillstyle solid noborder\n"
            "set title ",
            d->name, d->name, d->name, chart_terminals(&terminals)->term, d->name);
    write_quoted(to, d->title);
    fputs("\nset ylabel ", to);
    write_quoted(to, d->unit);
    fputs("\nset xlabel 'connections'\n", to);
}

static void write_axes(FILE *to, const struct draft *d)
{
    const struct panel *p = d->panel;
    fputs("set border 3 linecolor rgb '#777777'\n"
          "set tics nomirror out scale 0.5 textcolor rgb '#333333'\n"
          "set grid ytics linecolor rgb '#dddddd' linewidth 1 dashtype 1\n"
          "set logscale x 2\n",
          to);
    fprintf(to, "set xrange [%.6g:%.6g]\nset xtics (", p->levels[0] / 1.6,
            p->levels[p->levels_n - 1] * 1.6);
    for (size_t i = 0; i < p->levels_n; i++)
        fprintf(to, "%s'%u' %u", i ? ", " : "", p->levels[i], p->levels[i]);
    fprintf(to, ")%s\n", p->levels_n > 14 ? " rotate by -60" : "");
    fprintf(to, "%sset yrange [%.6g:%.6g]\nset ytics (", d->y.log ? "set logscale y\n" : "",
            d->y.low, d->y.high);
    for (size_t i = 0; i < d->y.ticks_n; i++)
        fprintf(to, "%s'%.6g' %.6g", i ? ", " : "", d->y.ticks[i], d->y.ticks[i]);
    fputs(")\n", to);
    if (d->kind == CHART_PARITY || d->kind == CHART_PARITY_CPU)
        fputs("set arrow 1 from graph 0,first 1 to graph 1,first 1 nohead "
              "linecolor rgb '#000000' linewidth 1.5\n",
              to);
}

/* What the machine can do is a dashed line without points, whatever its place among the servers. */
static void write_limit(FILE *to, const struct draft *d, const struct series *s)
{
    char *title = xasprintf("%s (limit)", d->r->plan.servers[s->server].name);
    fputs("using 1:2 with lines linewidth 2 dashtype 2 linecolor rgb '#000000' title ", to);
    write_quoted(to, title);
    free(title);
}

static void write_curve(FILE *to, const struct draft *d, const struct series *s, enum block b)
{
    const struct look *look = series_look(s->server);
    if (b == BLOCK_FILLED && d->r->plan.servers[s->server].limit) {
        write_limit(to, d, s);
        return;
    }
    bool titled = b == BLOCK_FILLED || !block_size(d, s, BLOCK_FILLED);
    switch (b) {
    case BLOCK_FILLED:
        fprintf(to, "using 1:2 with linespoints linewidth 2 dashtype %d pointtype %d pointsize 0.9",
                look->dash, look->filled);
        break;
    case BLOCK_BARS:
        fprintf(to, "using 1:2:3:4 with yerrorbars linewidth 1.3 pointtype 0 pointsize 0");
        titled = false;
        break;
    default:
        fprintf(to, "using 1:2 with points linewidth 1.5 pointtype %d pointsize 1.1", look->hollow);
    }
    fprintf(to, " linecolor rgb '%s' %s", look->rgb, titled ? "title " : "notitle");
    if (titled)
        write_quoted(to, d->r->plan.servers[s->server].name);
}

void draft_write_script(FILE *to, const struct draft *d)
{
    unsigned index = 0;
    write_head(to, d);
    write_axes(to, d);
    unsigned notes = write_notes(to, d);
    double bottom = 16.0 + LINE * notes;
    fprintf(to,
            "set bmargin at screen %.4f\n"
            "set key at screen 0.5,%.4f center center horizontal maxrows 1 samplen 3 "
            "Left reverse\n"
            "plot ",
            (bottom + 104) / HEIGHT, (bottom + 12) / HEIGHT);
    for (size_t i = 0; i < d->series_n; i++)
        for (int b = 0; b < BLOCKS; b++) {
            if (!block_size(d, &d->series[i], (enum block)b))
                continue;
            fprintf(to, "%s'%s.dat' index %u ", index ? ", \\\n     " : "", d->name, index);
            write_curve(to, d, &d->series[i], (enum block)b);
            index++;
        }
    fputs("\nunset output\n", to);
}
