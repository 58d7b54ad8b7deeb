/* ready: "the port is open" is no proof that our server is up: somebody else may listen there, or
   ours may answer with errors. So: a real 200 with the right body, our process alive, and every
   listener on that port held by it or its children. */
#include "lab/ready.h"

#include "base/clock.h"
#include "base/err.h"
#include "lab/port.h"
#include "lab/probe.h"
#include "lab/server.h"
#include "lab/stop.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
    POLL_FIRST_MS = 1,
    POLL_LAST_MS = 50,
    PROBE_MS = 2000,
    WRONG_MS = 1500 /* a server may answer wrongly for a moment while it loads */
};

struct wait {
    struct server *s;
    const struct route *route;
    unsigned ready_ms, port;
    uint64_t begin_ns, wrong_ns; /* first wrong answer, 0 = none */
    struct probe probe;
    struct err *e;
};

static enum ready fail_ended(struct wait *w)
{
    struct server *s = w->s;
    char how[64], tail[300], who[160];
    pid_t pid;
    process_explain(&s->process, how, sizeof how);
    server_log_tail(s, tail, sizeof tail);
    size_t left = server_pids(s, &pid, 1);
    if (left && WIFEXITED(s->process.status) && WEXITSTATUS(s->process.status) == 0) {
        err_set(w->e, EXIT_MACHINE,
                "%s went to the background: its start command ended (status 0) and left %zu "
                "processes; let it stay in the foreground (nginx: daemon off; lighttpd: -D)",
                s->manifest->name, left);
        return READY_FAILED;
    }
    bool answered = port_has_listener(w->port, who, sizeof who);
    bool taken = answered || strstr(tail, "ddress already in use") || strstr(tail, "EADDRINUSE");
    if (answered)
        err_set(w->e, EXIT_MACHINE, "%s ended because port %u is in use by %s", s->manifest->name,
                w->port, who);
    err_set(w->e, EXIT_MACHINE, "%s ended before it answered: it %s; its last words: %s",
            s->manifest->name, how, *tail ? tail : "none");
    return taken ? READY_PORT_TAKEN : READY_FAILED;
}

static enum ready fail_foreign(struct wait *w, const char *who)
{
    err_set(w->e, EXIT_MACHINE, "port %u is answered by %s, not by our %s", w->port, who,
            w->s->manifest->name);
    return READY_PORT_TAKEN;
}

static enum ready fail_wrong(struct wait *w)
{
    err_set(w->e, EXIT_MACHINE, "%s answers %s %s wrongly: %s", w->s->manifest->name,
            w->route->method, w->route->path, w->probe.text);
    return READY_FAILED;
}

static enum ready fail_late(struct wait *w)
{
    char tail[300], ports[100] = "", other[200] = "";
    struct server *s = w->s;
    server_log_tail(s, tail, sizeof tail);
    if (s->process.keeper)
        port_list_ours(s->process.keeper, ports, sizeof ports);
    if (*ports && w->probe.outcome == PROBE_REFUSED)
        snprintf(other, sizeof other, "; it listens on %s instead: use {port} in its start command",
                 ports);
    err_set(w->e, EXIT_MACHINE, "%s gave no right answer on port %u within %u ms: %s%s%s%s",
            s->manifest->name, w->port, w->ready_ms, w->probe.text, other,
            *tail ? "; its last words: " : "", tail);
    return READY_FAILED;
}

static enum ready fail_interrupted(struct wait *w)
{
    err_set(w->e, (enum exit_code)(128 + stop_asked()), "interrupted while %s started",
            w->s->manifest->name);
    return READY_FAILED;
}

/* After an answer, right or wrong. */
static enum ready judge_answer(struct wait *w, bool *decided)
{
    uint64_t now_ns = clock_ns();
    *decided = true;
    if (w->s->process.keeper) {
        char who[160];
        int ours = port_is_ours(w->port, w->s->process.keeper, who, sizeof who);
        if (ours == 0)
            return fail_foreign(w, who);
        if (ours < 0) { /* closed again */
            *decided = false;
            return READY_FAILED;
        }
    }
    if (w->probe.outcome == PROBE_RIGHT) {
        w->s->boot_ms = (double)(now_ns - w->begin_ns) / 1e6;
        return READY_YES;
    }
    if (!w->wrong_ns)
        w->wrong_ns = now_ns;
    *decided = now_ns - w->wrong_ns > (uint64_t)WRONG_MS * 1000000 && w->probe.status < 500;
    return *decided ? fail_wrong(w) : READY_FAILED;
}

static const struct route *first_route(const struct manifest *m)
{
    int id = 0;
    while (id < ROUTE_COUNT - 1 && !m->routes[id])
        id++;
    return route_get((enum route_id)id);
}

static unsigned left_ms(const struct wait *w)
{
    uint64_t passed_ms = (clock_ns() - w->begin_ns) / 1000000;
    return passed_ms < w->ready_ms ? (unsigned)(w->ready_ms - passed_ms) : 0;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

enum ready ready_await(struct server *s, const struct server_setup *setup, unsigned ready_ms,
                       struct err *e)
{
    struct wait w = {.s = s,
                     .route = first_route(s->manifest),
                     .ready_ms = ready_ms,
                     .port = ntohs(s->address.sin_port),
                     .begin_ns = clock_ns(),
                     .probe = {.outcome = PROBE_REFUSED, .text = "it was not asked"},
                     .e = e};
    bool decided = false;
    for (unsigned pause_ms = POLL_FIRST_MS;; pause_ms = smaller(pause_ms * 2, POLL_LAST_MS)) {
        unsigned left = left_ms(&w);
        if (s->process.pid && process_wait(&s->process, pause_ms))
            return fail_ended(&w);
        if (stop_asked())
            return fail_interrupted(&w);
        if (left == 0)
            return w.probe.outcome == PROBE_WRONG ? fail_wrong(&w) : fail_late(&w);
        probe_route(&w.probe, &s->address, w.route, setup->docroot, smaller(left, PROBE_MS));
        if (w.probe.outcome == PROBE_RIGHT || w.probe.outcome == PROBE_WRONG) {
            enum ready r = judge_answer(&w, &decided);
            if (decided)
                return r;
        }
        if (!s->process.pid)
            stop_sleep_ms(pause_ms);
    }
}
