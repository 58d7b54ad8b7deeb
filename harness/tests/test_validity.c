/* Validity: one valid trial, and what each single change makes of it. A table row is a change, the
   verdict it must bring and the figures that its note must show. */
#include "judge/validity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

struct bench {
    struct trial t;
    struct cell c;
    struct conditions k;
};

/* 64 connections, 100 000 requests/s for 2 s, the server 98 % busy, the client 75 %. */
static struct bench valid(void)
{
    struct bench b = {.c = {.route = ROUTE_HEALTH, .connections = 64, .keepalive = true},
                      .k = {.asked_s = 2,
                            .workers = 1,
                            .server_cpus = 1,
                            .client_cpus = 1,
                            .process_figures = true}};
    trial_init(&b.t);
    struct tally *a = &b.t.tally;
    struct usage *u = &b.t.usage;
    b.t.verdict = VERDICT_VALID;
    a->duration_s = 2;
    a->requests = a->ok = 200000;
    memset(a->errors, 0, sizeof a->errors);
    a->threads = 1;
    a->connections = 64;
    a->reconnects = 0;
    a->bytes = 200000 * 150;
    a->reported_per_s = 100000;
    a->latency.mean = 640;
    a->latency.p[LATENCY_P50] = 600;
    a->latency.resolution = 1;
    u->wall_s = 2.05;
    u->server_cpu_s = 1.96;
    u->client_cpu_s = 1.5;
    u->steal_share = 0;
    u->neighbour_share = 0.05;
    u->tcp_opens = 66;
    u->throttled_s = 0;
    u->server_requests = 200010;
    return b;
}

/* Scales all that goes with the rate, so that only the number of requests is another. */
static void set_requests(struct trial *t, int64_t n)
{
    struct tally *a = &t->tally;
    a->latency.mean *= (double)a->requests / (double)n;
    a->bytes = n * 150;
    a->requests = a->ok = n;
    a->reported_per_s = (double)n / a->duration_s;
    t->usage.server_requests = (double)n;
}

typedef void change(struct trial *t, struct cell *c, struct conditions *k);

#define CHANGE(name, ...)                                                                          \
    static void name(struct trial *t, struct cell *c, struct conditions *k)                        \
    {                                                                                              \
        struct tally *a = &t->tally;                                                               \
        struct usage *u = &t->usage;                                                               \
        (void)a, (void)u, (void)c, (void)k;                                                        \
        __VA_ARGS__;                                                                               \
    }

struct row {
    const char *what;
    change *change;
    enum verdict verdict;
    const char *note[2]; /* parts of the note; NULL: none expected */
};

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        struct bench b = valid();
        row->change(&b.t, &b.c, &b.k);
        struct tally before = b.t.tally;
        struct usage used = b.t.usage;
        validity_judge(&b.t, &b.c, &b.k);
        if (b.t.verdict != row->verdict)
            fail_msg("%s: %s (%s), should be %s", row->what, verdict_name(b.t.verdict), b.t.note,
                     verdict_name(row->verdict));
        for (int k = 0; k < 2 && row->note[k]; k++)
            if (!strstr(b.t.note, row->note[k]))
                fail_msg("%s: \"%s\" lacks \"%s\"", row->what, b.t.note, row->note[k]);
        if (!row->note[0])
            assert_string_equal(b.t.note, "");
        assert_memory_equal(&before, &b.t.tally, sizeof before); /* nothing is corrected */
        assert_memory_equal(&used, &b.t.usage, sizeof used);
    }
}

#define CHECK(rows) check_rows((rows), sizeof(rows) / sizeof *(rows))

CHANGE(unchanged, )

static void test_valid_stays_valid(void **state)
{
    (void)state;
    static const struct row rows[] = {{"unchanged", unchanged, VERDICT_VALID, {NULL}}};
    CHECK(rows);
}

/* ---- No data, errors ---- */

CHANGE(zero_requests, a->requests = 0)
CHANGE(unknown_requests, a->requests = -1)
CHANGE(zero_time, a->duration_s = 0)
CHANGE(unknown_time, a->duration_s = NAN)
/* wg/wrk#118, case B: nothing but reads that failed. */
CHANGE(only_read_errors, a->requests = a->ok = 0; a->errors[ERROR_READ] = 40000)

