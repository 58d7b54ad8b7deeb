/* trial_read: see trial_read.h. The inverse of what result_json.c writes of a trial. */
#include "model/trial_read.h"

#include "model/json_field.h"

#include <math.h>
#include <stdlib.h>

const char *const latency_keys[LATENCY_N] = {"p50", "p75", "p90", "p99", "p99_9", "p99_99"};

enum verdict trial_read_verdict(const struct json_at *parent)
{
    struct json_at at = json_at_key(parent, "verdict");
    int v = verdict_find(json_at_text(&at));
    if (v < 0)
        json_at_refuse(&at, "is no verdict");
    return v < 0 ? VERDICT_NOT_RUN : (enum verdict)v;
}

static void read_latency(struct latency *l, const struct json_at *at)
{
    l->mean = field_measure(at, "mean");
    l->stdev = field_measure(at, "stdev");
    l->min = field_measure(at, "min");
    l->max = field_measure(at, "max");
    for (int i = 0; i < LATENCY_N; i++)
        l->p[i] = field_measure(at, latency_keys[i]);
    l->resolution = field_measure(at, "resolution");
    l->corrected = field_flag(at, "corrected");
    l->censored = field_flag(at, "censored");
}

static void read_tally(struct tally *t, const struct json_at *at)
{
    struct json_at errors = field_object(at, "errors"), latency = field_object(at, "latency_us");
    t->duration_s = field_measure(at, "duration_s");
    t->requests = field_count(at, "requests");
    t->ok = field_count(at, "ok");
    for (int i = 0; i < ERROR_KINDS; i++)
        t->errors[i] = field_count(&errors, error_kind_name((enum error_kind)i));
    t->threads = field_count(at, "threads");
    t->connections = field_count(at, "connections");
    t->reconnects = field_count(at, "reconnects");
    t->bytes = field_count(at, "bytes");
    t->reported_per_s = field_measure(at, "reported_per_s");
    read_latency(&t->latency, &latency);
}

static void read_usage(struct usage *u, const struct json_at *at)
{
    u->wall_s = field_measure(at, "wall_s");
    u->server_cpu_s = field_measure(at, "server_cpu_s");
    u->client_cpu_s = field_measure(at, "client_cpu_s");
    u->server_peak_rss_kib = field_measure(at, "server_peak_rss_kib");
    u->server_switches = field_measure(at, "server_switches");
    u->steal_share = field_measure(at, "steal_share");
    u->neighbour_share = field_measure(at, "neighbour_share");
    u->tcp_opens = field_measure(at, "tcp_opens");
    u->tcp_retransmits = field_measure(at, "tcp_retransmits");
    u->listen_overflows = field_measure(at, "listen_overflows");
    u->time_wait_before = field_measure(at, "time_wait_before");
    u->server_connections = field_measure(at, "server_connections");
    u->server_requests = field_measure(at, "server_requests");
    u->throttled_s = field_measure(at, "throttled_s");
}

void trial_read(struct trial *t, const struct json_at *at, unsigned blocks, size_t servers_n)
{
    struct json_at tally = field_object(at, "tally"), usage = field_object(at, "usage");
    struct json_at paired = field_object(at, "paired_log_ratio");
    trial_init(t);
    t->block = (unsigned)field_whole(at, "block", blocks - 1);
    t->position = (unsigned)field_whole(at, "position", servers_n - 1);
    t->verdict = trial_read_verdict(at);
    field_copy(at, "note", t->note, sizeof t->note);
    field_copy(at, "started", t->started, sizeof t->started);
    field_copy(at, "raw", t->raw, sizeof t->raw);
    read_tally(&t->tally, &tally);
    read_usage(&t->usage, &usage);
    for (int m = 0; m < METRIC_COUNT; m++)
        t->paired_log_ratio[m] = field_measure(&paired, metric_name((enum metric)m));
    field_agrees_number(at, "requests_per_s", trial_requests_per_s(t));
    field_agrees_number(at, "cpu_ns_per_request", trial_server_cpu_ns(t));
    field_agrees_number(at, "client_cpu_ns_per_request", trial_client_cpu_ns(t));
}
