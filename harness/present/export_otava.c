/* export_otava: Apache Otava's CSV tests. Its importer turns every field of a metric into a number
   and fails on an empty one, so each series has a file of its own, with only the runs in which it
   was valid; and kinds of machine never share a file, since Otava looks for steps. */
#include "present/export.h"

#include "base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
    const struct machine *machine;
    const struct history_series *series;
    bool relative; /* has ratios: isn't the reference */
};

struct tests {
    struct test *item;
    size_t n;
};

static bool has_ratios(const struct history_series *s)
{
    return isfinite(s->ratio[METRIC_THROUGHPUT].estimate) &&
           isfinite(s->ratio[METRIC_CPU].estimate);
}

static bool has_row(const struct test *t, const struct history_series *s)
{
    return s->verdict == VERDICT_VALID && isfinite(s->requests_per_s) &&
           isfinite(s->cpu_ns_per_request) && (!t->relative || has_ratios(s));
}

static void list_series(struct tests *tests, const struct history_run *run,
                        const struct history_series *s)
{
    struct test new = {&run->machine, s, has_ratios(s)};
    if (!has_row(&new, s))
        return;
    for (size_t i = 0; i < tests->n; i++)
        if (strcmp(tests->item[i].machine->key, run->machine.key) == 0 &&
            history_same(tests->item[i].series, s)) {
            tests->item[i].relative |= new.relative;
            return;
        }
    *(struct test *)xgrow(&tests->item, &tests->n, sizeof new) = new;
}

/* "0123456789abcdef-health-volley-c64-keep-alive-reactor": a name for Otava and for the file. */
static char *test_name(const struct test *t)
{
    const struct history_series *s = t->series;
    char *name = xasprintf("%s-%s-%s-c%u-%s-%s", t->machine->key, s->route, s->generator,
                           s->connections, s->keepalive ? "keep-alive" : "close", s->server);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
            *p = '_';
    return name;
}

/* A quoted field (RFC 4180); a spreadsheet must not take it for a formula, nor a line end here. */
static void put_field(FILE *to, const char *text)
{
    fputc('"', to);
    if (text && strchr("=+-@", *text) && *text)
        fputc('\'', to);
    for (const char *p = text ? text : ""; *p; p++)
        if (*p == '"')
            fputs("\"\"", to);
        else
            fputc((unsigned char)*p < 0x20 ? ' ' : *p, to);
    fputc('"', to);
}

static void put_row(FILE *to, const struct test *t, const struct history_run *run,
                    const struct history_series *s)
{
    fprintf(to, "%s,", run->time);
    put_field(to, run->id);
    fputc(',', to);
    put_field(to, run->commit);
    fputc(',', to);
    put_field(to, run->branch);
    fputc(',', to);
    put_field(to, run->subject);
    fprintf(to, ",%.8g,%.8g", s->requests_per_s, s->cpu_ns_per_request);
    if (t->relative)
        fprintf(to, ",%.8g,%.8g", s->ratio[METRIC_THROUGHPUT].estimate,
                s->ratio[METRIC_CPU].estimate);
    fputs("\n", to);
}

static char *make_csv(const struct history *h, const struct test *t)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fprintf(to, "time,run,commit,branch,subject,requests_per_s,cpu_ns_per_request%s\n",
            t->relative ? ",requests_per_s_ratio,cpu_per_request_ratio" : "");
    for (size_t i = 0; i < h->n; i++) {
        const struct history_series *s = history_find(&h->runs[i], t->series);
        if (s && strcmp(h->runs[i].machine.key, t->machine->key) == 0 && has_row(t, s))
            put_row(to, t, &h->runs[i], s);
    }
    fclose(to);
    return text;
}

static void put_metric(FILE *to, const char *column, int direction)
{
    fprintf(to, "      %s:\n        column: %s\n        direction: %d\n        scale: 1\n", column,
            column, direction);
}

static void put_test(FILE *to, const struct test *t, const char *name)
{
    fprintf(to,
            "  %s:\n    type: csv\n    file: %s.csv\n    time_column: time\n"
            "    attributes: [run, commit, subject]\n    csv_options:\n      delimiter: ','\n"
            "      quote_char: '\"'\n    metrics:\n",
            name, name);
    put_metric(to, "requests_per_s", 1);
    put_metric(to, "cpu_ns_per_request", -1);
    if (t->relative) {
        put_metric(to, "requests_per_s_ratio", 1);
        put_metric(to, "cpu_per_request_ratio", -1);
    }
}

int export_otava(const struct history *h, int (*file)(void *to, const char *name, const char *text),
                 void *to)
{
    struct tests tests = {0};
    char *yaml = NULL;
    size_t size;
    int rc = 0;
    FILE *names = open_memstream(&yaml, &size);
    fputs("# The tests below are CSV files beside this one; run Otava in their folder.\ntests:\n",
          names);
    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k < h->runs[i].series_n; k++)
            list_series(&tests, &h->runs[i], &h->runs[i].series[k]);
    for (size_t i = 0; rc == 0 && i < tests.n; i++) {
        char *name = test_name(&tests.item[i]), *path = xasprintf("%s.csv", name);
        char *csv = make_csv(h, &tests.item[i]);
        put_test(names, &tests.item[i], name);
        rc = file(to, path, csv);
        free(csv);
        free(path);
        free(name);
    }
    fclose(names);
    if (rc == 0)
        rc = file(to, "otava.yaml", yaml);
    free(yaml);
    free(tests.item);
    return rc;
}
