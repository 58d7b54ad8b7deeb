/* reproduce_page: report.html of a reproduction. The first screen says how many rows hold; then
   every published row beside what was measured, the charts, the claims, and how it was done. No
   script, and nothing is loaded: the policy in the head forbids it. */
#include "present/reproduce.h"

#include "present/figure.h"
#include "present/html.h"
#include "present/page_parts.h"

#include <math.h>
#include <string.h>

static void write_head(FILE *to, const struct published_outcome *o)
{
    html_write(to,
               "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "img-src data:; style-src 'unsafe-inline'\"><title>%s, reproduced</title><style>",
               o->document->title);
    fputs(page_style, to);
    fputs("</style></head><body>\n<header>", to);
    html_write(to, "<p class=\"kind\">Parity report, published comparison %s%s</p><h1>%s</h1>",
               o->document->id, o->plan->quick ? " (quick)" : "", o->document->title);
    html_write(to, "<p class=\"lede\">Published: %s; measured on %s. ", o->document->source,
               o->document->host);
    if (strlen(o->started) >= 16)
        fprintf(to, "Here: %.10s %.5s UTC", o->started, o->started + 11);
    if (facts_find(&o->environment, "cpu_model"))
        html_write(to, ", %s", facts_show(&o->environment, "cpu_model"));
    if (facts_find(&o->environment, "cores"))
        html_write(to, ", %s cores", facts_show(&o->environment, "cores"));
    fputs(".</p>", to);
    if (o->interrupted)
        fputs("<p class=\"state\">The run was interrupted: this is a part of its plan.</p>", to);
}

static void write_counts(FILE *to, const struct published_outcome *o)
{
    size_t of[WORD_COUNT] = {0};
    for (size_t i = 0; i < o->document->rows_n; i++)
        of[o->rows[i].word]++;
    fprintf(to, "<p class=\"sure\"><strong>%s</strong>: ",
            figure_many(o->document->rows_n, "published row").text);
    for (int w = 0, written = 0; w < WORD_COUNT; w++)
        if (of[w]) {
            fprintf(to, "%s%zu ", written++ ? ", " : "", of[w]);
            html_text(to, published_word_name((enum published_word)w));
        }
    fputs(".</p></header><main>\n", to);
}

static void write_measured(FILE *to, const struct published_finding *f)
{
    fputs("<td class=\"num\">", to);
    if (isfinite(f->requests_per_s))
        fprintf(to, "%.0f", f->requests_per_s);
    else
        fputs("\xe2\x80\x93", to);
    if (f->verdict != VERDICT_VALID)
        html_write(to, "<br><span class=\"range\">%s</span>", verdict_name(f->verdict));
    fputs("</td>", to);
}

static void write_row(FILE *to, const struct published_outcome *o, size_t i)
{
    const struct published_row *row = &o->document->rows[i];
    const struct published_finding *f = &o->rows[i];
    bool base = row->base == i;
    html_write(to, "<tr><th scope=\"row\">%s</th><td>%s</td>", reproduce_row_name(row), row->page);
    fprintf(to, "<td class=\"num\">%u</td><td class=\"num\">%.0f</td>", row->cell.connections,
            row->requests_per_s);
    write_measured(to, f);
    html_write(to, "<td class=\"num\">%s</td>", base ? "1" : figure_ratio(f->ratio, NAN, NAN).text);
    html_write(to, "<td class=\"num nowrap\">%s</td>",
               base ? "1" : reproduce_interval(&f->throughput));
    html_write(to, "<td class=\"wide\">%s", published_word_name(f->word));
    if (f->why[0])
        html_write(to, "<br><span class=\"range\">%s</span>", f->why);
    fputs("</td></tr>\n", to);
}

static void write_table(FILE *to, const struct published_outcome *o, size_t table)
{
    const struct published_table *t = &o->document->tables[table];
    html_write(to, "<h3 id=\"%s\">%s</h3><p class=\"range\">%s", t->id, t->id,
               reproduce_flags(o->document, table));
    if (t->host)
        html_write(to, "; %s", t->host);
    if (t->note)
        html_write(to, "; %s", t->note);
    fputs("</p>", to);
    page_table_begin(to, "requests/s and ratio, as published and here");
    fputs("<thead><tr><th scope=\"col\">server</th><th scope=\"col\">route</th><th scope=\"col\" "
          "class=\"num\">connections</th><th scope=\"col\" class=\"num\">published</th><th "
          "scope=\"col\" class=\"num\">here</th><th scope=\"col\" class=\"num\">ratio</th><th "
          "scope=\"col\" class=\"num\">ratio here</th><th scope=\"col\">word</th></tr></thead>"
          "<tbody>",
          to);
    for (size_t i = 0; i < o->document->rows_n; i++)
        if (o->document->rows[i].table == table)
            write_row(to, o, i);
    fputs("</tbody>", to);
    page_table_end(to);
}

static void write_charts(FILE *to, const struct page_chart *charts, size_t n)
{
    fputs("<div class=\"charts\">", to);
    for (size_t i = 0; i < n; i++) {
        fputs("<figure class=\"chart\">", to);
        if (charts[i].svg) {
            fputs("<img src=\"", to);
            html_svg_url(to, charts[i].svg);
            html_write(to, "\" alt=\"%s\">", charts[i].title);
        } else {
            html_write(to, "<p><strong>%s</strong><br>No chart: it could not be drawn</p>",
                       charts[i].title);
        }
        fputs("</figure>\n", to);
    }
    fputs("</div>", to);
}

