/* wrk: command line and outcome of a run of wrk. What it prints is read by wrk_report.c; what it
   sends and prints besides is in scripts/wrk/report.lua, which gets the route's values as arguments
   (no Lua is generated).

   wrk takes whole seconds only, but ends early on SIGINT and prints its report then. A fraction of
   a second is had that way: -d is longer, SIGINT comes in time. The warm-up is the same, its report
   ignored. wrk's threads look at the clock every 100 ms (RECORD_INTERVAL_MS), so a run ends up to
   0.1 s late; the rate is from the time that it says it took. */
#include "load/wrk.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/home.h"
#include "load/generator.h"
#include "load/limits.h"
#include "load/tool.h"
#include "load/wrk_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TIMEOUT_S = 10, /* of an answer; slower ones are counted, not recorded */
    GRACE_MS = 2000
};

static const double start_s = 0.2;
static const double shortest_s = 0.2; /* of wrk's 100 ms clock */
/* Not const, so that a test of the watchdog needn't wait. */
static double margin_s = 10;

unsigned wrk_threads(unsigned connections, unsigned cpus)
{
    unsigned most = connections < cpus ? connections : cpus;
    for (unsigned n = most; n > 1; n--)
        if (connections % n == 0)
            return n;
    return 1;
}

static char *script_path(void)
{
    return home_path("scripts/wrk/report.lua");
}

static char *missing(void)
{
    char *why = tool_missing("wrk", "wrk");
    char *script = script_path();
    if (!why && access(script, R_OK) < 0)
        why = xasprintf("its script %s is missing", script);
    free(script);
    return why;
}

static char *version(void)
{
    char *const argv[] = {(char[]){"wrk"}, (char[]){"-v"}, NULL};
    return tool_first_line(argv);
}

static double seconds(const struct load *l)
{
    return start_s + l->warmup_s + l->duration_s + 0.1;
}

static char *refuses(const struct load *l)
{
    struct limits limits;
    if (l->connections == 0)
        return xstrdup("wrk needs at least 1 connection");
    if (l->duration_s < shortest_s)
        return xasprintf("wrk looks at its clock every 0.1 s: %g s are too short for it, at least "
                         "%g s",
                         l->duration_s, shortest_s);
    limits_read(&limits, "/proc");
    return limits_refuse(&limits, l);
}

static void add(struct strings *argv, const char *option, char *value_taken)
{
    strings_add(argv, option);
    strings_take(argv, value_taken);
}

/* Makes the command line for a run of run_s. */
static int make_job(const struct load *l, double run_s, const char *prefix, struct tool_job *job,
                    struct err *e)
{
    const struct route *route = route_get(l->route);
    bool whole = run_s == floor(run_s) && run_s >= 1;
    *job = (struct tool_job){.prefix = prefix,
                             .interrupt_s = whole ? 0 : run_s,
                             .limit_s = run_s + margin_s,
                             .grace_ms = GRACE_MS};
    char *body = tool_body_file(l, e);
    if (!body)
        return -1;
    strings_add(&job->argv, "wrk");
    add(&job->argv, "-t", xasprintf("%u", wrk_threads(l->connections, l->cpus_n)));
    add(&job->argv, "-c", xasprintf("%u", l->connections));
    /* Longer than asked when SIGINT will end it, so that it never ends by itself before that. */
    add(&job->argv, "-d", xasprintf("%.0fs", whole ? run_s : ceil(run_s) + 2));
    add(&job->argv, "--timeout", xasprintf("%us", TIMEOUT_S));
    strings_add(&job->argv, "--latency");
    add(&job->argv, "-s", script_path());
    strings_take(&job->argv, tool_url(l));
    add(&job->argv, "--", xstrdup(route->method));
    strings_add(&job->argv, l->keepalive ? "keep-alive" : "close");
    strings_add(&job->argv, route->request_type ? route->request_type : "");
    strings_take(&job->argv, body);
    return 0;
}

