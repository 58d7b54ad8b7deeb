/* site_data: a page's runs and charts as JSON for site.js, in a script element that no browser
   runs. Lines hold only their own points ("x": which runs), since kinds of machine alternate. */
#include "present/site_parts.h"

#include <math.h>
#include <string.h>

/* A JSON string that is also safe inside of a script element: no '<' is left. */
static void put_text(FILE *to, const char *text)
{
    if (!text) {
        fputs("null", to);
        return;
    }
    fputc('"', to);
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == '"' || c == '\\' || c == 0x7f)
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

static void put_number(FILE *to, double v)
{
    if (isfinite(v))
        fprintf(to, "%.6g", v);
    else
        fputs("null", to);
}

static void put_list(FILE *to, const char *key, const struct site_line *line, size_t offset)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < line->n; i++) {
        double v;
        memcpy(&v, (const char *)&line->points[i] + offset, sizeof v);
        fputs(i ? "," : "", to);
        put_number(to, v);
    }
    fputc(']', to);
}

static bool has_intervals(const struct site_line *line)
{
    for (size_t i = 0; i < line->n; i++)
        if (isfinite(line->points[i].low))
            return true;
    return false;
}

static void put_line(FILE *to, const struct site_line *line)
{
    fprintf(to, "{\"server\":%zu,\"machine\":%zu,\"x\":[", line->server, line->machine);
    for (size_t i = 0; i < line->n; i++)
        fprintf(to, "%s%zu", i ? "," : "", line->points[i].at);
    fputc(']', to);
    put_list(to, "y", line, offsetof(struct site_point, y));
    if (has_intervals(line)) {
        put_list(to, "low", line, offsetof(struct site_point, low));
        put_list(to, "high", line, offsetof(struct site_point, high));
    }
    fputs(",\"changes\":[", to);
    for (size_t i = 0; i < line->changes_n; i++) {
        const struct changepoint *c = &line->changes[i];
        fprintf(to, "%s[%zu,%.6g,%.6g]", i ? "," : "", line->points[c->index].at, c->before,
                c->after);
    }
    fputs("]}", to);
}

static void put_chart(FILE *to, const struct site_chart *c)
{
    fprintf(to, "{\"relative\":%s,\"lower\":%s,\"unit\":\"%s\",\"lines\":[",
            c->metric <= SITE_CPU_RATIO ? "true" : "false",
            site_metric_lower(c->metric) ? "true" : "false",
            c->metric == SITE_RATE  ? "rate"
            : c->metric == SITE_CPU ? "us"
                                    : "");
    for (size_t i = 0; i < c->n; i++) {
        fputs(i ? "," : "", to);
        put_line(to, &c->lines[i]);
    }
    fputs("]}", to);
}

static void put_run(FILE *to, const struct site *s, const struct history_run *run)
{
    const char *texts[] = {
        run->time, run->commit, run->subject, site_link(run->commit_url), site_link(run->report),
        run->gate};
    fprintf(to, "[%zu", site_machine_of(s, run));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fputc(',', to);
        put_text(to, texts[i]);
    }
    fputc(']', to);
}

void site_data(FILE *to, const struct site *s, const struct site_page *p)
{
    fputs("<script type=\"application/json\" id=\"data\">{\"servers\":[", to);
    for (size_t i = 0; i < s->servers.n; i++) {
        fputs(i ? "," : "", to);
        put_text(to, s->servers.item[i]);
    }
    fputs("],\n\"machines\":[", to);
    for (size_t i = 0; i < s->machines_n; i++) {
        fputs(i ? "," : "", to);
        put_text(to, machine_title(s->machines[i].machine));
    }
    fputs("],\n\"runs\":[", to);
    for (size_t i = 0; i < p->runs_n; i++) {
        fputs(i ? ",\n" : "", to);
        put_run(to, s, &s->history->runs[p->runs[i]]);
    }
    fputs("],\n\"charts\":[", to);
    for (size_t i = 0; i < p->charts_n; i++) {
        fputs(i ? ",\n" : "", to);
        put_chart(to, &p->charts[i]);
    }
    fputs("]}</script>\n", to);
}
