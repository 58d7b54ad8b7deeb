/* page_plot: the parity ratios as an inline SVG per panel and metric: a row for each connection
   level and server, a dot for the estimate, a bar for the interval, a line at 1. Where blocks are
   too few for an interval each block has its tick instead; where there is no ratio the reason
   stands in its place. */
#include "present/axis.h"
#include "present/figure.h"
#include "present/finding.h"
#include "present/html.h"
#include "present/page_parts.h"

#include <math.h>

enum {
    WIDTH = 290,
    LEFT = 40,  /* for the connection levels */
    RIGHT = 34, /* for a figure beside the last tick */
    TOP = 24,
    BOTTOM = 20,
    ROW = 17,
    LEVEL_GAP = 8,
    LOOKS = 6,
    BLOCKS_MAX = 64
};

struct plot {
    FILE *to;
    const struct result *r;
    const struct panel *panel;
    enum metric metric;
    struct axis x;
};

static double across(const struct plot *p, double ratio)
{
    double place = fmin(fmax(axis_place(&p->x, ratio), 0), 1);
    return LEFT + place * (WIDTH - LEFT - RIGHT);
}

/* A server's shape around x, y; no shape needs its colour to be told apart. */
static void write_shape(FILE *to, size_t server, double x, double y)
{
    static const char *const paths[LOOKS] = {"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
                                             "M-4-4h8v8h-8z",
                                             "M0-5L5 4H-5z",
                                             "M0-5.5L5 0L0 5.5L-5 0z",
                                             "M0 5L5-4H-5z",
                                             "M0-5L5-1L3 4.5H-3L-5-1z"};
    fprintf(to, "<path class=\"shape s%zu\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>",
            server % LOOKS, x, y, paths[server % LOOKS]);
}

void page_mark(FILE *to, size_t server)
{
    fputs("<svg class=\"mark\" viewBox=\"-5 -5 10 10\" aria-hidden=\"true\">", to);
    write_shape(to, server, 0, 0);
    fputs("</svg>", to);
}

static void write_line(FILE *to, const char *class, double x1, double x2, double y)
{
    fprintf(to, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", class, x1,
            x2, y, y);
}

static void write_upright(FILE *to, const char *class, double x, double y1, double y2)
{
    fprintf(to, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", class, x, x,
            y1, y2);
}

static size_t rows_per_level(const struct plot *p)
{
    return p->panel->servers_n > 1 ? p->panel->servers_n - 1 : 1;
}

static double level_height(const struct plot *p)
{
    return (double)rows_per_level(p) * ROW + LEVEL_GAP;
}

static double height(const struct plot *p)
{
    return TOP + BOTTOM + level_height(p) * (double)p->panel->levels_n;
}

static void write_frame(const struct plot *p)
{
    FILE *to = p->to;
    double bottom = height(p) - BOTTOM;
    html_write(to, "<text class=\"head\" x=\"0\" y=\"12\">%s, times %s's</text>",
               finding_subject(p->metric), p->r->plan.servers[p->r->plan.reference].name);
    for (size_t i = 0; i < p->x.ticks_n; i++) {
        double x = across(p, p->x.ticks[i]);
        write_upright(to, p->x.ticks[i] == 1 ? "one" : "tick", x, TOP, bottom);
        fprintf(to, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>", x,
                bottom + 14, p->x.ticks[i]);
    }
}

/* Why a cell has no ratio, in a few words. */
static void write_missing(const struct plot *p, size_t cell, double y)
{
    const struct cell *c = &p->r->plan.cells[cell];
    const struct comparison *all = &p->r->plan.comparisons[c->comparison];
    enum verdict v = p->r->cells[cell].verdict;
    const char *whose = "";
    for (size_t i = all->first; i < all->first + all->n && v == VERDICT_VALID; i++)
        if (p->r->plan.cells[i].server == p->r->plan.reference) {
            v = p->r->cells[i].verdict;
            whose = p->r->plan.servers[p->r->plan.reference].name;
        }
    fprintf(p->to, "<text class=\"dim gap\" x=\"%d\" y=\"%.1f\">", LEFT + 4, y + 4);
    html_write(p->to, "%s%s%s</text>", whose, *whose ? ": " : "",
               v == VERDICT_VALID ? "no ratio" : verdict_name(v));
}