static void test_no_data(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"no requests", zero_requests, VERDICT_NO_DATA, {"completed no request"}},
        {"unknown requests", unknown_requests, VERDICT_NO_DATA, {"completed no request"}},
        {"no time", zero_time, VERDICT_NO_DATA, {"completed no request"}},
        {"unknown time", unknown_time, VERDICT_NO_DATA, {"completed no request"}},
        {"only read errors", only_read_errors, VERDICT_NO_DATA, {"completed no request"}},
    };
    CHECK(rows);
}

/* wrk counts wrong answers as requests: ok = requests - errors (wg/wrk#363). */
CHANGE(all_wrong, a->ok = 0; a->errors[ERROR_STATUS] = 200000)
CHANGE(twelve_wrong, a->ok -= 12; a->errors[ERROR_STATUS] = 12)
CHANGE(just_too_many, a->ok -= 201; a->errors[ERROR_TIMEOUT] = 201)
CHANGE(just_few_enough, a->ok -= 200; a->errors[ERROR_TIMEOUT] = 200)
CHANGE(two_kinds, a->ok -= 300; a->errors[ERROR_READ] = 1000; a->errors[ERROR_LENGTH] = 300)
/* ab counts neither failed nor refused ones here, and yet only half was right. */
CHANGE(unexplained, a->ok = 100000; memset(a->errors, 0xff, sizeof a->errors))
CHANGE(ok_unknown_some_errors, a->ok = -1; a->errors[ERROR_READ] = 1)
CHANGE(ok_unknown_many_errors, a->ok = -1; a->errors[ERROR_READ] = 2000)

static void test_errors(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"all wrong", all_wrong, VERDICT_ERRORS, {"100 % of the answers", "status 200000"}},
        {"12 wrong", twelve_wrong, VERDICT_VALID, {"few errors: status 12"}},
        {"0.1005 %", just_too_many, VERDICT_ERRORS, {"0.101 % of", "timeout 201"}},
        {"0.1 %", just_few_enough, VERDICT_VALID, {"few errors: timeout 200"}},
        {"two kinds", two_kinds, VERDICT_ERRORS, {"0.647 %", "read 1000, length 300"}},
        {"unexplained", unexplained, VERDICT_ERRORS, {"50 %", "100000 of no known kind"}},
        {"one of unknown", ok_unknown_some_errors, VERDICT_VALID, {"few errors: read 1"}},
        {"1 % of unknown", ok_unknown_many_errors, VERDICT_ERRORS, {"0.99 %", "read 2000"}},
    };
    CHECK(rows);
}

/* ---- Time ---- */

/* wg/wrk#261: -d10s that took 78 s; here 1.3 minutes of 10 s asked. */
CHANGE(one_minute_more, k->asked_s = 10; a->duration_s = 78; set_requests(t, 200000);
       u->server_cpu_s = 76; u->client_cpu_s = 60)
CHANGE(as_asked, k->asked_s = 10; a->duration_s = 10.09; set_requests(t, 200000);
       a->latency.mean = 3229; u->server_cpu_s = 9.9; u->client_cpu_s = 7)
CHANGE(little_short, k->asked_s = 2.49)
CHANGE(too_short, k->asked_s = 2.51)
CHANGE(little_long, k->asked_s = 1.34)
CHANGE(too_long, k->asked_s = 1.33)

static void test_time(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"78 s for 10", one_minute_more, VERDICT_OVERRUN, {"took 78 s", "10 s asked"}},
        {"10.09 s for 10", as_asked, VERDICT_VALID, {NULL}},
        {"80.3 %", little_short, VERDICT_VALID, {NULL}},
        {"79.7 %", too_short, VERDICT_SHORT, {"measured 2 s", "2.51 s asked"}},
        {"149 %", little_long, VERDICT_VALID, {NULL}},
        {"150.4 %", too_long, VERDICT_OVERRUN, {"took 2 s", "1.33 s asked"}},
    };
    CHECK(rows);
}

/* ---- Connections ---- */

