/* gate_trend: the gate's third tier: reads the run's result and the history. See gate.h. */
#include "run/gate.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "judge/gate.h"
#include "lab/sha256.h"
#include "model/history.h"
#include "model/result.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *sum_of(const char *text, size_t len)
{
    struct sha256 sum;
    char hex[SHA256_HEX];
    sha256_init(&sum);
    sha256_add(&sum, text, len);
    sha256_hex(&sum, hex);
    return xstrdup(hex);
}

static int read_result(struct history_run *now, const char *path, struct err *e)
{
    struct result result = {0};
    size_t len = 0;
    char *text = file_read(path, &len, e);
    int rc = text ? result_from_json(&result, text, path, e) : -1;
    if (rc == 0) {
        char *sum = sum_of(text, len);
        rc = history_run_of_result(now, &result, sum, e);
        free(sum);
    }
    result_fini(&result);
    free(text);
    return rc;
}

/* A file that isn't there is a history that begins; an empty or broken one is an error. */
static int read_history(struct history *h, const char *path, bool *is_there, struct err *e)
{
    *is_there = path && access(path, F_OK) == 0;
    if (!*is_there)
        return 0;
    char *text = file_read(path, NULL, e);
    int rc = text ? history_read(h, text, path, e) : -1;
    free(text);
    return rc;
}

/* The name by which results know the build under test. */
static int find_name(const struct gate_run *r, char **name, struct err *e)
{
    struct manifest m = {0};
    char *title = NULL;
    int rc = duel_contestant_make(&m, &title, &r->wish->side[DUEL_B], r->watch->on_stage,
                                  r->watch->arg, e);
    if (rc == 0)
        *name = xstrdup(m.name);
    manifest_fini(&m);
    free(title);
    return rc;
}

static void note_torn(struct gate_run *r, const struct history *h)
{
    if (!h->torn)
        return;
    char *text = xasprintf("the history ends with %zu bytes that are no whole line: a writer was "
                           "stopped; they are left out",
                           h->torn);
    gate_run_note(r, text);
    free(text);
}

int gate_run_trend(struct gate_run *r, struct err *e)
{
    struct history history = {0};
    struct history_run now = {0};
    char *name = NULL;
    bool is_there = false;
    gate_run_stage(r, "compare with the history");
    int rc = find_name(r, &name, e);
    if (rc == 0)
        rc = read_result(&now, r->wish->result, e);
    if (rc == 0)
        rc = read_history(&history, r->wish->history, &is_there, e);
    if (rc == 0) {
        struct gate_trend_input in = {.history = is_there ? &history : NULL,
                                      .now = &now,
                                      .server = name,
                                      .drop = r->wish->drop_percent,
                                      .last = r->wish->last,
                                      .renamed = &r->wish->renamed};
        note_torn(r, &history);
        gate_judge_trend(&r->gate, &in);
    }
    history_run_fini(&now);
    history_fini(&history);
    free(name);
    return rc;
}
