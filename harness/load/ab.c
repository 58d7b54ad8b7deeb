/* ab: command line and outcome of a run of ApacheBench. What it prints is read by ab_report.c.

   Choices (behaviour from support/ab.c):
   -r   always: without it the first reset ends ab without any figure (revoltphp/event-loop#70).
   With it resets are counted, as "complete" too; ab_report_tally() takes them off again. -l never:
   ab compares each answer's length with the first one's, the only check of a body that a generator
   here makes. The first one's own length is compared with the route's below. -n   after -t, which
   sets it back to 50000; so high that the clock always ends the run, unless requests are counted:
   then there is no -t. -t   takes whole seconds. On
   SIGINT ab prints its report and exits with 1: a fraction of a second is had that way, as is the
   warm-up, whose report is ignored. (A signal can come between two steps of ab's book-keeping; one
   sample may be off.) ab sorts its samples four times before it prints; that CPU time is in its
   rusage. ab has one thread and speaks HTTP/1.0, with Connection: Keep-Alive or without. */
#include "load/ab.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "load/ab_report.h"
#include "load/generator.h"
#include "load/limits.h"
#include "load/tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECTIONS_MAX = 20000, /* MAX_CONCURRENCY of support/ab.c */
    TIMEOUT_S = 10,          /* of an answer (-s); ab then gives up altogether */
    GRACE_MS = 2000
};

static const double start_s = 0.1;
static const double shortest_s = 0.05;
static const double requests_per_s_max = 400e3; /* twice what an ab reaches; 32 bytes each, not
                                                    touched before they are used */
static const double requests_max = 100e6;       /* ab reads -n with atoi */
static const double counting_s = 900;           /* that a run which ends by its requests may take */
/* More than TIMEOUT_S, so that ab's own message comes before the watchdog. Not const, so that a
   test of the watchdog needn't wait. */
static double margin_s = TIMEOUT_S + 10;

static char *missing(void)
{
    return tool_missing("ab", "apache2-utils");
}

static char *version(void)
{
    char *const argv[] = {(char[]){"ab"}, (char[]){"-V"}, NULL};
    return tool_first_line(argv);
}

static double seconds(const struct load *l)
{
    return start_s + l->warmup_s + l->duration_s + 0.05 * l->duration_s; /* the last is the sort */
}

static char *refuses(const struct load *l)
{
    struct limits limits;
    if (l->connections == 0 || l->connections > CONNECTIONS_MAX)
        return xasprintf("ab opens 1 to %d connections, not %u", CONNECTIONS_MAX, l->connections);
    if (l->requests && l->requests < l->connections)
        return xasprintf("ab needs at least as many requests as connections: %u, not %llu",
                         l->connections, (unsigned long long)l->requests);
    if (l->duration_s < shortest_s)
        return xasprintf("%g s are too short for ab, at least %g s", l->duration_s, shortest_s);
    limits_read(&limits, "/proc");
    return limits_refuse(&limits, l);
}

static void add(struct strings *argv, const char *option, char *value_taken)
{
    strings_add(argv, option);
    strings_take(argv, value_taken);
}

/* What -n gets: the requests that were asked for, or so many that the clock ends the run. */
static int64_t requests_limit(const struct load *l, double run_s)
{
    if (l->requests)
        return (int64_t)l->requests;
    double n = ceil(run_s) * requests_per_s_max + l->connections;
    return (int64_t)fmin(n, requests_max);
}

static char *percentiles_path(const struct load *l, const char *prefix)
{
    return xasprintf("%s/%spercentiles.csv", l->raw_dir, prefix);
}

static void add_request(const struct load *l, struct strings *argv, char *body_taken)
{
    const struct route *route = route_get(l->route);
    if (l->keepalive)
        strings_add(argv, "-k");
    if (*body_taken) {
        add(argv, "-p", body_taken);
        add(argv, "-T", xstrdup(route->request_type));
    } else {
        free(body_taken);
    }
    strings_take(argv, tool_url(l));
}

static int make_job(const struct load *l, double run_s, const char *prefix, struct tool_job *job,
                    struct err *e)
{
    bool whole = l->requests || (run_s == floor(run_s) && run_s >= 1);
    *job = (struct tool_job){.prefix = prefix,
                             .interrupt_s = whole ? 0 : run_s,
                             .limit_s = l->requests ? counting_s : run_s + margin_s,
                             .grace_ms = GRACE_MS};
    char *body = tool_body_file(l, e);
    if (!body)
        return -1;
    strings_add(&job->argv, "ab");
    strings_add(&job->argv, "-q");
    strings_add(&job->argv, "-r");
    add(&job->argv, "-s", xasprintf("%d", TIMEOUT_S));
    add(&job->argv, "-c", xasprintf("%u", l->connections));
    if (!l->requests)
        add(&job->argv, "-t", xasprintf("%.0f", whole ? run_s : ceil(run_s) + 2));
    add(&job->argv, "-n", xasprintf("%lld", (long long)requests_limit(l, run_s)));
    add(&job->argv, "-e", percentiles_path(l, prefix));
    add_request(l, &job->argv, body);
    return 0;
}

