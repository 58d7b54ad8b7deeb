/* run: everything that must be known and in place before the first server boots; what is missing is
   found here, not an hour later. See run.h. */
#include "run/run.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/home.h"
#include "judge/cells.h"
#include "lab/account.h"
#include "lab/host.h"
#include "lab/leftovers.h"
#include "lab/lock.h"
#include "lab/program.h"
#include "run/resume.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BACKLOG = 4096,
    KEEPALIVE_REQUESTS = 65535, /* lighttpd's largest; equal for all */
    KEEPALIVE_TIMEOUT_S = 75,
    FDS_RESERVE = 64 /* a server's own files beside its connections */
};

static void warn(struct run *run, char *text_take)
{
    strings_take(&run->result.warnings, text_take);
}

/* Folder for the result. An older result in it is never overwritten. */
static int open_out(struct run *run, const struct run_wish *wish, struct err *e)
{
    char stamp[32];
    clock_stamp_name(stamp, sizeof stamp);
    char *dir = wish->out ? xstrdup(wish->out)
                          : xasprintf("results/%s-%s", stamp, run->result.plan.suite.name);
    char *old = xasprintf("%s/result.json", dir);
    int rc = 0;
    if (access(old, F_OK) == 0 && !wish->resume)
        rc = err_set(e, EXIT_USAGE,
                     "%s holds a result already; choose another folder, or go on with it: "
                     "--resume %s",
                     dir, dir);
    else
        rc = file_make_dir(dir, e);
    if (rc == 0 && !(run->out = realpath(dir, NULL)))
        rc = err_set(e, EXIT_MACHINE, "cannot use the folder %s: %s", dir, strerror(errno));
    free(old);
    free(dir);
    return rc;
}

/* A program that isn't there is found missing later, with its reason. */
static bool can_start(uid_t uid, const struct manifest *m)
{
    if (m->url)
        return true;
    char *program = m->start.item[0][0] == '{' ? xstrdup(program_servers_dir())
                                               : program_find(m->start.item[0]);
    bool can = !program || account_can_run(uid, program);
    free(program);
    return can && account_can_run(uid, m->dir);
}

/* As root the servers run as nobody, if every one of them can be started so; else all as root,
 * alike. */
static uid_t choose_user(struct run *run)
{
    uid_t nobody = account_unprivileged();
    if (!nobody)
        return 0;
    for (size_t i = 0; i < run->result.plan.servers_n; i++) {
        const struct manifest *m = &run->result.plan.servers[i];
        if (can_start(nobody, m))
            continue;
        warn(run, xasprintf("servers run as root: the user nobody can't start %s (its program or "
                            "manifest lies in a folder closed to others)",
                            m->name));
        return 0;
    }
    return nobody;
}

static int make_docroot(struct run *run, struct err *e)
{
    char *script = home_path("scripts/docroot");
    char *argv[] = {script, run->docroot, NULL};
    int status = 0;
    char *out = process_capture(argv, 20000, &status, e);
    int rc = !out          ? -1
             : status != 0 ? err_set(e, EXIT_MACHINE, "scripts/docroot failed: %.300s", out)
                           : 0;
    free(out);
    free(script);
    return rc;
}

/* The temporary folder must be open to the servers' user: it lies in TMPDIR, not in the result. */
static int make_run_root(struct run *run, struct err *e)
{
    const char *tmp = getenv("TMPDIR");
    char *dir = xasprintf("%s/parity-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(dir) || chmod(dir, 0755) < 0) {
        err_set(e, EXIT_MACHINE, "cannot make a temporary folder %s: %s; set TMPDIR", dir,
                strerror(errno));
        free(dir);
        return -1;
    }
    run->run_root = dir;
    leftovers_note_dir(dir);
    run->docroot = xasprintf("%s/docroot", dir);
    if (run->setup.uid && chown(dir, run->setup.uid, (gid_t)-1) < 0)
        return err_set(e, EXIT_MACHINE, "cannot give %s to user %u: %s", dir, run->setup.uid,
                       strerror(errno));
    return make_docroot(run, e);
}

static int find_generators(struct run *run, struct err *e)
{
    const struct strings *names = &run->result.plan.suite.generators;
    run->generators = xcalloc(names->n, sizeof(struct generator *));
    for (size_t i = 0; i < names->n; i++) {
        run->generators[i] = generator_find(names->item[i]);
        if (!run->generators[i])
            return err_set(e, EXIT_USAGE, "there is no generator \"%s\"; see: parity list",
                           names->item[i]);
        char *missing = run->generators[i]->missing();
        if (missing) {
            err_set(e, EXIT_MACHINE, "generator %s can't run here: %s", names->item[i], missing);
            free(missing);
            return -1;
        }
    }
    return 0;
}

