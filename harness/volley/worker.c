/* worker: the loop. Connects everything, then for each slice: starts requests, waits, lets conn.c
   and reader.c do their part, and drains. One clock read a wake-up, one a send. Prints nothing. */
#include "volley/worker_priv.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "volley/cputime.h"
#include "volley/flags.h"
#include "volley/gap.h"

#include <stdlib.h>
#include <sys/prctl.h>

enum {
    SWEEP_SLOW_NS = 100000000,
    SWEEP_FAST_NS = 2000000, /* while connections wait for their next attempt */
    SPIN_NS = 50000          /* a sleep may end this late: closer to a planned send we poll */
};

static const struct transport_events events = {
    .on_open = conn_on_open,
    .on_data = reader_on_data,
    .on_skipped = reader_on_skipped,
    .on_sent = conn_on_sent,
    .on_batch = conn_on_batch,
    .on_end = reader_on_end,
};

static unsigned share(uint64_t total, uint64_t parts, unsigned index)
{
    return (unsigned)(total / parts + (index < total % parts));
}

static uint64_t quota_of(const struct worker *w)
{
    const struct flags *o = w->plan->options;
    if (!o->requests)
        return UINT64_MAX;
    return o->requests / o->threads + (w->index < o->requests % o->threads);
}

static void lane_init(struct worker *w, unsigned i, unsigned first, unsigned count)
{
    const struct flags *o = w->plan->options;
    struct lane *lane = &w->lanes[i];
    *lane = (struct lane){.target = &w->plan->targets[i],
                          .first = first,
                          .count = count,
                          .quota = quota_of(w),
                          .idle = xcalloc(count, sizeof *lane->idle)};
    tally_init(&lane->tally);
    for (unsigned slot = first; slot < first + count; slot++)
        w->conn[slot].lane = i;
    /* Every target is given the same arrivals: its plan starts from the same seed. */
    if (o->rate > 0)
        pace_init(&lane->pace, o->rate / (double)o->threads, o->poisson, o->seed + 1 + w->index);
}

struct worker *worker_new(const struct worker_plan *plan, unsigned index, struct err *e)
{
    const struct flags *o = plan->options;
    struct worker *w = xcalloc(1, sizeof *w);
    unsigned each = share(o->connections, o->threads, index);
    size_t in_flight = 0;
    for (unsigned i = 0; i < plan->target_count; i++)
        if (plan->targets[i].request_len * o->pipeline > in_flight)
            in_flight = plan->targets[i].request_len * o->pipeline;
    w->plan = plan;
    w->index = index;
    w->next_source = index;
    w->depth = (unsigned)o->pipeline;
    w->slots = each * plan->target_count;
    w->conn = xcalloc(w->slots, sizeof *w->conn);
    w->stamps = xcalloc((size_t)w->slots * w->depth, sizeof *w->stamps);
    w->lanes = xcalloc(plan->target_count, sizeof *w->lanes);
    for (unsigned i = 0; i < plan->target_count; i++)
        lane_init(w, i, i * each, each);
    struct transport_setup setup = {.slots = w->slots,
                                    .in_flight_max = in_flight,
                                    .short_lived = o->close,
                                    .events = &events,
                                    .owner = w};
    w->transport = plan->engine->new (&setup, e);
    if (!w->transport) {
        worker_free(w);
        return NULL;
    }
    /* Slices are milliseconds: the default slack of 50 us on every sleep would show (prctl(2)). */
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    w->transport->now_ns = clock_ns();
    return w;
}

void worker_free(struct worker *w)
{
    if (w->transport)
        w->transport->ops->free(w->transport);
    for (unsigned i = 0; i < w->slots; i++)
        free(w->conn[i].held);
    for (unsigned i = 0; i < w->plan->target_count; i++) {
        tally_fini(&w->lanes[i].tally);
        free(w->lanes[i].idle);
    }
    free(w->conn);
    free(w->stamps);
    free(w->lanes);
    free(w);
}