/* What is wrong with a report that ab itself finds good. */
static void judge_report(const struct load *l, const struct ab_report *r, const struct tally *t,
                         struct load_outcome *o)
{
    int64_t right_length = (int64_t)route_get(l->route)->body_len;
    int64_t limit = requests_limit(l, l->duration_s);
    o->verdict = VERDICT_VALID;
    o->note[0] = '\0';
    if (t->requests == 0) {
        o->verdict = r->exceptions > 0 || r->connect > 0 ? VERDICT_CONNECT_FAILED : VERDICT_NO_DATA;
        snprintf(o->note, sizeof o->note,
                 "not one answer (connect %lld, receive %lld, exceptions %lld)",
                 (long long)r->connect, (long long)r->receive, (long long)r->exceptions);
    } else if (r->document_length >= 0 && r->document_length != right_length) {
        o->verdict = VERDICT_ERRORS;
        snprintf(o->note, sizeof o->note, "the first answer had %lld bytes, the route's has %lld",
                 (long long)r->document_length, (long long)right_length);
    } else if (!ab_report_consistent(r)) {
        o->verdict = VERDICT_INCONSISTENT;
        snprintf(o->note, sizeof o->note,
                 "%.3f ms a request by count and time is not what its percentiles say (p50 %.3f, "
                 "p99 %.3f): not all connections were served",
                 r->mean_ms, r->percent_ms[50], r->percent_ms[99]);
    } else if (!l->requests && ab_report_capped(r, limit, l->duration_s)) {
        snprintf(o->note, sizeof o->note, "capped: ab's limit of %lld requests ended the run",
                 (long long)r->complete);
    } else if (r->low_sample) {
        snprintf(o->note, sizeof o->note, "low_sample: one request, so no percentiles");
    } else if (!r->microseconds) {
        snprintf(o->note, sizeof o->note, "no percentiles file: latencies are whole ms");
    }
}

/* Figures and outcome from a run that has ended by itself or on the SIGINT that it was sent. */
static void conclude(const struct load *l, const char *percentiles, const struct tool_end *end,
                     struct tally *t, struct load_outcome *o)
{
    struct ab_report r;
    int rc = ab_report_parse(end->out, percentiles, &r);
    ab_report_tally(&r, t);
    if (rc < 0)
        tool_diagnose(end, "ab", t, o);
    else
        judge_report(l, &r, t, o);
    t->threads = 1;
}

static int run(const struct load *l, double run_s, const char *prefix, struct tool_job *job,
               struct tool_end *end, struct err *e)
{
    char *percentiles = percentiles_path(l, prefix);
    int rc = file_remove_tree(percentiles, e); /* an earlier run's would be taken for this one's */
    free(percentiles);
    if (rc == 0)
        rc = make_job(l, run_s, prefix, job, e);
    return rc == 0 ? tool_run(l, job, end, e) : rc;
}

static int measure(const struct load *l, struct tally *t, struct load_outcome *o, struct err *e)
{
    struct tool_job job = {0};
    struct tool_end end = {0};
    *o = (struct load_outcome){.verdict = VERDICT_NOT_RUN};
    tool_no_figures(t);
    int rc = run(l, l->duration_s, "", &job, &end, e);
    if (rc == 0 && !tool_cut_short(&end, &job, o)) {
        char *path = percentiles_path(l, ""), *text = file_read(path, NULL, NULL);
        conclude(l, text, &end, t, o);
        tool_note_end(&end, &job, o);
        free(text);
        free(path);
    }
    tool_end_fini(&end);
    strings_fini(&job.argv);
    return rc;
}

static int warm(const struct load *l, struct err *e)
{
    struct limits limits;
    struct tool_job job = {0};
    struct tool_end end = {0};
    struct load timed = *l; /* a warm-up isn't counted */
    timed.requests = 0;
    int rc = l->warmup_s > 0 ? run(&timed, l->warmup_s, "warm-", &job, &end, e) : 0;
    tool_end_fini(&end);
    strings_fini(&job.argv);
    limits_read(&limits, "/proc");
    limits_settle(&limits, l);
    return rc;
}

const struct generator ab_generator = {
    .name = "ab",
    .title = "one server a trial; HTTP/1.0, one thread; latencies as measured",
    .counts = true,
    .missing = missing,
    .version = version,
    .seconds = seconds,
    .refuses = refuses,
    .warm = warm,
    .measure = measure};