static unsigned highest_level(const struct suite *suite)
{
    unsigned most = 0;
    for (size_t i = 0; i < suite->connections_n; i++)
        most = suite->connections[i] > most ? suite->connections[i] : most;
    return most;
}

/* Levels that the limit of open files, or the generator, can't hold exactly: skipped with the
   numbers, never rounded. */
static void skip_impossible(struct run *run)
{
    struct rlimit files;
    struct plan *p = &run->result.plan;
    getrlimit(RLIMIT_NOFILE, &files);
    for (size_t i = 0; i < p->cells_n; i++) {
        const struct cell *c = &p->cells[i];
        struct load load = {.route = c->route,
                            .connections = c->connections,
                            .keepalive = c->keepalive,
                            .duration_s = suite_duration(&p->suite, c->generator),
                            .requests = p->suite.requests,
                            .warmup_s = p->suite.warmup_s,
                            .cpus_n = run->cpus.client_n,
                            .together = (unsigned)p->servers_n};
        char *why = run->generators[c->generator]->refuses(&load);
        if (!why && c->connections + FDS_RESERVE > files.rlim_max)
            why = xasprintf("fd_limit: %u connections need %u open files a process, the limit is "
                            "%lu (ulimit -Hn)",
                            c->connections, c->connections + FDS_RESERVE,
                            (unsigned long)files.rlim_max);
        if (why)
            plan_skip(p, i, why);
        free(why);
    }
}

static void skip_server(struct run *run, size_t server, const char *why)
{
    struct plan *p = &run->result.plan;
    free(run->result.servers[server].failed);
    run->result.servers[server].failed = xstrdup(why);
    for (size_t i = 0; i < p->cells_n; i++)
        if (p->cells[i].server == server)
            plan_skip(p, i, why);
}

/* Servers that can't run here are skipped with the reason; without the reference there is nothing
   to compare with, which is an error. */
static int describe_servers(struct run *run, struct err *e)
{
    struct result *r = &run->result;
    size_t usable = 0;
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        const struct manifest *m = &r->plan.servers[i];
        struct err own = {0};
        char *missing = server_missing(m);
        if (missing)
            err_set(&own, EXIT_MACHINE, "%s", missing);
        else
            server_describe(m, &run->setup, &r->servers[i].facts, &own);
        free(missing);
        usable += !own.code;
        if (own.code && i == r->plan.reference)
            return err_set(e, EXIT_MACHINE, "the reference %s can't run here: %s", m->name,
                           own.text);
        if (own.code)
            skip_server(run, i, own.text);
    }
    return usable ? 0 : err_set(e, EXIT_MACHINE, "no server can run here; see: parity list");
}

/* What must be the same for a run to be resumed, readable so that a difference can be named. */
static char *fingerprint(const struct run *run)
{
    char machine[300];
    host_machine_key(machine, sizeof machine);
    char *print = xasprintf("machine=%s", machine);
    for (size_t i = 0; i < run->result.plan.servers_n; i++) {
        const struct facts *f = &run->result.servers[i].facts;
        char *next = xasprintf("%s\n%s=%s %s %s", print, run->result.plan.servers[i].name,
                               facts_show(f, "version"), facts_show(f, "sha256"),
                               facts_show(f, "inputs_sha256"));
        free(print);
        print = next;
    }
    for (size_t i = 0; i < run->result.plan.suite.generators.n; i++) {
        char *version = run->generators[i]->version();
        char *next =
            xasprintf("%s\n%s=%s", print, run->generators[i]->name, version ? version : "unknown");
        free(version);
        free(print);
        print = next;
    }
    return print;
}

/* Of any server; CPUs are split for that. */
static unsigned most_workers(const struct plan *p)
{
    unsigned most = p->suite.workers;
    for (size_t i = 0; i < p->servers_n; i++)
        most = p->servers[i].workers > most ? p->servers[i].workers : most;
    return most;
}

static void set_up(struct run *run)
{
    const struct suite *suite = &run->result.plan.suite;
    run->setup = (struct server_setup){.workers = suite->workers,
                                       .connections = highest_level(suite),
                                       .backlog = BACKLOG,
                                       .keepalive_requests = KEEPALIVE_REQUESTS,
                                       .keepalive_timeout_s = KEEPALIVE_TIMEOUT_S,
                                       .cpus = &run->cpus.server};
    run->conditions = (struct conditions){.asked_s = suite->duration_s,
                                          .workers = suite->workers,
                                          .server_cpus = run->cpus.server_n,
                                          .client_cpus = run->cpus.client_n,
                                          .shared_cores = run->cpus.shared,
                                          .process_figures = true};
    CPU_OR(&run->used, &run->cpus.server, &run->cpus.client);
}

