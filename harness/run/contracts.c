/* contracts: one boot a server, its checks, its effective configuration kept. See contracts.h. */
#include "run/contracts.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "check/contract.h"
#include "lab/stop.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cell that must not be measured, and why. */
static void block(struct run *run, size_t cell, enum verdict v, const char *why)
{
    struct cell_result *c = &run->result.cells[cell];
    if (run->blocked[cell])
        return;
    run->blocked[cell] = true;
    c->verdict = v;
    snprintf(c->note, sizeof c->note, "%.390s", why);
}

static void block_broken(struct run *run, size_t server, const struct check_list *list)
{
    const struct plan *p = &run->result.plan;
    for (size_t c = 0; c < p->cells_n; c++) {
        const struct cell *cell = &p->cells[c];
        if (cell->server != server || cell->skipped)
            continue;
        const struct check_item *item = check_blocks(list, cell->route, cell->keepalive);
        if (!item)
            continue;
        char *why = xasprintf("%s: %s", item->name, item->problem ? item->problem : item->value);
        block(run, c,
              item->scope == CHECK_KEEPALIVE ? VERDICT_KEEPALIVE_LOST : VERDICT_CONTRACT_BROKEN,
              why);
        free(why);
    }
}

static void block_all(struct run *run, size_t server, const char *why)
{
    for (size_t c = 0; c < run->result.plan.cells_n; c++)
        if (run->result.plan.cells[c].server == server && !run->result.plan.cells[c].skipped)
            block(run, c, VERDICT_BOOT_FAILED, why);
}

/* The configuration that the server really read, into conf/SERVER/. */
static int keep_conf(struct run *run, size_t index, const struct server *server, struct err *e)
{
    const struct manifest *m = server->manifest;
    for (size_t i = 0; run->out && i < m->configs_n; i++) {
        char *from = xasprintf("%s/%s", server->run_dir, m->configs[i].to);
        char *name = xasprintf("conf/%s/%s", m->name, m->configs[i].to);
        char *dir = xasprintf("%s/conf/%s", run->out, m->name),
             *to = xasprintf("%s/%s", run->out, name);
        size_t len = 0;
        char *text = file_read(from, &len, e);
        int rc = !text || file_make_dir(dir, e) < 0 ? -1 : file_replace(to, text, len, e);
        if (rc == 0)
            strings_add(&run->result.servers[index].conf, name);
        free(text);
        free(from);
        free(name);
        free(dir);
        free(to);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int check_one(struct run *run, size_t index, struct check_list *list, struct err *e)
{
    const struct manifest *m = &run->result.plan.servers[index];
    struct server server;
    struct server_setup setup = run_setup(run, m);
    struct err own = {0};
    if (server_start(&server, m, &setup, RUN_READY_MS, &own) < 0) {
        free(run->result.servers[index].failed);
        run->result.servers[index].failed = xstrdup(own.text);
        block_all(run, index, own.text);
        return 0;
    }
    facts_number(&run->result.servers[index].facts, "boot_ms", server.boot_ms);
    check_server(list, &server, &setup);
    if (!stop_asked()) /* then what could not be asked is no finding */
        block_broken(run, index, list);
    int rc = keep_conf(run, index, &server, e);
    return server_stop(&server, false, e) < 0 ? -1 : rc;
}

int contracts_check(struct run *run, void (*on_server)(void *arg, const char *name), void *arg,
                    struct err *e)
{
    size_t n = run->result.plan.servers_n;
    struct check_list *lists = xcalloc(n, sizeof *lists);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0 && !stop_asked(); i++) {
        if (run->result.servers[i].failed)
            continue;
        if (on_server)
            on_server(arg, run->result.plan.servers[i].name);
        rc = check_one(run, i, &lists[i], e);
    }
    check_compare(&run->result, lists);
    for (size_t i = 0; i < n; i++)
        check_list_fini(&lists[i]);
    free(lists);
    return rc;
}
