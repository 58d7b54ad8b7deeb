/* export_json: github-action-benchmark's two files and Bencher's metric format. */
#include "present/export.h"

#include "base/alloc.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put(json_t *object, const char *key, json_t *value)
{
    int rc = json_object_set_new(object, key, value);
    assert(rc == 0);
}

/* A text, never null: readers that want a string turn null into "null" or fail. */
static json_t *text(const char *s)
{
    json_t *v = json_string(s ? s : "");
    return v ? v : json_string("?");
}

static char *dump(json_t *o, const char *prefix)
{
    char *json = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
    assert(json);
    char *all = xasprintf("%s%s", prefix, json);
    free(json);
    json_decref(o);
    return all;
}

static json_t *bench(const struct history_run *run, const struct export_figure *f)
{
    char extra[400];
    json_t *o = json_object();
    put(o, "name", text(f->name));
    put(o, "value", json_real(f->value));
    put(o, "unit", text(f->unit));
    if (isfinite(f->low)) {
        char range[40];
        double reach = fmax(f->high - f->value, f->value - f->low);
        snprintf(range, sizeof range, "\xc2\xb1 %.2g", reach);
        put(o, "range", text(range));
    }
    int n = snprintf(extra, sizeof extra, "machine %s: %s\nrun %s", run->machine.key,
                     machine_title(&run->machine), run->id);
    if (f->blocks && n > 0 && (size_t)n < sizeof extra)
        snprintf(extra + n, sizeof extra - (size_t)n, "\n%zu blocks", f->blocks);
    put(o, "extra", text(extra));
    return o;
}

static json_t *benches(const struct history_run *run, bool bigger)
{
    struct export_figures f;
    json_t *a = json_array();
    export_figures_make(&f, run);
    for (size_t i = 0; i < f.n; i++)
        if (f.item[i].bigger == bigger)
            json_array_append_new(a, bench(run, &f.item[i]));
    export_figures_fini(&f);
    return a;
}

char *export_action_list(const struct history_run *run, bool bigger)
{
    return dump(benches(run, bigger), "");
}

/* ms since 1970 of 2026-01-31T12:00:00Z */
static json_int_t milliseconds(const char *iso)
{
    struct tm tm = {0};
    if (!strptime(iso, "%Y-%m-%dT%H:%M:%S", &tm))
        return 0;
    return (json_int_t)timegm(&tm) * 1000;
}

static json_t *person(const char *name)
{
    return json_pack("{s:s, s:o, s:s}", "email", "", "name", text(name), "username", "");
}

/* Runs of which no commit is known are told apart by their own id: the tool compares ids. */
static json_t *commit(const struct history_run *run)
{
    json_t *o = json_object();
    put(o, "author", person(run->author));
    put(o, "committer", person(run->author));
    put(o, "distinct", json_true());
    put(o, "id", text(run->commit ? run->commit : run->id));
    put(o, "message", text(run->subject));
    put(o, "timestamp", text(run->commit_time ? run->commit_time : run->time));
    put(o, "tree_id", text(""));
    put(o, "url", text(run->commit_url));
    return o;
}

static void add_entry(json_t *entries, const struct history_run *run, bool bigger)
{
    json_t *list = benches(run, bigger);
    if (json_array_size(list) == 0) {
        json_decref(list);
        return;
    }
    char *suite = xasprintf("Parity, %s (%s), %s is better", machine_title(&run->machine),
                            run->machine.key, bigger ? "more" : "less");
    json_t *suites = json_object_get(entries, suite);
    if (!suites) {
        put(entries, suite, json_array());
        suites = json_object_get(entries, suite);
    }
    json_array_append_new(suites,
                          json_pack("{s:o, s:I, s:s, s:o}", "commit", commit(run), "date",
                                    milliseconds(run->time), "tool",
                                    bigger ? "customBiggerIsBetter" : "customSmallerIsBetter",
                                    "benches", list));
    free(suite);
}

/* ".../owner/repo/commit/SHA" -> ".../owner/repo" */
static char *repository(const struct history *h)
{
    const char *url = h->n ? h->runs[h->n - 1].commit_url : NULL;
    const char *end = url ? strstr(url, "/commit/") : NULL;
    return end ? xstrndup(url, (size_t)(end - url)) : xstrdup("");
}

char *export_action_data(const struct history *h)
{
    json_t *entries = json_object();
    char *url = repository(h);
    for (size_t i = 0; i < h->n; i++) {
        add_entry(entries, &h->runs[i], true);
        add_entry(entries, &h->runs[i], false);
    }
    json_t *o =
        json_pack("{s:I, s:o, s:o}", "lastUpdate", h->n ? milliseconds(h->runs[h->n - 1].time) : 0,
                  "repoUrl", text(url), "entries", entries);
    free(url);
    return dump(o, "window.BENCHMARK_DATA = ");
}

char *export_bmf(const struct history_run *run)
{
    struct export_figures f;
    json_t *o = json_object();
    export_figures_make(&f, run);
    for (size_t i = 0; i < f.n; i++) {
        const struct export_figure *one = &f.item[i];
        char *name = xstrndup(one->name, one->name_len);
        json_t *measures = json_object_get(o, name), *v = json_object();
        if (!measures) {
            put(o, name, json_object());
            measures = json_object_get(o, name);
        }
        put(v, "value", json_real(one->value));
        if (isfinite(one->low)) {
            put(v, "lower_value", json_real(one->low));
            put(v, "upper_value", json_real(one->high));
        }
        put(measures, one->measure, v);
        free(name);
    }
    export_figures_fini(&f);
    return dump(o, "");
}
