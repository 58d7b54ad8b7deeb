/* session: the course of a measurement. Server clocks are read when every worker has drained: the
   server is idle then, and its clock exact. */
#include "volley/session.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "volley/cputime.h"
#include "volley/flags.h"
#include "volley/order.h"
#include "volley/source.h"
#include "volley/target.h"
#include "volley/team.h"
#include "volley/transport.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    SLICE_NS = 10000000
}; /* with several targets, unless told otherwise */

/* Server processes of one target. */
struct clocks {
    unsigned n;
    struct cputime *clock;
};

struct course {
    struct session *run;
    const struct flags *options;
    const struct target *targets;
    struct sockaddr_storage sources[SOURCE_MAX];
    struct team team;
    struct clocks *clocks;
    struct order order;
    struct tally slice;
    uint64_t slices;
    session_on_slice *on_slice;
    void *context;
};

/* Reads a target's server clocks. */
static void read_clocks(const struct clocks *c, uint64_t *ns, bool *known)
{
    for (unsigned i = 0; i < c->n; i++)
        known[i] = cputime_read(&c->clock[i], &ns[i]);
}

static void one_slice(struct course *r, unsigned target, uint64_t length_ns)
{
    const struct clocks *c = &r->clocks[target];
    struct session_target *t = &r->run->target[target];
    uint64_t before[SESSION_PIDS_MAX], used[SESSION_PIDS_MAX];
    bool known_before[SESSION_PIDS_MAX], known[SESSION_PIDS_MAX];
    read_clocks(c, before, known_before);
    team_slice(&r->team, target, length_ns);
    read_clocks(c, used, known);
    tally_reset(&r->slice);
    team_collect(&r->team, target, &r->slice);
    for (unsigned i = 0; i < c->n; i++) {
        known[i] = known[i] && known_before[i];
        used[i] = known[i] ? used[i] - before[i] : 0;
        t->server_cpu_ns += used[i];
        t->server_cpu_known &= known[i];
    }
    tally_add(&t->total, &r->slice);
    t->slices++;
    struct session_slice told = {.index = r->slices++,
                                 .target = target,
                                 .tally = &r->slice,
                                 .pid_count = c->n,
                                 .server_cpu_ns = used,
                                 .server_cpu_known = known};
    if (r->on_slice)
        r->on_slice(r->context, &told);
}

/* Is there a target that can still be loaded? */
static bool work_left(const struct course *r)
{
    for (unsigned i = 0; i < r->run->target_count; i++)
        if (team_can_load(&r->team, i))
            return true;
    return false;
}

/* Each target for a while, not counted. Connections that were opened stay counted. */
static void warm_up(struct course *r)
{
    bool stop = false;
    for (unsigned i = 0; r->options->warmup_ns && i < r->run->target_count && !stop; i++) {
        team_slice(&r->team, i, r->options->warmup_ns);
        stop = *r->team.plan.stop != 0;
    }
    for (unsigned i = 0; i < r->run->target_count; i++) {
        struct tally *total = &r->run->target[i].total;
        tally_reset(&r->slice);
        team_collect(&r->team, i, &r->slice);
        total->opened = r->slice.opened;
        total->errors[ERROR_CONNECT] = r->slice.errors[ERROR_CONNECT];
        total->connect_error = r->slice.connect_error;
    }
    for (unsigned i = 0; i < r->team.size; i++)
        worker_renew_quota(r->team.worker[i]);
}

/* Slices until the time is over, and then to the end of the round: only whole rounds compare
 * fairly. */
static void all_slices(struct course *r)
{
    const struct flags *o = r->options;
    bool alone = r->run->target_count == 1;
    uint64_t slice_ns = o->slice_ns ? o->slice_ns : alone ? o->duration_ns : SLICE_NS;
    uint64_t start = clock_ns(), gone = 0;
    while (!*r->team.plan.stop && work_left(r)) {
        uint64_t left = gone < o->duration_ns ? o->duration_ns - gone : 0;
        if (!left && (alone || order_at_round_start(&r->order)))
            break;
        unsigned target = (unsigned)order_next(&r->order);
        if (team_can_load(&r->team, target))
            one_slice(r, target, alone && left < slice_ns ? left : slice_ns);
        gone = clock_ns() - start;
    }
    r->run->wall_ns = gone;
}

/* What happened to idle connections since their last slice, and what the workers only know
 * together. */
static void settle(struct course *r)
{
    for (unsigned i = 0; i < r->run->target_count; i++) {
        struct session_target *t = &r->run->target[i];
        tally_reset(&r->slice);
        team_collect(&r->team, i, &r->slice);
        r->slice.duration_ns = 0;
        tally_add(&t->total, &r->slice);
        team_compare(&r->team, i, &t->total);
        t->achieved = team_achieved(&r->team, i);
    }
}

