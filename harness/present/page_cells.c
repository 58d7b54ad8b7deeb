/* page_cells: every cell of a result as tables, one a panel. */
#include "present/page_parts.h"

#include "present/exclusion.h"
#include "present/figure.h"
#include "present/finding.h"
#include "present/html.h"

#include <math.h>
#include <stdlib.h>

static const char *const headers[] = {"server",    "requests/s", "ratio",  "CPU/request",
                                      "ratio",     "p50",        "p99",    "p99.9",
                                      "CPUs busy", "peak RSS",   "verdict"};

void page_finding(FILE *to, const struct result *r, const struct ratio *ratio)
{
    char *text = NULL;
    size_t size;
    FILE *words = open_memstream(&text, &size);
    finding_write(words, r, ratio);
    fclose(words);
    html_text(to, text);
    free(text);
}

static void write_ratio(FILE *to, const struct result *r, size_t cell, enum metric metric)
{
    const struct ratio *ratio = panel_ratio(r, cell, metric);
    if (r->plan.cells[cell].server == r->plan.reference) {
        fputs("<td class=\"num soft\">reference</td>", to);
        return;
    }
    enum finding f = finding_of(ratio);
    if (f == FINDING_NONE) {
        fputs("<td class=\"num\">&ndash;", to);
        if (ratio && ratio->note[0] && r->cells[cell].verdict == VERDICT_VALID)
            html_write(to, "<br><span class=\"range fold\">%s</span>", ratio->note);
        fputs("</td>", to);
        return;
    }
    const struct interval *v = &ratio->value;
    fputs("<td class=\"num\" title=\"", to);
    page_finding(to, r, ratio);
    fprintf(to, "\">%s<br><span class=\"range\">", figure_ratio(v->estimate, v->low, v->high).text);
    if (f == FINDING_FEW)
        fprintf(to, "n=%zu: no interval", v->n);
    else
        fprintf(to, "%s &ndash; %s", figure_ratio(v->low, v->low, v->high).text,
                figure_ratio(v->high, v->low, v->high).text);
    fputs("</span></td>", to);
}

static void write_number(FILE *to, const char *text)
{
    html_write(to, "<td class=\"num\">%s</td>", text);
}

static void write_rate(FILE *to, const struct cell_result *c)
{
    fprintf(to, "<td class=\"num\">%s", figure_rate(c->requests_per_s).text);
    if (isfinite(c->requests_per_s_low) && isfinite(c->requests_per_s_high))
        fprintf(to, "<br><span class=\"range\">%s &ndash; %s</span>",
                figure_rate(c->requests_per_s_low).text, figure_rate(c->requests_per_s_high).text);
    fputs("</td>", to);
}

static void write_latency(FILE *to, const struct cell_result *c, int percentile)
{
    double us = c->latency[percentile];
    if (us <= 0 && c->latency_resolution > 0)
        fprintf(to, "<td class=\"num\">&lt; %s</td>", figure_time(c->latency_resolution, " ").text);
    else
        fprintf(to, "<td class=\"num\">%s%s</td>",
                c->latency_censored && isfinite(us) ? "&gt; " : "", figure_time(us, " ").text);
}

static void write_verdict(FILE *to, const struct result *r, size_t cell)
{
    const struct cell_result *c = &r->cells[cell];
    html_write(to, "<td class=\"wide%s\">%s", c->verdict == VERDICT_VALID ? "" : " bad",
               verdict_name(c->verdict));
    if (c->verdict == VERDICT_VALID)
        fprintf(to, " <span class=\"range\">%u of %s</span>", c->valid,
                figure_many(c->trials, "block").text);
    if (exclusion_note(r, cell)[0])
        html_write(to, "<br><span class=\"range\">%s</span>", exclusion_note(r, cell));
    fputs("</td>", to);
}

static void write_busy(FILE *to, const struct cell_result *c)
{
    fprintf(to,
            "<td class=\"num\">%s<br><span class=\"range\">client %s</span></td>"
            "<td class=\"num\">%s%s</td>",
            figure_percent(c->server_busy).text, figure_percent(c->client_busy).text,
            figure_number(c->peak_rss_kib / 1024).text, isfinite(c->peak_rss_kib) ? " MiB" : "");
}

static void write_cell(FILE *to, const struct result *r, size_t cell)
{
    const struct cell_result *c = &r->cells[cell];
    size_t server = r->plan.cells[cell].server;
    fputs("<th scope=\"row\">", to);
    page_mark(to, server);
    html_write(to, "%s</th>", r->plan.servers[server].name);
    if (c->trials == 0) {
        fputs("<td colspan=\"9\" class=\"soft\">not measured</td>", to);
        write_verdict(to, r, cell);
        return;
    }
    write_rate(to, c);
    write_ratio(to, r, cell, METRIC_THROUGHPUT);
    write_number(to, figure_time(c->cpu_ns_per_request / 1e3, " ").text);
    write_ratio(to, r, cell, METRIC_CPU);
    write_latency(to, c, LATENCY_P50);
    write_latency(to, c, LATENCY_P99);
    write_latency(to, c, LATENCY_P999);
    write_busy(to, c);
    write_verdict(to, r, cell);
}

static void write_level(FILE *to, const struct panel *p, const struct result *r, size_t level)
{
    size_t rows = 0;
    for (size_t server = 0; server < p->servers_n; server++)
        rows += panel_cell(p, level, server) != PANEL_NONE;
    fputs("<tbody class=\"level\">", to);
    for (size_t server = 0, row = 0; server < p->servers_n; server++) {
        size_t cell = panel_cell(p, level, server);
        if (cell == PANEL_NONE)
            continue;
        fputs("<tr>", to);
        if (row++ == 0)
            fprintf(to, "<th scope=\"rowgroup\" rowspan=\"%zu\" class=\"num\">%u</th>", rows,
                    p->levels[level]);
        write_cell(to, r, cell);
        fputs("</tr>\n", to);
    }
    fputs("</tbody>", to);
}

void page_table_begin(FILE *to, const char *caption)
{
    html_write(to,
               "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>"
               "<caption>%s</caption>",
               caption, caption);
}

void page_table_end(FILE *to)
{
    fputs("</table></div>\n", to);
}

void page_cells(FILE *to, const struct panels *p, const struct result *r)
{
    for (size_t i = 0; i < p->n; i++) {
        page_table_begin(to, panel_title(&p->item[i], r));
        fputs("<thead><tr><th scope=\"col\" class=\"num\">conns</th>", to);
        for (size_t h = 0; h < sizeof headers / sizeof *headers; h++)
            html_write(to, "<th scope=\"col\"%s>%s</th>",
                       h == 0 || h + 1 == sizeof headers / sizeof *headers ? "" : " class=num",
                       headers[h]);
        fputs("</tr></thead>", to);
        for (size_t level = 0; level < p->item[i].levels_n; level++)
            write_level(to, &p->item[i], r, level);
        page_table_end(to);
    }
}
