/* validity: one rule a function; each returns true when it applies and has written its evidence.
   A rule never corrects a figure. NaN compares false everywhere, so a figure that is not known
   never makes a trial invalid: what can't be seen isn't judged. */
#include "judge/validity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The limits, each with its reason. */
static const double errors_share =
    0.001;                             /* above: the rate is partly a rate of errors (wg/wrk#363) */
static const double short_share = 0.8; /* of the asked time */
static const double overrun_share = 1.5;   /* wg/wrk#261 */
static const double reopened_share = 0.01; /* of requests, on connections that should be kept */
static const double reopened_slack = 20;   /* connections of others on this machine */
static const double rate_tolerance = 0.03; /* tools round their own rate and time */
static const double steal_limit = 0.2;     /* of the CPUs in use, taken by other virtual machines */
static const double neighbour_limit = 0.25; /* taken by other processes on this one */
static const double server_full = 0.95;     /* a server this busy is the limit itself */
static const double client_full = 0.85;     /* a client this busy can't offer more load */
static const double head_least = 17;        /* bytes of "HTTP/1.1 200 OK\r\n" */
static const double head_most = 4096;

static bool say(struct trial *t, enum verdict v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static bool say(struct trial *t, enum verdict v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t->note, sizeof t->note, fmt, ap);
    va_end(ap);
    t->verdict = v;
    return true;
}

/* The time that the machine gave: what a hypervisor took, neither side could use. */
static double given_s(const struct trial *t)
{
    double stolen = t->usage.steal_share;
    return t->tally.duration_s * (stolen > 0 && stolen < 0.9 ? 1 - stolen : 1);
}

double validity_server_busy(const struct trial *t, const struct conditions *k)
{
    unsigned cpus = k->server_cpus < k->workers ? k->server_cpus : k->workers;
    return t->usage.server_cpu_s / (given_s(t) * cpus);
}

double validity_client_busy(const struct trial *t, const struct conditions *k)
{
    double threads = t->tally.threads > 0 ? (double)t->tally.threads : 1;
    double cpus = threads < k->client_cpus ? threads : k->client_cpus;
    return t->usage.client_cpu_s / (given_s(t) * cpus);
}

static bool no_data(struct trial *t)
{
    if (t->tally.requests > 0 && t->tally.duration_s > 0)
        return false;
    return say(t, VERDICT_NO_DATA, "the generator completed no request");
}

/* Answers that were wrong or missing: the counted ones, or what is missing to "all were right" when
   that is more. */
static int64_t wrong(const struct tally *a)
{
    int64_t counted = tally_errors(a), left = a->ok >= 0 ? a->requests - a->ok : 0;
    return left > counted ? left : counted;
}

/* Some errors are stated; many make the rate meaningless. */
static bool errors(struct trial *t)
{
    char kinds[200] = "";
    const struct tally *a = &t->tally;
    int64_t sum = wrong(a), right = a->ok >= 0 ? a->ok : a->requests;
    if (sum <= 0)
        return false;
    for (int i = 0; i < ERROR_KINDS; i++)
        if (t->tally.errors[i] > 0)
            snprintf(kinds + strlen(kinds), sizeof kinds - strlen(kinds), "%s%s %lld",
                     kinds[0] ? ", " : "", error_kind_name((enum error_kind)i),
                     (long long)t->tally.errors[i]);
    if (!kinds[0])
        snprintf(kinds, sizeof kinds, "%lld of no known kind", (long long)sum);
    double share = (double)sum / (double)(right + sum);
    if (share > errors_share)
        return say(t, VERDICT_ERRORS, "%.3g %% of the answers were wrong or missing (%s)",
                   share * 100, kinds);
    snprintf(t->note, sizeof t->note, "few errors: %s", kinds);
    return false;
}

static bool wrong_time(struct trial *t, double asked_s)
{
    double ran = t->tally.duration_s;
    if (ran < asked_s * short_share)
        return say(t, VERDICT_SHORT, "measured %.3g s of the %.3g s asked", ran, asked_s);
    if (ran > asked_s * overrun_share)
        return say(t, VERDICT_OVERRUN, "took %.3g s for the %.3g s asked", ran, asked_s);
    return false;
}

/* Connections opened during the trial: by the tool's own count, or else at most as many as the
   whole machine opened, of which others may have been. */
static double opened(const struct trial *t)
{
    if (t->tally.reconnects >= 0 && t->tally.connections >= 0)
        return (double)(t->tally.connections + t->tally.reconnects);
    return t->usage.tcp_opens;
}

/* The same from below: a connection that was closed leaves its socket in TIME_WAIT. */
static double opened_at_least(const struct trial *t)
{
    if (t->tally.reconnects >= 0 || isnan(t->usage.server_connections))
        return opened(t);
    return fmin(opened(t), t->usage.server_connections);
}

static bool keepalive(struct trial *t, const struct cell *c)
{
    double requests = (double)t->tally.requests, opens = opened_at_least(t);
    double again = opens - c->connections;
    if (c->keepalive && again > requests * reopened_share + reopened_slack)
        return say(t, VERDICT_KEEPALIVE_LOST,
                   "%.0f connections were opened for %.0f requests where %u should have been kept",
                   opens, requests, c->connections);
    opens = opened(t);
    if (!c->keepalive && opens < requests * 0.9)
        return say(t, VERDICT_INCONSISTENT,
                   "%.0f connections were opened for %.0f requests that should each have had its "
                   "own",
                   opens, requests);
    return false;
}