CHANGE(reopened_by_tool, a->reconnects = 2021)
CHANGE(few_reopened_by_tool, a->reconnects = 2020)
CHANGE(reopened_by_kernel, a->reconnects = -1; u->tcp_opens = 64 + 2021)
CHANGE(few_reopened_by_kernel, a->reconnects = -1; u->tcp_opens = 64 + 2020)
/* The kernel counts for the whole machine; the tool knows better. */
CHANGE(others_opened, u->tcp_opens = 1e6)
CHANGE(nobody_counted, a->reconnects = -1; u->tcp_opens = NAN)
CHANGE(tool_half_silent, a->connections = -1; u->tcp_opens = 64 + 5000)
/* wg/wrk#118, case A: 120000 requests, 119999 read errors, which the driver takes for closes. */
CHANGE(closing_server, set_requests(t, 120000); a->reconnects = 119999)
CHANGE(closing_as_asked, c->keepalive = false; set_requests(t, 120000); a->reconnects = 119999)
CHANGE(close_not_done, c->keepalive = false)
CHANGE(close_by_kernel, c->keepalive = false; a->reconnects = -1; u->tcp_opens = 180001)
CHANGE(close_not_by_kernel, c->keepalive = false; a->reconnects = -1; u->tcp_opens = 179999)
CHANGE(close_unknown, c->keepalive = false; a->reconnects = -1; u->tcp_opens = NAN)
CHANGE(not_all_opened, a->connections = 63; a->reconnects = 0)
CHANGE(unknown_opened, a->connections = -1)

static void test_connections(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"tool: 2021 again",
         reopened_by_tool,
         VERDICT_KEEPALIVE_LOST,
         {"2085 con", "64 should have"}},
        {"tool: 2020 again", few_reopened_by_tool, VERDICT_VALID, {NULL}},
        {"kernel: 2021 again", reopened_by_kernel, VERDICT_KEEPALIVE_LOST, {"2085", "200000"}},
        {"kernel: 2020 again", few_reopened_by_kernel, VERDICT_VALID, {NULL}},
        {"kernel: others", others_opened, VERDICT_VALID, {NULL}},
        {"nobody counted", nobody_counted, VERDICT_VALID, {NULL}},
        {"tool half silent", tool_half_silent, VERDICT_KEEPALIVE_LOST, {"5064 connections"}},
        {"server closes", closing_server, VERDICT_KEEPALIVE_LOST, {"120063 con", "120000 req"}},
        {"server closes, asked", closing_as_asked, VERDICT_VALID, {NULL}},
        {"close ignored", close_not_done, VERDICT_INCONSISTENT, {"64 connections", "its own"}},
        {"close: 90 %", close_by_kernel, VERDICT_VALID, {NULL}},
        {"close: less", close_not_by_kernel, VERDICT_INCONSISTENT, {"179999", "200000"}},
        {"close: unknown", close_unknown, VERDICT_VALID, {NULL}},
        {"63 of 64", not_all_opened, VERDICT_INCONSISTENT, {"63 connections were opened, 64"}},
        {"unknown of 64", unknown_opened, VERDICT_VALID, {NULL}},
    };
    CHECK(rows);
}

/* ---- Figures against each other ---- */

CHANGE(rate_high, a->reported_per_s = 103001)
CHANGE(rate_low, a->reported_per_s = 96999)
CHANGE(rate_rounded, a->reported_per_s = 102999)
CHANGE(bytes_too_few, a->bytes = 200000 * 18)
CHANGE(bytes_least, a->bytes = 200000 * 19)
CHANGE(bytes_too_many, a->bytes = 200000LL * 4200)
CHANGE(bytes_unknown, a->bytes = -1)
/* A large file: 2000 answers of 2 MB, and up to one a connection that the end cut off. */
CHANGE(large_answers, c->route = ROUTE_LARGE; set_requests(t, 2000);
       a->bytes = 2000LL * 2229500 + 40LL * 2229306)
CHANGE(large_one_too_many, c->route = ROUTE_LARGE; set_requests(t, 2000);
       a->bytes = 2000LL * 2229500 + 80LL * 2229306)
CHANGE(large_too_few, c->route = ROUTE_LARGE; set_requests(t, 2000); a->bytes = 2000LL * 2220000)
CHANGE(server_sent_less, u->server_requests = 199700)
CHANGE(server_sent_more, u->server_requests = 200400)
CHANGE(server_under_way, u->server_requests = 200064)
CHANGE(server_silent, u->server_requests = NAN)

