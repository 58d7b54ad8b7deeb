/* tally: see tally.h. */
#include "volley/tally.h"

#include <stdlib.h>

const char *const error_names[ERROR_KINDS] = {
    [ERROR_CONNECT] = "connect",         [ERROR_READ] = "read",     [ERROR_WRITE] = "write",
    [ERROR_TIMEOUT] = "timeout",         [ERROR_STATUS] = "status", [ERROR_FRAMING] = "framing",
    [ERROR_LENGTH] = "length",           [ERROR_BODY] = "body",     [ERROR_RESET] = "reset",
    [ERROR_EARLY_CLOSE] = "early_close",
};

void tally_init(struct tally *t)
{
    *t = (struct tally){.latency = histogram_new(), .lag = histogram_new()};
}

void tally_fini(struct tally *t)
{
    free(t->latency);
    free(t->lag);
    *t = (struct tally){0};
}

void tally_reset(struct tally *t)
{
    struct histogram *latency = t->latency, *lag = t->lag;
    histogram_reset(latency);
    histogram_reset(lag);
    *t = (struct tally){.latency = latency, .lag = lag};
}

static void add_counts(struct tally *into, const struct tally *from)
{
    into->requests += from->requests;
    into->ok += from->ok;
    into->failed += from->failed;
    into->unanswered += from->unanswered;
    for (int i = 0; i < ERROR_KINDS; i++)
        into->errors[i] += from->errors[i];
    into->late += from->late;
    into->opened += from->opened;
    into->reconnects += from->reconnects;
    into->not_closed += from->not_closed;
    into->bytes_read += from->bytes_read;
    into->late_sends += from->late_sends;
    into->unsent += from->unsent;
    into->cpu_ns += from->cpu_ns;
    into->spin_ns += from->spin_ns;
    into->wrong = into->wrong ? into->wrong : from->wrong;
    into->connect_error = from->connect_error ? from->connect_error : into->connect_error;
    histogram_merge(into->latency, from->latency);
    histogram_merge(into->lag, from->lag);
}

static void earlier(uint64_t *into, uint64_t from)
{
    if (from && (!*into || from < *into))
        *into = from;
}

static void later(uint64_t *into, uint64_t from)
{
    if (from > *into)
        *into = from;
}

void tally_join(struct tally *into, const struct tally *from)
{
    add_counts(into, from);
    earlier(&into->start_ns, from->start_ns);
    earlier(&into->first_ns, from->first_ns);
    later(&into->last_ns, from->last_ns);
    later(&into->stop_ns, from->stop_ns);
}

void tally_add(struct tally *into, const struct tally *from)
{
    tally_join(into, from);
    into->duration_ns += from->duration_ns;
}