static void write_claims(FILE *to, const struct published_outcome *o)
{
    page_table_begin(to, "What is said, what the source's own figures say, what was measured");
    fputs("<thead><tr><th scope=\"col\">claim</th><th scope=\"col\">said</th><th scope=\"col\">its "
          "own data</th><th scope=\"col\">here</th></tr></thead><tbody>",
          to);
    for (size_t i = 0; i < o->document->claims_n; i++) {
        const struct published_claim *c = &o->document->claims[i];
        const struct published_judgement *j = &o->claims[i];
        html_write(to, "<tr><th scope=\"row\">%s</th>", c->id);
        html_write(to, "<td class=\"wide\">%s<br><strong>%s</strong></td>", c->said,
                   published_word_name(j->said));
        html_write(to, "<td class=\"wide\">%s<br><strong>%s</strong></td>", c->data,
                   published_word_name(j->data));
        html_write(to, "<td class=\"wide\">%s<br><span class=\"range\">%s</span></td></tr>",
                   j->measured, j->why);
    }
    fputs("</tbody>", to);
    page_table_end(to);
}

static void write_list(FILE *to, const struct strings *s)
{
    for (size_t i = 0; i < s->n; i++)
        html_write(to, "<li>%s</li>", s->item[i]);
}

static void write_method(FILE *to, const struct published_outcome *o)
{
    html_write(to, "<pre><code>%s</code></pre>", o->command ? o->command : "parity reproduce");
    fprintf(to,
            "<p>Seed of the order: %llu. Each part has a report of its own, with every trial, "
            "the checks and the configurations:</p><ul>",
            (unsigned long long)o->seed);
    for (size_t i = 0; i < o->plan->parts_n; i++) {
        const struct published_part *x = &o->plan->parts[i];
        fputs("<li>", to);
        if (o->runs[i].failed) {
            html_write(to, "%s: %s", x->name, o->runs[i].failed);
        } else {
            fputs("<a href=\"", to);
            html_url(to, x->name);
            html_write(to, "/report.html\">%s</a>", x->name);
            fprintf(to, ": %zu of %zu cells valid", o->runs[i].valid, o->runs[i].cells);
            html_write(to, "; %s", o->runs[i].cpus ? o->runs[i].cpus : "");
        }
        fputs("</li>", to);
    }
    fputs("</ul><p>What is not as published:</p><ul>", to);
    write_list(to, &o->document->adaptations);
    for (size_t i = 0; i < o->plan->parts_n; i++)
        write_list(to, &o->plan->parts[i].adapted);
    for (size_t i = 0; i < o->missing.n; i++)
        html_write(to, "<li>%s can't run here: %s</li>", o->missing.item[i].key,
                   o->missing.item[i].text);
    fputs("</ul><p><a href=\"reproduce.json\">reproduce.json</a> has every figure.</p>", to);
}

static void write_words(FILE *to, const struct published_outcome *o)
{
    bool seen[VERDICT_COUNT] = {false};
    for (size_t i = 0; i < o->document->rows_n; i++)
        seen[o->rows[i].verdict] = true;
    fputs("<dl>", to);
    for (int w = 0; w < WORD_COUNT; w++)
        html_write(to, "<dt>%s</dt><dd>%s</dd>", published_word_name((enum published_word)w),
                   published_word_meaning((enum published_word)w));
    fputs(
        "<dt>tolerance</dt><dd>20 % either way of the published ratio and its rounding: where the "
        "sources give one ratio more than once, three quarters of the pairs agree within it</dd>"
        "<dt>ratio here</dt><dd>requests/s by volley, in blocks, with its 95 % interval (exact "
        "signed-rank)</dd><dt>here</dt><dd>the published generator, one trial, with its verdict "
        "where that isn't valid</dd>",
        to);
    for (int v = 0; v < VERDICT_COUNT; v++)
        if (seen[v])
            html_write(to, "<dt>%s</dt><dd>%s</dd>", verdict_name((enum verdict)v),
                       verdict_meaning((enum verdict)v));
    fputs("</dl>", to);
}

static void write_section(FILE *to, const char *id, const char *title)
{
    html_write(to, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

void reproduce_write_page(FILE *to, const struct published_outcome *o,
                          const struct page_chart *charts, size_t charts_n)
{
    locale_t before = figure_locale_begin();
    write_head(to, o);
    write_counts(to, o);
    write_section(to, "charts", "Ratios, published and here");
    write_charts(to, charts, charts_n);
    if (o->document->claims_n) {
        write_section(to, "claims", "Claims");
        write_claims(to, o);
    }
    write_section(to, "rows", "Every published row");
    for (size_t i = 0; i < o->document->tables_n; i++)
        write_table(to, o, i);
    write_section(to, "method", "How it was measured");
    write_method(to, o);
    write_section(to, "words", "What the words mean");
    write_words(to, o);
    fputs("</main><footer>Made by parity from reproduce.json; this page loads nothing and runs no "
          "script.</footer></body></html>\n",
          to);
    figure_locale_end(before);
}