/* wrk counts a connect that failed and says no more: the cause follows from what is scarce. */
static void explain_connects(const struct load *l, const struct limits *limits,
                             const struct tally *t, struct load_outcome *o)
{
    int64_t failed = t->errors[ERROR_CONNECT];
    int64_t safe = load_close_requests_limit(limits, t->duration_s);
    uint64_t fds = (uint64_t)l->connections + LIMITS_FDS_RESERVE;
    if (failed <= 0)
        return;
    if (fds > limits->fds_hard) {
        o->verdict = VERDICT_FD_LIMIT;
        snprintf(o->note, sizeof o->note,
                 "%lld of %u connections failed: they need %llu file descriptors, the hard limit "
                 "is %llu (ulimit -Hn)",
                 (long long)failed, l->connections, (unsigned long long)fds,
                 (unsigned long long)limits->fds_hard);
    } else if (!l->keepalive && safe >= 0 && t->requests + failed > safe) {
        o->verdict = VERDICT_PORTS_EXHAUSTED;
        snprintf(o->note, sizeof o->note,
                 "%lld connects failed after %lld requests with a connection each; %lld ephemeral "
                 "ports are enough for %lld for sure",
                 (long long)failed, (long long)t->requests, (long long)limits->ports,
                 (long long)safe);
    } else if (t->requests == 0) {
        o->verdict = VERDICT_CONNECT_FAILED;
        snprintf(o->note, sizeof o->note, "%s%lld connect%s failed", failed == 1 ? "" : "all ",
                 (long long)failed, failed == 1 ? "" : "s");
    }
}

static void judge_report(const struct load *l, const struct limits *limits,
                         const struct wrk_report *r, struct load_outcome *o)
{
    const struct tally *t = &r->tally;
    o->verdict = VERDICT_VALID;
    snprintf(o->note, sizeof o->note, "%s", r->note);
    if (r->server_closes_each_response)
        snprintf(o->note, sizeof o->note,
                 "server_closes_each_response: %lld of %lld answers ended "
                 "with their connection",
                 (long long)r->read_errors, (long long)t->requests);
    explain_connects(l, limits, t, o);
    if (o->verdict == VERDICT_VALID && t->requests == 0) {
        o->verdict = VERDICT_NO_DATA;
        snprintf(o->note, sizeof o->note,
                 "no request was completed (%lld read error%s, %lld bytes)",
                 (long long)r->read_errors, r->read_errors == 1 ? "" : "s", (long long)t->bytes);
    }
}

/* Figures and outcome from a run that has ended by itself. */
static void conclude(const struct load *l, const struct limits *limits, const struct tool_end *end,
                     struct tally *t, struct load_outcome *o)
{
    struct wrk_report r;
    int rc = wrk_report_parse(end->out, &r);
    *t = r.tally;
    if (rc < 0)
        tool_diagnose(end, "wrk", t, o);
    else
        judge_report(l, limits, &r, o);
    t->threads = wrk_threads(l->connections, l->cpus_n);
}

static int measure(const struct load *l, struct tally *t, struct load_outcome *o, struct err *e)
{
    struct limits limits;
    struct tool_job job;
    struct tool_end end = {0};
    *o = (struct load_outcome){.verdict = VERDICT_NOT_RUN};
    tool_no_figures(t);
    limits_read(&limits, "/proc");
    int rc = make_job(l, l->duration_s, "", &job, e);
    if (rc == 0)
        rc = tool_run(l, &job, &end, e);
    if (rc == 0 && !tool_cut_short(&end, &job, o)) {
        conclude(l, &limits, &end, t, o);
        tool_note_end(&end, &job, o);
    }
    tool_end_fini(&end);
    strings_fini(&job.argv);
    return rc;
}

static int warm(const struct load *l, struct err *e)
{
    struct limits limits;
    struct tool_job job;
    struct tool_end end = {0};
    limits_read(&limits, "/proc");
    int rc = 0;
    if (l->warmup_s > 0) {
        rc = make_job(l, l->warmup_s, "warm-", &job, e);
        if (rc == 0)
            rc = tool_run(l, &job, &end, e);
        tool_end_fini(&end);
        strings_fini(&job.argv);
    }
    limits_settle(&limits, l);
    return rc;
}

const struct generator wrk_generator = {
    .name = "wrk",
    .title = "one server a trial; several threads; latencies corrected by the tool",
    .missing = missing,
    .version = version,
    .seconds = seconds,
    .refuses = refuses,
    .warm = warm,
    .measure = measure};