static int open_clocks(struct course *r, struct err *e)
{
    for (unsigned i = 0; i < r->run->target_count; i++) {
        const struct target *t = &r->targets[i];
        struct clocks *c = &r->clocks[i];
        if (t->pid_count > SESSION_PIDS_MAX)
            return err_set(e, EXIT_USAGE, "--pid: more than %d processes for %s", SESSION_PIDS_MAX,
                           t->url);
        c->clock = xcalloc(t->pid_count, sizeof *c->clock);
        for (; c->n < t->pid_count; c->n++)
            if (cputime_open(&c->clock[c->n], t->pids[c->n], e) < 0)
                return -1;
        r->run->target[i].server_cpu_known = t->pid_count > 0;
    }
    return 0;
}

static int choose_engine(struct course *r, struct err *e)
{
    const char *name = r->options->engine;
    bool automatic = strcmp(name, "auto") == 0;
    r->team.plan.engine = &transport_epoll;
    if (strcmp(name, "uring") == 0 || (automatic && transport_uring_works()))
        r->team.plan.engine = &transport_uring;
    if (!automatic && r->team.plan.engine == &transport_uring && !transport_uring_works())
        return err_set(e, EXIT_MACHINE,
                       "--engine uring: this kernel doesn't let us use io_uring (6.1 or "
                       "newer, and allowed); use --engine epoll");
    r->run->engine = r->team.plan.engine->name;
    return 0;
}

static int choose_sources(struct course *r, struct err *e)
{
    if (!r->options->source)
        return 0;
    int n = source_parse(r->options->source, r->targets[0].address.ss_family, r->sources, e);
    r->team.plan.sources = r->sources;
    r->team.plan.source_count = n > 0 ? (unsigned)n : 0;
    return n < 0 ? -1 : 0;
}

int session_check_limits(const struct flags *o, struct err *e)
{
    struct rlimit limit;
    uint64_t need = o->connections * o->urls.n + o->threads * 4 + 32;
    int rc = getrlimit(RLIMIT_NOFILE, &limit);
    assert(rc == 0);
    if (need > limit.rlim_cur && need <= limit.rlim_max) {
        limit.rlim_cur = need;
        rc = setrlimit(RLIMIT_NOFILE, &limit);
        assert(rc == 0);
    }
    if (need > limit.rlim_cur)
        return err_set(
            e, EXIT_USAGE,
            "-c %llu to %u target%s needs %llu file descriptors and the limit is %llu; raise it "
            "(ulimit -n) or ask for fewer",
            (unsigned long long)o->connections, o->urls.n, o->urls.n == 1 ? "" : "s",
            (unsigned long long)need, (unsigned long long)limit.rlim_max);
    return 0;
}

/* Everything before the first request. Returns 0, or -1 with err set. */
static int prepare(struct course *r, struct err *e)
{
    const struct flags *o = r->options;
    if (order_init(&r->order, o->order, o->urls.n, o->seed, e) < 0 || choose_engine(r, e) < 0 ||
        choose_sources(r, e) < 0 || open_clocks(r, e) < 0 || session_check_limits(o, e) < 0)
        return -1;
    return team_init(&r->team, e);
}

int session_measure(struct session *run, const struct session_setup *setup, struct err *e)
{
    const struct flags *o = setup->options;
    struct course *r = xcalloc(1, sizeof *r);
    *run = (struct session){.target_count = o->urls.n};
    run->target = xcalloc(o->urls.n, sizeof *run->target);
    for (unsigned i = 0; i < o->urls.n; i++)
        tally_init(&run->target[i].total);
    tally_init(&r->slice);
    r->run = run;
    r->options = o;
    r->targets = setup->targets;
    r->on_slice = setup->on_slice;
    r->context = setup->context;
    r->clocks = xcalloc(o->urls.n, sizeof *r->clocks);
    r->team.plan = (struct worker_plan){
        .options = o, .targets = setup->targets, .target_count = o->urls.n, .stop = setup->stop};
    int rc = prepare(r, e);
    if (rc == 0) {
        team_connect(&r->team);
        warm_up(r);
        all_slices(r);
        settle(r);
    }
    team_fini(&r->team);
    for (unsigned i = 0; i < o->urls.n; i++)
        free(r->clocks[i].clock);
    free(r->clocks);
    tally_fini(&r->slice);
    free(r);
    if (rc < 0)
        session_fini(run);
    return rc;
}

void session_fini(struct session *run)
{
    for (unsigned i = 0; i < run->target_count; i++)
        tally_fini(&run->target[i].total);
    free(run->target);
    *run = (struct session){0};
}