static void sweep(struct worker *w)
{
    uint64_t now = w->transport->now_ns;
    if (now < w->sweep_at_ns)
        return;
    for (unsigned slot = 0; slot < w->slots; slot++)
        conn_sweep(w, slot, now);
    uint64_t period = w->plan->options->timeout_ns / 8;
    if (period > SWEEP_SLOW_NS)
        period = SWEEP_SLOW_NS;
    if (w->retrying && period > SWEEP_FAST_NS)
        period = SWEEP_FAST_NS;
    w->sweep_at_ns = now + period;
}

static bool stopped(const struct worker *w)
{
    return *w->plan->stop != 0;
}

/* Waits for events until the given time at the latest, and looks after deadlines. */
static void wait_until(struct worker *w, uint64_t until_ns)
{
    uint64_t now = clock_ns();
    if (w->retrying && w->sweep_at_ns > now + SWEEP_FAST_NS)
        w->sweep_at_ns = now + SWEEP_FAST_NS;
    if (until_ns > w->sweep_at_ns)
        until_ns = w->sweep_at_ns;
    w->transport->ops->wait(w->transport, until_ns > now ? until_ns - now : 0);
    sweep(w);
}

static unsigned pending(const struct worker *w)
{
    unsigned n = 0;
    for (unsigned slot = 0; slot < w->slots; slot++)
        n += w->conn[slot].state == CONN_CONNECTING || w->conn[slot].state == CONN_RETRY;
    return n;
}

void worker_connect(struct worker *w)
{
    w->transport->now_ns = clock_ns();
    for (unsigned slot = 0; slot < w->slots; slot++) {
        conn_connect(w, slot);
        /* Lets the server accept along the way: its backlog is bounded. */
        if (slot % 64 == 63)
            wait_until(w, 0);
    }
    while (pending(w) && !stopped(w))
        wait_until(w, UINT64_MAX);
}

/* Open loop: starts what is due, on the connections that were idle longest. */
static void send_due(struct worker *w)
{
    struct lane *lane = w->active;
    while (lane->quota && lane->idle_count) {
        uint64_t due = pace_next_ns(&lane->pace), now = clock_ns();
        if (due > now || due >= w->end_ns)
            return;
        unsigned slot = lane->idle[lane->idle_head];
        struct conn *c = &w->conn[slot];
        lane->idle_head = (lane->idle_head + 1) % lane->count;
        lane->idle_count--;
        c->waiting = false;
        if (!conn_can_take(w, c))
            continue;
        uint64_t could = due > c->since_ns ? due : c->since_ns;
        histogram_record(lane->tally.lag, now > could ? now - could : 0);
        lane->tally.late_sends += now - due > WORKER_LATE_NS;
        pace_advance(&lane->pace);
        conn_begin(w, slot, 1, due);
        conn_ready(w, slot);
    }
}

/* Looks for events without sleeping; looking in vain counts as spinning, not as work. */
static void poll_once(struct worker *w)
{
    struct lane *lane = w->active;
    uint64_t before = clock_ns(), had = lane->tally.bytes_read;
    wait_until(w, 0);
    if (lane->tally.bytes_read == had)
        lane->tally.spin_ns += clock_ns() - before;
}

/* The same for a closed loop, at moments chosen so that answers come a few at a time. */
static void poll_closed(struct worker *w)
{
    struct lane *lane = w->active;
    uint64_t due = w->transport->now_ns + w->gap_ns, had = lane->tally.ok;
    uint64_t start = clock_ns(), now = start;
    while (now < due)
        now = clock_ns();
    lane->tally.spin_ns += now - start;
    poll_once(w);
    w->gap_ns = gap_next(w->gap_ns, lane->tally.ok - had, gap_wanted(lane->outstanding));
}

/* Open loop: sleeps towards the next planned send, and polls when it is near. */
static void wait_for_plan(struct worker *w, uint64_t until_ns)
{
    struct lane *lane = w->active;
    uint64_t next = lane->quota && lane->idle_count ? pace_next_ns(&lane->pace) : UINT64_MAX;
    if (next > until_ns) {
        wait_until(w, until_ns);
        return;
    }
    if (next > clock_ns() + SPIN_NS)
        wait_until(w, next - SPIN_NS);
    else
        poll_once(w);
}