static void test_inconsistent(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"rate +3.001 %", rate_high, VERDICT_INCONSISTENT, {"103001", "200000 requests in 2 s"}},
        {"rate -3.001 %", rate_low, VERDICT_INCONSISTENT, {"96999", "make 100000"}},
        {"rate +2.999 %", rate_rounded, VERDICT_VALID, {NULL}},
        {"18 bytes", bytes_too_few, VERDICT_INCONSISTENT, {"18 bytes", "body alone has 2"}},
        {"19 bytes", bytes_least, VERDICT_VALID, {NULL}},
        {"4200 bytes", bytes_too_many, VERDICT_INCONSISTENT, {"4200 bytes", "more than its body"}},
        {"unknown bytes", bytes_unknown, VERDICT_VALID, {NULL}},
        {"large, cut off", large_answers, VERDICT_VALID, {NULL}},
        {"large, 80 more", large_one_too_many, VERDICT_INCONSISTENT, {"far more", "2229306"}},
        {"large, less", large_too_few, VERDICT_INCONSISTENT, {"2.22e+06 bytes", "2229306"}},
        {"server sent less", server_sent_less, VERDICT_INCONSISTENT, {"200000", "199700"}},
        {"server sent more", server_sent_more, VERDICT_INCONSISTENT, {"200000", "200400"}},
        {"under way", server_under_way, VERDICT_VALID, {NULL}},
        {"server silent", server_silent, VERDICT_VALID, {NULL}},
    };
    CHECK(rows);
}

CHANGE(queue_long, a->latency.mean = 706)
CHANGE(queue_short, a->latency.mean = 318)
CHANGE(queue_fits_high, a->latency.mean = 703)
CHANGE(queue_fits_low, a->latency.mean = 322)
CHANGE(corrected, a->latency.mean = 5; a->latency.corrected = true)
CHANGE(corrected_high, a->latency.mean = 5e6; a->latency.corrected = true)
CHANGE(censored, a->latency.mean = 5; a->latency.censored = true)
CHANGE(mean_unknown, a->latency.mean = NAN)
/* A mean of whole milliseconds: 0 stands for anything below 1 (noahgibbs/rsb#1). */
CHANGE(coarse_zero, a->latency.mean = 0; a->latency.resolution = 1000)
CHANGE(coarse_one, a->latency.mean = 1000; a->latency.resolution = 1000)
CHANGE(coarse_wrong, a->latency.mean = 3000; a->latency.resolution = 1000)
CHANGE(fine_zero, a->latency.mean = 0)
CHANGE(resolution_unknown, a->latency.mean = 710; a->latency.resolution = NAN)

static void test_littles_law(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"70.6 in flight", queue_long, VERDICT_INCONSISTENT, {"70.6 requests", "64 connections"}},
        {"31.8 in flight", queue_short, VERDICT_INCONSISTENT, {"31.8 requests", "Little"}},
        {"70.3 in flight", queue_fits_high, VERDICT_VALID, {NULL}},
        {"32.2 in flight", queue_fits_low, VERDICT_VALID, {NULL}},
        {"corrected", corrected, VERDICT_VALID, {NULL}},
        {"corrected, high", corrected_high, VERDICT_VALID, {NULL}},
        {"censored", censored, VERDICT_VALID, {NULL}},
        {"unknown", mean_unknown, VERDICT_VALID, {NULL}},
        {"0 ms", coarse_zero, VERDICT_VALID, {NULL}},
        {"1 ms", coarse_one, VERDICT_VALID, {NULL}},
        {"3 ms", coarse_wrong, VERDICT_INCONSISTENT, {"300 requests in flight"}},
        {"0 us", fine_zero, VERDICT_INCONSISTENT, {"0 requests in flight"}},
        {"resolution unknown", resolution_unknown, VERDICT_INCONSISTENT, {"71 requests"}},
    };
    CHECK(rows);
}

/* ---- The machine ---- */

CHANGE(stolen, u->steal_share = 0.21; u->server_cpu_s = 1.5; u->client_cpu_s = 1)
CHANGE(little_stolen, u->steal_share = 0.19; u->server_cpu_s = 1.6; u->client_cpu_s = 1)
CHANGE(neighbours, u->neighbour_share = 0.26)
CHANGE(few_neighbours, u->neighbour_share = 0.24)
CHANGE(throttled, u->throttled_s = 0.05)
CHANGE(little_throttled, u->throttled_s = 0.04)

static void test_disturbed(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"steal 21 %", stolen, VERDICT_UNSTABLE, {"21 % of the CPU time was stolen"}},
        {"steal 19 %", little_stolen, VERDICT_VALID, {NULL}},
        {"neighbours 26 %", neighbours, VERDICT_UNSTABLE, {"26 % of the CPU time went to other"}},
        {"neighbours 24 %", few_neighbours, VERDICT_VALID, {NULL}},
        {"throttled 2.4 %", throttled, VERDICT_UNSTABLE, {"throttled for 0.05 s"}},
        {"throttled 1.95 %", little_throttled, VERDICT_VALID, {NULL}},
    };
    CHECK(rows);
}

