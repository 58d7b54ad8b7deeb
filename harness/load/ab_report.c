/* ab_report: reads ab's report by the names in it (support/ab.c, output_results()), since lines
   come and go: the failure breakdown with three or four fields, TLS lines, a body sent.

   What ab counts as complete is more than what was answered: with -r a reset or refused connection
   is "complete" too; with nobody listening ab reports 80000 requests/s. One reset is counted up to
   three times: in Receive, in Length (its document is too short), in Exceptions (POLLERR comes with
   POLLHUP). Answers other than 2xx are complete and not failed. ab_report_tally() says what is left
   and counts each failure once; the fields here are as printed. */
#include "load/ab_report.h"

#include "load/line.h"
#include "load/units.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const int64_t ab_limit = 50000; /* MAX_REQUESTS of support/ab.c, set by each -t */

static void clear(struct ab_report *r)
{
    *r = (struct ab_report){.document_length = -1};
    r->concurrency = r->complete = r->failed = r->connect = r->receive = r->length = -1;
    r->exceptions = r->write_errors = r->non2xx = r->keepalive_requests = -1;
    r->transferred = r->html_transferred = r->body_sent = -1;
    r->taken_s = r->per_second = r->mean_ms = r->mean_across_ms = NAN;
    r->received_kib_s = r->sent_kib_s = r->total_kib_s = r->total_sd_ms = NAN;
    for (int i = 0; i < AB_PERCENTS; i++)
        r->percent_ms[i] = NAN;
}

static double take_number(struct line *rest)
{
    struct line w;
    struct quantity q;
    return line_word(rest, &w) && units_parse(UNITS_PLAIN, w.at, w.len, &q) ? q.value : NAN;
}

static int64_t take_count(struct line *rest)
{
    struct line w;
    int64_t n;
    if (!line_word(rest, &w))
        return -1;
    size_t len = w.len;
    while (len && (w.at[len - 1] == ',' || w.at[len - 1] == ')'))
        len--;
    return units_parse_integer(w.at, len, &n) ? n : -1;
}

