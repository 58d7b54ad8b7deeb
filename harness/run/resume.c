/* resume: see resume.h. */
#include "run/resume.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "model/json_in.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int resume_suite(struct suite *s, const char *dir, struct err *e)
{
    struct json_in in;
    struct err own = {0};
    char *path = xasprintf("%s/result.json", dir);
    *s = (struct suite){0};
    if (json_in_open(&in, path, &own) == 0) {
        struct json_at root = json_in_root(&in), suite = json_at_key(&root, "suite");
        json_at_schema(&root, "parity/result", 1);
        if (!own.code)
            suite_read(s, &suite);
    }
    json_in_close(&in);
    free(path);
    return own.code ? err_set(e, own.code, "%s", own.text) : 0;
}

/* The first line in which two fingerprints differ, into to. */
static void difference(const char *old, const char *now, char *to, size_t size)
{
    while (*old || *now) {
        size_t a = strcspn(old, "\n"), b = strcspn(now, "\n");
        if (a != b || memcmp(old, now, a) != 0) {
            snprintf(to, size, "it has %.*s, now it is %.*s", (int)(a > 120 ? 120 : a), old,
                     (int)(b > 120 ? 120 : b), now);
            return;
        }
        old += a + (old[a] == '\n');
        now += b + (now[b] == '\n');
    }
    snprintf(to, size, "its fingerprint differs");
}

static bool same_cells(const struct plan *a, const struct plan *b)
{
    if (a->cells_n != b->cells_n)
        return false;
    for (size_t i = 0; i < a->cells_n; i++) {
        const struct cell *x = &a->cells[i], *y = &b->cells[i];
        if (x->server != y->server || x->route != y->route || x->generator != y->generator ||
            x->connections != y->connections || x->keepalive != y->keepalive)
            return false;
    }
    for (size_t i = 0; i < a->suite.generators.n; i++)
        if (suite_duration(&a->suite, i) != suite_duration(&b->suite, i))
            return false;
    return a->suite.duration_s == b->suite.duration_s && a->suite.workers == b->suite.workers &&
           a->suite.requests == b->suite.requests;
}

static int take(struct run *run, struct result *old, struct err *e)
{
    char what[300];
    const char *was = old->fingerprint ? old->fingerprint : "";
    if (strcmp(was, run->result.fingerprint) != 0) {
        difference(was, run->result.fingerprint, what, sizeof what);
        return err_set(e, EXIT_USAGE, "%s can't be resumed: %s; start a new run", run->out, what);
    }
    if (!same_cells(&old->plan, &run->result.plan))
        return err_set(e, EXIT_USAGE,
                       "%s can't be resumed: its plan (servers, routes, levels, duration, workers) "
                       "is another; start a new run",
                       run->out);
    run->result.trials = old->trials;
    run->result.trials_n = old->trials_n;
    old->trials = NULL;
    old->trials_n = 0;
    snprintf(run->result.started, sizeof run->result.started, "%s", old->started);
    return 0;
}

int resume_take(struct run *run, struct err *e)
{
    struct result old;
    char *path = xasprintf("%s/result.json", run->out), *text = file_read(path, NULL, e);
    int rc = text ? result_from_json(&old, text, path, e) : -1;
    if (rc == 0)
        rc = take(run, &old, e);
    if (text)
        result_fini(&old);
    free(text);
    free(path);
    return rc;
}