CHANGE(shared, k->shared_cores = true)
CHANGE(both_full, u->client_cpu_s = 1.99; u->server_cpu_s = 1.91)
CHANGE(client_full, u->client_cpu_s = 1.71; u->server_cpu_s = 1.89)
CHANGE(client_not_full, u->client_cpu_s = 1.69; u->server_cpu_s = 0.5)
CHANGE(client_of_two, u->client_cpu_s = 1.71; u->server_cpu_s = 1; a->threads = 2;
       k->client_cpus = 2)
CHANGE(client_two_full, u->client_cpu_s = 3.5; u->server_cpu_s = 1; a->threads = 2;
       k->client_cpus = 4)
CHANGE(threads_unknown, u->client_cpu_s = 1.71; u->server_cpu_s = 1; a->threads = -1;
       k->client_cpus = 4)
CHANGE(server_of_two, u->client_cpu_s = 1.8; u->server_cpu_s = 1.96; k->workers = 2;
       k->server_cpus = 2)
CHANGE(server_one_of_two, u->client_cpu_s = 1.8; u->server_cpu_s = 1.96; k->server_cpus = 2)
CHANGE(client_unknown, u->client_cpu_s = NAN; u->server_cpu_s = 0.5)
CHANGE(server_unknown, u->client_cpu_s = 1.9; u->server_cpu_s = NAN)
CHANGE(running_already, u->client_cpu_s = 1.71; u->server_cpu_s = NAN; k->process_figures = false)
CHANGE(running_already_idle, u->client_cpu_s = 1; u->server_cpu_s = NAN; k->process_figures = false)
/* A tenth of the machine was stolen: 1.55 s of 1.8 s are 86 %. */
CHANGE(client_full_of_less, u->steal_share = 0.1; u->client_cpu_s = 1.55; u->server_cpu_s = 1.5)

static void test_bound(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"shared", shared, VERDICT_SHARED_CORES, {"shared their CPUs"}},
        {"both full", both_full, VERDICT_VALID, {NULL}},
        {"client 85.5, server 94.5",
         client_full,
         VERDICT_CLIENT_BOUND,
         {"86 % busy", "the server 94"}},
        {"client 84.5", client_not_full, VERDICT_VALID, {NULL}},
        {"client 1 of 2 CPUs", client_of_two, VERDICT_VALID, {NULL}},
        {"client 2 of 4 CPUs", client_two_full, VERDICT_CLIENT_BOUND, {"88 %", "server 50 %"}},
        {"threads unknown: one", threads_unknown, VERDICT_CLIENT_BOUND, {"86 %"}},
        {"server 1 of 2", server_of_two, VERDICT_CLIENT_BOUND, {"90 %", "49 %"}},
        {"one worker, two CPUs", server_one_of_two, VERDICT_VALID, {NULL}},
        {"client unknown", client_unknown, VERDICT_VALID, {NULL}},
        {"server unknown", server_unknown, VERDICT_VALID, {NULL}},
        {"runs already", running_already, VERDICT_CLIENT_BOUND, {"86 %", "CPU is not known"}},
        {"runs already, idle", running_already_idle, VERDICT_VALID, {NULL}},
        {"full of what was left", client_full_of_less, VERDICT_CLIENT_BOUND, {"86 %", "83 %"}},
    };
    CHECK(rows);
}

/* ---- Notes of valid trials ---- */

CHANGE(delayed, c->connections = 1; set_requests(t, 50); a->latency.mean = 40000;
       a->latency.p[LATENCY_P50] = 40100; a->connections = 1)
CHANGE(slow_not_delayed, c->connections = 1; set_requests(t, 40); a->latency.mean = 50000;
       a->latency.p[LATENCY_P50] = 50000; a->connections = 1)

static void test_delayed_ack(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"40 ms", delayed, VERDICT_VALID, {"delayed_ack", "40 ms"}},
        {"50 ms", slow_not_delayed, VERDICT_VALID, {NULL}},
    };
    CHECK(rows);
}

/* ---- Unknown figures and order ---- */

