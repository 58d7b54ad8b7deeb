/* page_tables: the tables of report.html that don't hold measurements: what was left out, the
   fairness manifest, servers, machine, plan, words. */
#include "present/page_parts.h"

#include "base/alloc.h"
#include "present/exclusion.h"
#include "present/figure.h"
#include "present/finding.h"
#include "present/html.h"
#include "present/witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_where(FILE *to, const struct exclusion *x, const struct result *r)
{
    char *text = NULL;
    size_t size;
    FILE *words = open_memstream(&text, &size);
    exclusion_write_cells(words, x, r);
    fclose(words);
    html_text(to, text);
    free(text);
}

void page_witnesses(FILE *to, const struct result *r)
{
    for (size_t i = 0; i < r->plan.comparisons_n; i++) {
        char *text = NULL;
        size_t size;
        FILE *words = open_memstream(&text, &size);
        witness_write(words, r, i);
        fclose(words);
        if (size)
            html_write(to, "<p class=\"range\">%s:%s</p>",
                       cell_title(&r->plan, &r->plan.cells[r->plan.comparisons[i].first]), text);
        free(text);
    }
}

void page_exclusions(FILE *to, const struct result *r)
{
    struct exclusions x;
    exclusions_make(&x, r);
    if (x.n == 0) {
        fputs("<p>Nothing: every cell is valid.</p>", to);
        exclusions_fini(&x);
        return;
    }
    fputs("<p>These cells enter no ratio of requests/s, and the charts draw them hollow. CPU per "
          "request stays comparable where only the generator was the limit "
          "(<code>client_bound</code>).</p>",
          to);
    page_table_begin(to, "Cells that are not valid");
    fputs("<thead><tr><th scope=\"col\">verdict</th><th scope=\"col\" class=\"num\">cells</th>"
          "<th scope=\"col\">where</th><th scope=\"col\">evidence (of the first)</th></tr></thead>"
          "<tbody>",
          to);
    for (size_t i = 0; i < x.n; i++) {
        html_write(to, "<tr><th scope=\"row\">%s</th>", verdict_name(x.item[i].verdict));
        fprintf(to, "<td class=\"num\">%zu</td><td class=\"wide\">", x.item[i].cells_n);
        write_where(to, &x.item[i], r);
        html_write(to, "</td><td class=\"wide\">%s<br><span class=\"range\">%s</span></td></tr>",
                   x.item[i].evidence, verdict_meaning(x.item[i].verdict));
    }
    fputs("</tbody>", to);
    page_table_end(to);
    exclusions_fini(&x);
}

static void write_item(FILE *to, const struct fairness_item *item, size_t servers)
{
    const char *first = NULL;
    html_write(to, "<tr><th scope=\"row\">%s%s</th>", item->name, item->broken ? " (broken)" : "");
    for (size_t i = 0; i < servers; i++) {
        const char *value = item->value[i];
        bool differs = value && first && strcmp(value, first) != 0;
        first = first ? first : value;
        html_write(to, "<td class=\"long%s\">%s", differs && item->broken ? " bad" : "",
                   value ? value : "\xe2\x80\x93");
        if (item->reason[i])
            html_write(to, "<br><span class=\"range\">%s</span>", item->reason[i]);
        fputs("</td>", to);
    }
    fputs("</tr>\n", to);
}

static void write_server_heads(FILE *to, const struct result *r, const char *first)
{
    html_write(to, "<thead><tr><th scope=\"col\">%s</th>", first);
    for (size_t i = 0; i < r->plan.servers_n; i++)
        html_write(to, "<th scope=\"col\">%s%s</th>", r->plan.servers[i].name,
                   i == r->plan.reference ? " (reference)" : "");
    fputs("</tr></thead><tbody>", to);
}

void page_fairness(FILE *to, const struct result *r)
{
    if (r->fairness_n == 0) {
        fputs("<p>The servers were not checked against each other in this run.</p>", to);
        return;
    }
    page_table_begin(to, "Checked before measuring: equal, or different with a reason");
    write_server_heads(to, r, "item");
    for (size_t i = 0; i < r->fairness_n; i++)
        write_item(to, &r->fairness[i], r->plan.servers_n);
    fputs("</tbody>", to);
    page_table_end(to);
}

/* A fact's value: whole numbers in full, since they are sizes and counts. */
static void write_fact(FILE *to, const struct facts *f, const char *key)
{
    const struct fact *one = facts_find(f, key);
    if (!one)
        fputs("\xe2\x80\x93", to);
    else if (one->text)
        html_text(to, one->text);
    else
        html_text(to, isnan(one->number) ? "unknown" : figure_count(one->number).text);
}

static bool is_known_before(const struct result *r, size_t server, const char *key)
{
    for (size_t i = 0; i < server; i++)
        if (facts_find(&r->servers[i].facts, key))
            return true;
    return false;
}

