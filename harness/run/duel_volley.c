/* duel_volley: see duel_volley.h. */
#include "run/duel_volley.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/process.h"
#include "lab/stop.h"
#include "load/tool.h"
#include "load/volley_argv.h"
#include "model/strings.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATIENCE_S = 30, /* beyond its own time: timeouts and drains of servers that hang */
    GRACE_MS = 2000
};

/* "0=12,13,20": its own processes first. */
static void add_clocks(struct strings *argv, const struct duel_load *l, size_t target)
{
    size_t n = 0;
    pid_t *pids = NULL;
    for (size_t k = 0; k < l->targets; k++) {
        const struct duel_target *t = &l->target[(target + k) % l->targets];
        for (size_t i = 0; i < t->pids_n; i++)
            *(pid_t *)xgrow(&pids, &n, sizeof *pids) = t->pids[i];
    }
    volley_argv_pids(argv, target, pids, n);
    free(pids);
}

static void make_argv(struct strings *argv, const char *program, const struct duel_load *l,
                      const char *slices_path)
{
    strings_add(argv, program);
    strings_add(argv, "--json");
    volley_argv_add(argv, "--connections", xasprintf("%u", l->connections));
    volley_argv_add(argv, "--threads", xasprintf("%u", l->threads));
    volley_argv_add(argv, "--slice", xasprintf("%.0fus", l->slice_s * 1e6));
    volley_argv_add(argv, "--duration", xasprintf("%.0fms", l->seconds * 1e3));
    volley_argv_add(argv, "--warmup", xasprintf("%.0fms", l->warmup_s * 1e3));
    volley_argv_add(argv, "--seed", xasprintf("%llu", l->seed));
    volley_argv_add(argv, "--slices", xstrdup(slices_path));
    if (l->busy_poll)
        strings_add(argv, "--busy-poll");
    if (l->order)
        volley_argv_add(argv, "--order", xstrdup(l->order));
    for (size_t i = 0; i < l->targets && l->target[i].pids_n; i++)
        add_clocks(argv, l, i);
    volley_argv_request(argv, l->route, true);
    for (size_t i = 0; i < l->targets; i++)
        strings_take(argv, tool_address_url(l->target[i].address, l->route));
}

/* 0 and 3 (not one right answer from a server) are findings, judged by the slices; the rest means
   that the generator itself could not work. */
static int judge_end(const struct process *p, bool ended, const char *said, char *note, size_t size,
                     struct err *e)
{
    char how[80];
    size_t len = said ? strlen(said) : 0;
    const char *tail = len > 250 ? said + len - 250 : len ? said : "nothing";
    process_explain(p, how, sizeof how);
    note[0] = '\0';
    if (stop_asked())
        return 0;
    if (!ended)
        return err_set(e, EXIT_MACHINE, "volley did not end in time and was stopped; it said: %s",
                       tail);
    if (p->status == 0)
        return 0;
    if (WIFEXITED(p->status) && WEXITSTATUS(p->status) == EXIT_INCONCLUSIVE) {
        snprintf(note, size, "%s", tail);
        note[strcspn(note, "\n")] = '\0';
        return 0;
    }
    return err_set(e, EXIT_MACHINE, "volley %s: %s", how, tail);
}

int duel_volley_run(const char *program, const struct duel_load *l, struct duel_slices *slices,
                    char *note, size_t size, struct err *e)
{
    struct strings argv = {0};
    char *path = xasprintf("%s/%s.jsonl", l->dir, l->name);
    char *out = xasprintf("%s/%s.out", l->dir, l->name);
    char *words = xasprintf("%s/%s.err", l->dir, l->name);
    struct process p = {0};
    *slices = (struct duel_slices){0};
    make_argv(&argv, program, l, path);
    struct process_spec spec = {.argv = argv.item,
                                .out_path = out,
                                .err_path = words,
                                .cpus = l->cpus,
                                .fds = (uint64_t)l->connections * l->targets + 64 + l->threads * 8};
    int rc = process_start(&p, &spec, e);
    if (rc == 0) {
        bool ended = process_wait(&p, (unsigned)((l->seconds + PATIENCE_S) * 1000));
        rc = process_stop(&p, SIGTERM, GRACE_MS, e);
        char *said = file_read(words, NULL, NULL);
        if (rc == 0)
            rc = judge_end(&p, ended, said, note, size, e);
        free(said);
    }
    char *text = rc == 0 ? file_read(path, NULL, NULL) : NULL;
    if (text && !stop_asked()) /* a run that was stopped may end in half a line */
        rc = duel_slices_read(slices, text, path, e);
    free(text);
    unlink(out);
    unlink(words);
    strings_fini(&argv);
    free(words);
    free(out);
    free(path);
    return rc;
}