/* Bytes an answer can't have had: less than its body, or far more. */
static bool wrong_bytes(struct trial *t, const struct cell *c)
{
    const struct tally *a = &t->tally;
    double got = (double)a->bytes, n = (double)a->requests;
    double body = (double)route_get(c->route)->body_len;
    if (a->bytes < 0)
        return false;
    if (got < n * (body + head_least) * (1 - errors_share * 2))
        return say(t, VERDICT_INCONSISTENT,
                   "%.6g bytes an answer were received, but its body alone has %.0f", got / n,
                   body);
    /* What the end of the run cut off is in the bytes and not in the requests: up to one answer a
       connection, which for large files is a lot. */
    if (got > (n + c->connections) * (body + head_most))
        return say(t, VERDICT_INCONSISTENT,
                   "%.6g bytes an answer were received, far more than its body of %.0f", got / n,
                   body);
    return false;
}

/* Little (Operations Research 9, 1961): L = lambda W. The printed mean may be off by its
   resolution. */
static bool breaks_littles_law(struct trial *t, const struct cell *c, double rate)
{
    const struct latency *l = &t->tally.latency;
    double off = l->resolution > 0 ? l->resolution : 0;
    double least = rate * (l->mean - off) * 1e-6, most = rate * (l->mean + off) * 1e-6;
    if (l->corrected || l->censored)
        return false;
    if (least > c->connections * 1.1 || most < c->connections * 0.5)
        return say(
            t, VERDICT_INCONSISTENT,
            "rate x mean latency = %.3g requests in flight, on %u connection%s (Little's law)",
            rate * l->mean * 1e-6, c->connections, c->connections == 1 ? "" : "s");
    return false;
}

static bool inconsistent(struct trial *t, const struct cell *c)
{
    const struct tally *a = &t->tally;
    double rate = (double)a->requests / a->duration_s;
    if (fabs(a->reported_per_s - rate) > rate * rate_tolerance)
        return say(t, VERDICT_INCONSISTENT,
                   "the tool reports %.6g requests/s but %lld requests in %.4g s make %.6g",
                   a->reported_per_s, (long long)a->requests, a->duration_s, rate);
    if (wrong_bytes(t, c))
        return true;
    if (a->connections >= 0 && a->connections < c->connections)
        return say(t, VERDICT_INCONSISTENT, "%lld connection%s opened, %u asked for",
                   (long long)a->connections, a->connections == 1 ? " was" : "s were",
                   c->connections);
    return breaks_littles_law(t, c, rate);
}

/* Every answer that the client counts was sent, and few are sent that it doesn't: those under way
   when it stopped, one a connection. */
static bool counts_differ(struct trial *t, const struct cell *c)
{
    double sent = t->usage.server_requests, got = (double)t->tally.requests;
    if (sent < got * (1 - errors_share) || sent > got * (1 + errors_share) + c->connections + 16)
        return say(t, VERDICT_INCONSISTENT,
                   "the generator counted %.0f answers, the server %.0f requests", got, sent);
    return false;
}

static bool disturbed(struct trial *t)
{
    if (t->usage.steal_share > steal_limit)
        return say(t, VERDICT_UNSTABLE, "%.0f %% of the CPU time was stolen by other machines",
                   t->usage.steal_share * 100);
    if (t->usage.neighbour_share > neighbour_limit)
        return say(t, VERDICT_UNSTABLE, "%.0f %% of the CPU time went to other processes",
                   t->usage.neighbour_share * 100);
    if (t->usage.throttled_s > 0.02 * t->usage.wall_s)
        return say(t, VERDICT_UNSTABLE, "throttled for %.2g s by the container's CPU quota",
                   t->usage.throttled_s);
    return false;
}

static bool bound(struct trial *t, const struct conditions *k)
{
    double server = validity_server_busy(t, k), client = validity_client_busy(t, k);
    if (k->shared_cores)
        return say(t, VERDICT_SHARED_CORES, "server and generator shared their CPUs");
    if (client >= client_full && (server < server_full || !k->process_figures))
        return say(t, VERDICT_CLIENT_BOUND,
                   k->process_figures ? "the generator was %.0f %% busy, the server %.0f %%"
                                      : "the generator was %.0f %% busy; the server's CPU is not "
                                        "known",
                   client * 100, server * 100);
    return false;
}

void validity_judge(struct trial *t, const struct cell *c, const struct conditions *k)
{
    if (t->verdict != VERDICT_VALID)
        return;
    if (no_data(t) || errors(t) || wrong_time(t, k->asked_s) || keepalive(t, c) ||
        inconsistent(t, c) || counts_differ(t, c) || disturbed(t) || bound(t, k))
        return;
    /* 40 ms steps: Nagle against delayed ACK (wg/wrk#488). Valid, but a defect of the server. */
    if (c->connections == 1 && t->tally.latency.p[LATENCY_P50] > 38e3 &&
        t->tally.latency.p[LATENCY_P50] < 45e3)
        snprintf(t->note, sizeof t->note, "delayed_ack: answers take 40 ms steps");
}