/* Lines whose value is a count after the name. */
static bool read_count(struct line l, struct ab_report *r)
{
    static const struct {
        const char *name;
        size_t field;
    } known[] = {
        {"Document Length:", offsetof(struct ab_report, document_length)},
        {"Concurrency Level:", offsetof(struct ab_report, concurrency)},
        {"Complete requests:", offsetof(struct ab_report, complete)},
        {"Failed requests:", offsetof(struct ab_report, failed)},
        {"Write errors:", offsetof(struct ab_report, write_errors)},
        {"Non-2xx responses:", offsetof(struct ab_report, non2xx)},
        {"Keep-Alive requests:", offsetof(struct ab_report, keepalive_requests)},
        {"Total transferred:", offsetof(struct ab_report, transferred)},
        {"HTML transferred:", offsetof(struct ab_report, html_transferred)},
        {"Total body sent:", offsetof(struct ab_report, body_sent)},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (line_skip(&l, known[i].name)) {
            *(int64_t *)((char *)r + known[i].field) = take_count(&l);
            return true;
        }
    return false;
}

/* "(Connect: 0, Receive: 3, Length: 9, Exceptions: 2)"; older versions have no Receive. */
static void read_breakdown(struct line l, struct ab_report *r)
{
    struct line name;
    while (line_word(&l, &name)) {
        int64_t n = take_count(&l);
        if (line_is(&name, "Connect:"))
            r->connect = n;
        else if (line_is(&name, "Receive:"))
            r->receive = n;
        else if (line_is(&name, "Length:"))
            r->length = n;
        else if (line_is(&name, "Exceptions:"))
            r->exceptions = n;
    }
}

/* The rate block: one line, and two without a name below it when a body was sent. */
static bool read_rate(struct line l, struct ab_report *r)
{
    bool named = line_skip(&l, "Transfer rate:");
    double rate = take_number(&l);
    bool unit = line_skip(&l, "[Kbytes/sec] ") || line_skip(&l, "kb/s ");
    if (line_is(&l, "received"))
        r->received_kib_s = rate;
    else if (line_is(&l, "sent"))
        r->sent_kib_s = rate;
    else if (line_is(&l, "total"))
        r->total_kib_s = rate;
    return named || unit;
}

static bool read_time(struct line l, struct ab_report *r)
{
    if (line_skip(&l, "Time taken for tests:")) {
        r->taken_s = take_number(&l);
    } else if (line_skip(&l, "Requests per second:")) {
        r->per_second = take_number(&l);
    } else if (line_skip(&l, "Time per request:")) {
        double ms = take_number(&l);
        if (line_is(&l, "[ms] (mean)"))
            r->mean_ms = ms;
        else if (line_is(&l, "[ms] (mean, across all concurrent requests)"))
            r->mean_across_ms = ms;
    } else if (line_skip(&l, "Total: ")) {
        take_number(&l); /* min */
        take_number(&l); /* mean, whole ms */
        r->total_sd_ms = take_number(&l);
    } else {
        return false;
    }
    return true;
}

/* "  50%      0" or " 100%      2 (longest request)". */
static void read_percentile(struct line l, struct ab_report *r)
{
    struct line w;
    struct quantity p;
    if (!line_word(&l, &w) || !units_parse(UNITS_PERCENT, w.at, w.len, &p) || !(p.value <= 100) ||
        p.value != floor(p.value))
        return;
    double ms = take_number(&l);
    if (l.len == 0 || line_is(&l, "(longest request)"))
        r->percent_ms[(int)p.value] = ms;
}

static void read_line(struct line l, struct ab_report *r)
{
    if (read_count(l, r) || read_time(l, r) || read_rate(l, r))
        return;
    if (line_skip(&l, "Server Software:"))
        snprintf(r->server_software, sizeof r->server_software, "%.*s", (int)l.len, l.at);
    else if (line_skip(&l, "("))
        read_breakdown(l, r);
    else
        read_percentile(l, r);
}

/* The -e file: "Percentage served,Time in ms", then "50,0.043" for 0..100. All or nothing. */
static void read_microseconds(const char *csv, struct ab_report *r)
{
    double ms[AB_PERCENTS];
    struct line l;
    int n = 0;
    if (!line_next(&csv, &l) || !line_is(&l, "Percentage served,Time in ms"))
        return;
    for (; n < AB_PERCENTS && line_next(&csv, &l); n++) {
        const char *comma = memchr(l.at, ',', l.len);
        int64_t percent;
        struct quantity q;
        if (!comma || !units_parse_integer(l.at, (size_t)(comma - l.at), &percent) ||
            percent != n ||
            !units_parse(UNITS_PLAIN, comma + 1, l.len - (size_t)(comma + 1 - l.at), &q))
            return;
        ms[n] = q.value;
    }
    if (n < AB_PERCENTS)
        return;
    memcpy(r->percent_ms, ms, sizeof ms);
    r->microseconds = true;
}

int ab_report_parse(const char *text, const char *percentiles, struct ab_report *r)
{
    struct line l;
    clear(r);
    while (line_next(&text, &l))
        read_line(l, r);
    if (r->complete < 0 || isnan(r->taken_s)) {
        clear(r);
        return -1;
    }
    r->low_sample = r->complete == 1;
    if (percentiles && r->complete > 1)
        read_microseconds(percentiles, r);
    return 0;
}

static int64_t at_least_zero(int64_t n)
{
    return n > 0 ? n : 0;
}

/* Failures of a kind, less those that are resets and counted as such. ab prints the breakdown only
   after a failure. */
static int64_t failures(const struct ab_report *r, int64_t n, int64_t resets)
{
    if (n < 0)
        return r->failed == 0 ? 0 : -1;
    return at_least_zero(n - resets);
}

static void latencies(const struct ab_report *r, struct latency *l)
{
    static const int percent[] = {50, 75, 90, 99}; /* LATENCY_P50..P99; ab knows no finer ones */
    for (int i = LATENCY_P50; i <= LATENCY_P99; i++)
        l->p[i] = r->percent_ms[percent[i]] * 1000;
    l->resolution = r->microseconds ? 1 : 1000;
    l->min = r->percent_ms[0] * 1000;
    l->max = r->percent_ms[100] * 1000;
    /* "Time per request (mean)" is concurrency x time / requests, not a mean of measured times;
       that one ("Total:") is printed in whole ms, which is 0 on a loopback. */
    l->mean = r->mean_ms * 1000;
    l->stdev = r->microseconds ? NAN : r->total_sd_ms * 1000;
}

void ab_report_tally(const struct ab_report *r, struct tally *t)
{
    struct trial nothing;
    trial_init(&nothing);
    *t = nothing.tally;
    if (r->complete < 0)
        return;
    int64_t resets = at_least_zero(r->receive);
    t->duration_s = r->taken_s;
    t->requests = at_least_zero(r->complete - resets);
    t->errors[ERROR_CONNECT] = failures(r, r->connect, 0);
    t->errors[ERROR_READ] = failures(r, r->receive, 0);
    t->errors[ERROR_LENGTH] = failures(r, r->length, resets);
    t->errors[ERROR_OTHER] = failures(r, r->exceptions, resets);
    t->errors[ERROR_WRITE] = at_least_zero(r->write_errors); /* these two lines are printed */
    t->errors[ERROR_STATUS] = at_least_zero(r->non2xx);      /* only when not zero */
    /* Never more than were right: an answer of another status and another length is taken off
       twice. */
    t->ok = at_least_zero(t->requests - at_least_zero(t->errors[ERROR_LENGTH]) -
                          t->errors[ERROR_STATUS]);
    t->connections = r->concurrency;
    int64_t kept = at_least_zero(r->keepalive_requests);
    /* An answer that doesn't keep its connection makes ab open another; the last ones aren't
       replaced. */
    t->reconnects = at_least_zero(r->complete - kept - (kept ? 0 : r->concurrency));
    t->bytes = r->transferred;
    t->reported_per_s = r->per_second;
    latencies(r, &t->latency);
}

bool ab_report_capped(const struct ab_report *r, int64_t asked_requests, double asked_s)
{
    return (r->complete == asked_requests || r->complete == ab_limit) && r->taken_s < asked_s * 0.8;
}

bool ab_report_consistent(const struct ab_report *r)
{
    double low = 0, high = 0;
    if (!r->microseconds || !(r->mean_ms > 0))
        return true;
    for (int i = 0; i + 1 < AB_PERCENTS; i++) {
        low += r->percent_ms[i] / 100;
        high += r->percent_ms[i + 1] / 100;
    }
    /* One unfinished request a connection is in the time but not in the count. */
    double slack = 0.1 + (double)r->concurrency / (double)r->complete;
    return r->mean_ms >= low * (1 - slack) && r->mean_ms <= high * (1 + slack);
}