static void write_spread(const struct plot *p, const struct ratio *ratio, double y, double *right)
{
    double blocks[BLOCKS_MAX];
    if (finding_of(ratio) != FINDING_FEW) {
        double low = across(p, ratio->value.low), high = across(p, ratio->value.high);
        write_line(p->to, "span", low, high, y);
        write_upright(p->to, "span", low, y - 3, y + 3);
        write_upright(p->to, "span", high, y - 3, y + 3);
        *right = fmax(*right, high);
        return;
    }
    size_t n = panel_block_ratios(p->r, ratio, blocks, BLOCKS_MAX);
    for (size_t i = 0; i < n; i++) {
        write_upright(p->to, "block", across(p, blocks[i]), y - 6, y + 6);
        *right = fmax(*right, across(p, blocks[i]));
    }
}

static void write_ratio(const struct plot *p, const struct ratio *ratio, size_t server, double y)
{
    const struct interval *v = &ratio->value;
    double x = across(p, v->estimate), right = x + 4;
    fprintf(p->to, "<g class=\"s%zu\"><title>", server % LOOKS);
    html_text(p->to, p->r->plan.servers[server].name);
    fputs(": ", p->to);
    page_finding(p->to, p->r, ratio);
    fputs("</title>", p->to);
    write_spread(p, ratio, y, &right);
    write_shape(p->to, server, x, y);
    fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\">%s</text></g>", right + 5, y + 4,
            figure_ratio(v->estimate, NAN, NAN).text);
}

static void write_level(const struct plot *p, size_t level)
{
    double top = TOP + level_height(p) * (double)level;
    size_t row = 0;
    fprintf(p->to, "<text x=\"32\" y=\"%.1f\" text-anchor=\"end\">%u</text>",
            top + level_height(p) / 2 + 4, p->panel->levels[level]);
    if (level > 0)
        write_line(p->to, "tick", 0, WIDTH, top);
    for (size_t server = 0; server < p->panel->servers_n; server++) {
        size_t cell = panel_cell(p->panel, level, server);
        if (server == p->r->plan.reference)
            continue;
        double y = top + LEVEL_GAP / 2.0 + ROW * ((double)row++ + 0.5);
        if (cell == PANEL_NONE)
            continue;
        const struct ratio *ratio = panel_ratio(p->r, cell, p->metric);
        if (finding_of(ratio) == FINDING_NONE)
            write_missing(p, cell, y);
        else
            write_ratio(p, ratio, server, y);
    }
}

static void write_plot(const struct plot *p)
{
    fprintf(p->to, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"", WIDTH, height(p));
    html_write(p->to, "%s relative to %s by connections; the figures are in the table of cells\">",
               finding_subject(p->metric), p->r->plan.servers[p->r->plan.reference].name);
    write_frame(p);
    for (size_t level = 0; level < p->panel->levels_n; level++)
        write_level(p, level);
    fputs("</svg>", p->to);
}

/* One range for all panels of a metric, so that they can be compared by eye. */
static void common_axis(struct axis *a, const struct result *r, enum metric metric)
{
    double low = 1, high = 1;
    for (size_t i = 0; i < r->ratios_n; i++) {
        const struct interval *v = &r->ratios[i].value;
        if (r->ratios[i].metric != metric || finding_of(&r->ratios[i]) == FINDING_NONE)
            continue;
        low = fmin(low, fmin(v->estimate, isfinite(v->low) ? v->low : v->estimate));
        high = fmax(high, fmax(v->estimate, isfinite(v->high) ? v->high : v->estimate));
    }
    axis_ratio(a, low, high);
}

void page_plots(FILE *to, const struct panels *panels, const struct result *r)
{
    struct axis axes[METRIC_COUNT];
    if (r->plan.servers_n < 2) {
        fputs("<p>One server alone: there is nothing to compare it with.</p>", to);
        return;
    }
    for (int m = 0; m < METRIC_COUNT; m++)
        common_axis(&axes[m], r, (enum metric)m);
    fputs("<div class=\"plots\">", to);
    for (size_t i = 0; i < panels->n; i++) {
        html_write(to, "<figure class=\"plot\"><figcaption>%s</figcaption><div class=\"pair\">",
                   panel_title(&panels->item[i], r));
        for (int m = 0; m < METRIC_COUNT; m++) {
            struct plot p = {to, r, &panels->item[i], (enum metric)m, axes[m]};
            write_plot(&p);
        }
        fputs("</div></figure>", to);
    }
    fputs("</div>", to);
}