static void write_confs(FILE *to, const struct result *r)
{
    fputs("<tr><th scope=\"row\">configuration</th>", to);
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        fputs("<td class=\"long\">", to);
        for (size_t k = 0; k < r->servers[i].conf.n; k++) {
            fputs(k ? "<br><a href=\"" : "<a href=\"", to);
            html_url(to, r->servers[i].conf.item[k]);
            html_write(to, "\">%s</a>", r->servers[i].conf.item[k]);
        }
        fputs(r->servers[i].conf.n ? "</td>" : "\xe2\x80\x93</td>", to);
    }
    fputs("</tr>", to);
}

void page_servers(FILE *to, const struct result *r)
{
    page_table_begin(to, "What ran");
    write_server_heads(to, r, "");
    for (size_t server = 0; server < r->plan.servers_n; server++) {
        const struct facts *f = &r->servers[server].facts;
        for (size_t k = 0; k < f->n; k++) {
            if (is_known_before(r, server, f->item[k].key))
                continue;
            html_write(to, "<tr><th scope=\"row\">%s</th>", f->item[k].key);
            for (size_t i = 0; i < r->plan.servers_n; i++) {
                fputs("<td class=\"long\">", to);
                write_fact(to, &r->servers[i].facts, f->item[k].key);
                fputs("</td>", to);
            }
            fputs("</tr>\n", to);
        }
    }
    write_confs(to, r);
    fputs("</tbody>", to);
    page_table_end(to);
}

void page_machine(FILE *to, const struct result *r)
{
    if (r->warnings.n) {
        fputs("<ul class=\"warn\">", to);
        for (size_t i = 0; i < r->warnings.n; i++)
            html_write(to, "<li>%s</li>", r->warnings.item[i]);
        fputs("</ul>", to);
    }
    page_table_begin(to, "Machine and tools");
    fputs("<tbody>", to);
    for (size_t i = 0; i < r->environment.n; i++) {
        html_write(to, "<tr><th scope=\"row\">%s</th><td class=\"long\">",
                   r->environment.item[i].key);
        write_fact(to, &r->environment, r->environment.item[i].key);
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody>", to);
    page_table_end(to);
}

static void write_term(FILE *to, const char *term, const char *meaning)
{
    html_write(to, "<dt>%s</dt><dd>%s</dd>", term, meaning ? meaning : "unknown");
}

void page_reproduce(FILE *to, const struct result *r)
{
    const struct suite *s = &r->plan.suite;
    char *seed = xasprintf("%llu", (unsigned long long)s->seed);
    bool has_seed = r->command && strstr(r->command, "--seed"); /* else it was drawn */
    char *plan =
        xasprintf("%s, %s, %s s measured after %s s of warm-up, %u worker%s "
                  "a server, %s kept",
                  figure_many(r->plan.cells_n, "cell").text, suite_blocks_text(s),
                  figure_count(s->duration_s).text, figure_count(s->warmup_s).text, s->workers,
                  s->workers == 1 ? "" : "s", figure_many(r->trials_n, "trial").text);
    html_write(to, "<pre><code>%s%s%s</code></pre><dl>", r->command ? r->command : "parity run",
               has_seed ? "" : " --seed ", has_seed ? "" : seed);
    write_term(to, "suite", s->name);
    write_term(to, "plan", plan);
    write_term(to, "seed (order)", seed);
    write_term(to, "started", r->started);
    write_term(to, "ended", r->ended[0] ? r->ended : "not yet");
    write_term(to, "fingerprint", r->fingerprint);
    fputs("</dl><p>Beside this page: <a href=\"result.json\">result.json</a> (everything, each "
          "trial), "
          "<a href=\"raw/\">raw/</a> (the generators' output), <a href=\"conf/\">conf/</a> (the "
          "configurations as they ran), <a href=\"charts/\">charts/</a>.</p>",
          to);
    free(plan);
    free(seed);
}

void page_words(FILE *to, const struct result *r)
{
    bool seen[VERDICT_COUNT] = {false};
    for (size_t i = 0; i < r->plan.cells_n; i++)
        seen[r->cells[i].verdict] = true;
    fputs("<dl>", to);
    write_term(
        to, "parity ratio",
        "requests/s of a server divided by the reference's in the same block, or the same for "
        "server CPU time per request; over blocks: the Hodges-Lehmann estimate of the log "
        "ratios; volley loads all servers in turns of some ms, and a block's value is the mean, 20 "
        "% trimmed on each side, of the log ratios of neighbouring turns");
    write_term(to, "interval",
               "from the exact signed-rank test on the blocks' log ratios; it holds for each "
               "comparison by itself, so among many a few miss; below 6 blocks there is none");
    write_term(to, "would have seen",
               "the difference that a run with such an interval shows with 95 % power (normal "
               "approximation): what is smaller can't be excluded");
    write_term(to, "equal within 5 %", "the whole interval lies between 0.95 and 1.05");
    write_term(to, "latency",
               "as the generator reports it, median over blocks; wrk corrects its "
               "figures for coordinated omission; > where slower answers are missing");
    write_term(to, "reach", "one machine, loopback, this load: other machines may differ");
    for (int v = 0; v < VERDICT_COUNT; v++)
        if (seen[v])
            write_term(to, verdict_name((enum verdict)v), verdict_meaning((enum verdict)v));
    fputs("</dl>", to);
}