/* What can't be seen isn't judged: each figure alone may be unknown. */
static void test_unknown_never_invalidates(void **state)
{
    (void)state;
    size_t usage_n = sizeof(struct usage) / sizeof(double);
    for (size_t i = 0; i < usage_n + 8; i++) {
        struct bench b = valid();
        struct tally *a = &b.t.tally;
        int64_t *const counts[] = {&a->ok, &a->threads, &a->connections, &a->reconnects, &a->bytes};
        if (i < usage_n)
            ((double *)&b.t.usage)[i] = NAN;
        else if (i < usage_n + 5)
            *counts[i - usage_n] = -1;
        else
            *(i == usage_n + 5   ? &a->latency.mean
              : i == usage_n + 6 ? &a->reported_per_s
                                 : &a->latency.p[LATENCY_P50]) = NAN;
        validity_judge(&b.t, &b.c, &b.k);
        if (b.t.verdict != VERDICT_VALID)
            fail_msg("unknown figure %zu: %s (%s)", i, verdict_name(b.t.verdict), b.t.note);
    }
    struct bench b = valid(); /* and all of them at once */
    struct tally known = b.t.tally;
    trial_init(&b.t);
    b.t.verdict = VERDICT_VALID;
    b.t.tally.requests = known.requests;
    b.t.tally.duration_s = known.duration_s;
    validity_judge(&b.t, &b.c, &b.k);
    assert_int_equal(b.t.verdict, VERDICT_VALID);
    assert_string_equal(b.t.note, "");
}

/* Everything is wrong at once; as one after the other is mended, the next comes to light. */
static void test_order(void **state)
{
    (void)state;
    static change *const wrongs[] = {zero_requests,    all_wrong, too_short,
                                     reopened_by_tool, rate_high, server_sent_less,
                                     stolen,           shared,    client_full};
    static const enum verdict verdicts[] = {
        VERDICT_NO_DATA,        VERDICT_ERRORS,       VERDICT_SHORT,
        VERDICT_KEEPALIVE_LOST, VERDICT_INCONSISTENT, VERDICT_INCONSISTENT,
        VERDICT_UNSTABLE,       VERDICT_SHARED_CORES, VERDICT_CLIENT_BOUND};
    enum {
        N = sizeof wrongs / sizeof *wrongs
    };
    for (int first = 0; first < N; first++) {
        struct bench b = valid();
        for (int i = N - 1; i >= first; i--) /* later changes must not undo the earlier rule's */
            wrongs[i](&b.t, &b.c, &b.k);
        validity_judge(&b.t, &b.c, &b.k);
        if (b.t.verdict != verdicts[first])
            fail_msg("%d: %s (%s)", first, verdict_name(b.t.verdict), b.t.note);
    }
}

/* A trial that is known to have failed keeps its verdict and note, whatever its figures. */
static void test_failures_are_left_alone(void **state)
{
    (void)state;
    for (int v = VERDICT_VALID + 1; v < VERDICT_COUNT; v++) {
        struct bench b = valid();
        all_wrong(&b.t, &b.c, &b.k);
        b.t.verdict = (enum verdict)v;
        strcpy(b.t.note, "signal 11");
        validity_judge(&b.t, &b.c, &b.k);
        assert_int_equal(b.t.verdict, v);
        assert_string_equal(b.t.note, "signal 11");
    }
}

static void test_busy_shares(void **state)
{
    (void)state;
    struct bench b = valid();
    assert_near(validity_server_busy(&b.t, &b.k), 0.98, 1e-12);
    assert_near(validity_client_busy(&b.t, &b.k), 0.75, 1e-12);
    b.k.workers = 4;
    b.k.server_cpus = 2;
    assert_near(validity_server_busy(&b.t, &b.k), 0.49, 1e-12);
    b.t.tally.threads = 8;
    b.k.client_cpus = 3;
    assert_near(validity_client_busy(&b.t, &b.k), 0.25, 1e-12);
    b.t.usage.client_cpu_s = NAN;
    assert_true(isnan(validity_client_busy(&b.t, &b.k)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_stays_valid),
        cmocka_unit_test(test_no_data),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_connections),
        cmocka_unit_test(test_inconsistent),
        cmocka_unit_test(test_littles_law),
        cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_delayed_ack),
        cmocka_unit_test(test_unknown_never_invalidates),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_failures_are_left_alone),
        cmocka_unit_test(test_busy_shares),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