/* One run at a time measures; a second one is warned, for both then measure each other. */
static void take_lock(struct run *run)
{
    char *busy = NULL;
    run->lock_fd = lock_take(&busy);
    if (busy)
        warn(run, busy);
    struct strings ended = {0};
    struct err e = {0};
    if (leftovers_end(&ended, &e) < 0)
        warn(run, xstrdup(e.text));
    for (size_t i = 0; i < ended.n; i++)
        warn(run, xasprintf("ended a leftover of an earlier run: %s", ended.item[i]));
    strings_fini(&ended);
}

int run_open(struct run *run, struct plan *plan, const struct run_wish *wish, struct err *e)
{
    *run = (struct run){.lock_fd = -1};
    result_init(&run->result, plan);
    run->result.command = wish->command ? xstrdup(wish->command) : NULL;
    clock_stamp_iso(run->result.started, sizeof run->result.started);
    run->blocked = xcalloc(run->result.plan.cells_n, sizeof *run->blocked);
    if (process_keep_children(e) < 0 || find_generators(run, e) < 0 ||
        cpus_plan(&run->cpus, most_workers(&run->result.plan), wish->server_cpus, wish->client_cpus,
                  "/sys", e) < 0)
        return -1;
    take_lock(run);
    set_up(run);
    run->setup.uid = choose_user(run);
    if (make_run_root(run, e) < 0)
        return -1;
    run->setup.run_root = run->run_root;
    run->setup.docroot = run->docroot;
    skip_impossible(run);
    if (describe_servers(run, e) < 0)
        return -1;
    if (run->cpus.shared)
        warn(run, xasprintf("server and generator share CPUs (%s): rates are of both together",
                            run->cpus.text));
    host_facts(&run->result.environment);
    facts_text(&run->result.environment, "cpu_split", run->cpus.text);
    run->result.fingerprint = fingerprint(run);
    if (wish->keep_no_files)
        return 0;
    if (open_out(run, wish, e) < 0 || (wish->resume && resume_take(run, e) < 0))
        return -1;
    return run_save(run, e);
}

void run_close(struct run *run)
{
    if (run->run_root) {
        file_remove_tree(run->run_root, NULL);
        leftovers_forget_dir(run->run_root);
    }
    if (run->lock_fd >= 0)
        lock_release(run->lock_fd);
    result_fini(&run->result);
    free(run->out);
    free(run->run_root);
    free(run->docroot);
    free(run->generators);
    free(run->blocked);
    *run = (struct run){.lock_fd = -1};
}

int run_save(struct run *run, struct err *e)
{
    if (!run->out)
        return 0;
    char *path = xasprintf("%s/result.json", run->out), *json = result_to_json(&run->result);
    int rc = file_replace(path, json, strlen(json), e);
    free(json);
    free(path);
    return rc;
}

char *run_raw_dir(struct run *run, const char *name, struct err *e)
{
    char *dir = xasprintf("%s/raw/%s", run->out ? run->out : run->run_root, name);
    if (file_make_dir(dir, e) == 0)
        return dir;
    free(dir);
    return NULL;
}

struct server_setup run_setup(const struct run *run, const struct manifest *m)
{
    struct server_setup setup = run->setup;
    setup.port = m->port;
    setup.workers = m->workers ? m->workers : setup.workers;
    return setup;
}

struct conditions run_conditions(const struct run *run, const struct cell *c)
{
    const struct plan *p = &run->result.plan;
    const struct manifest *m = &p->servers[c->server];
    struct conditions k = run->conditions;
    k.process_figures = !m->url;
    k.workers = m->workers ? m->workers : k.workers;
    k.asked_s = suite_duration(&p->suite, c->generator);
    if (p->suite.requests && run->generators[c->generator]->counts)
        k.asked_s = NAN; /* it takes as long as it takes */
    return k;
}

void run_end(struct run *run, enum run_state state)
{
    run->result.state = state;
    clock_stamp_iso(run->result.ended, sizeof run->result.ended);
}

uint64_t run_draw_seed(void)
{
    uint32_t seed = 0;
    while (seed == 0)
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
            seed = (uint32_t)clock_ns();
    return seed;
}

void run_judge(struct run *run)
{
    cells_judge(&run->result, &run->conditions);
    ratios_judge(&run->result);
}