/* Due, but never started: no connection was free in time. */
static uint64_t count_unsent(struct worker *w, uint64_t until_ns)
{
    uint64_t n = 0;
    for (struct pace *p = &w->active->pace; w->active->quota > n && pace_next_ns(p) < until_ns; n++)
        pace_advance(p);
    return n;
}

static bool finished(const struct lane *lane)
{
    return lane->dead == lane->count || (!lane->quota && !lane->outstanding);
}

static void begin_slice(struct worker *w, struct lane *lane, uint64_t length_ns)
{
    w->active = lane;
    lane->idle_head = lane->idle_count = 0;
    for (unsigned slot = lane->first; slot < lane->first + lane->count; slot++)
        w->conn[slot].waiting = false;
    uint64_t now = w->transport->now_ns = clock_ns();
    lane->tally.start_ns = now;
    w->end_ns = now + length_ns;
    if (w->plan->options->rate > 0)
        pace_start(&lane->pace, now, (w->index + 1.0) / (double)w->plan->options->threads);
    for (unsigned slot = lane->first; slot < lane->first + lane->count; slot++)
        conn_ready(w, slot);
}

/* Nobody waits any longer for these. */
static void abandon(struct worker *w, struct lane *lane)
{
    for (unsigned slot = lane->first; slot < lane->first + lane->count; slot++) {
        struct conn *c = &w->conn[slot];
        if (!c->outstanding)
            continue;
        if (stopped(w)) { /* not the server's fault */
            lane->tally.unanswered += c->outstanding;
            lane->outstanding -= c->outstanding;
            c->outstanding = 0;
            conn_end(w, slot);
        } else {
            conn_fail(w, slot, ERROR_TIMEOUT);
        }
    }
}

static void drain(struct worker *w, struct lane *lane)
{
    uint64_t deadline = clock_ns() + w->plan->options->drain_ns;
    while (lane->outstanding && !stopped(w) && w->transport->now_ns < deadline)
        wait_until(w, deadline);
    if (lane->outstanding)
        abandon(w, lane);
}

void worker_slice(struct worker *w, unsigned target, uint64_t length_ns)
{
    struct lane *lane = &w->lanes[target];
    bool open_loop = w->plan->options->rate > 0;
    uint64_t cpu = cputime_thread_ns();
    begin_slice(w, lane, length_ns);
    while (w->transport->now_ns < w->end_ns && !stopped(w) && !finished(lane)) {
        if (open_loop) {
            send_due(w);
            wait_for_plan(w, w->end_ns);
        } else if (w->plan->options->busy_poll) {
            poll_closed(w);
        } else {
            wait_until(w, w->end_ns);
        }
    }
    uint64_t now = clock_ns();
    if (w->end_ns > now)
        w->end_ns = now; /* ended early: nothing is begun any more */
    lane->tally.stop_ns = w->end_ns;
    if (open_loop)
        lane->tally.unsent += count_unsent(w, w->end_ns);
    drain(w, lane);
    w->active = NULL;
    lane->tally.cpu_ns += cputime_thread_ns() - cpu;
}

struct tally *worker_tally(struct worker *w, unsigned target)
{
    return &w->lanes[target].tally;
}

unsigned worker_achieved(const struct worker *w, unsigned target)
{
    return w->lanes[target].open_max;
}

bool worker_alive(const struct worker *w, unsigned target)
{
    return w->lanes[target].dead < w->lanes[target].count;
}

void worker_renew_quota(struct worker *w)
{
    for (unsigned i = 0; i < w->plan->target_count; i++)
        w->lanes[i].quota = quota_of(w);
}

bool worker_spent(const struct worker *w, unsigned target)
{
    return w->lanes[target].quota == 0;
}

bool worker_reference(const struct worker *w, unsigned target, uint64_t *len, uint64_t *hash)
{
    *len = w->lanes[target].reference_len;
    *hash = w->lanes[target].reference_hash;
    return w->lanes[target].has_reference;
}
