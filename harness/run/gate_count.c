/* gate_count: see gate_count.h. The first run sends `common` requests to each route, and for each
   route one more run sends `more` besides: their difference is what `more` requests to that route
   cost. Between two requests the client waits a little, so that a pass of the server ends before
   the next one begins: otherwise the counts would depend on who is faster. */
#include "run/gate_count.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "check/client.h"
#include "lab/program.h"
#include "lab/stop.h"
#include "run/gate_tools.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COMMON = 100,
    MORE = 1000,
    READY_MS = 60000, /* under valgrind */
    ANSWER_MS = 10000,
    PAUSE_NS = 300000
};

enum tool {
    TOOL_CALLGRIND,
    TOOL_STRACE
};

struct tally {
    double count[COUNT_KINDS];
};

/* What a clock asks for, not a request, isn't counted: the formatting of a new second's Date (our
   servers' *_renew). Such a toggle would start with nothing collected, so the order matters. */
static const char *const callgrind[] = {"valgrind",
                                        "--quiet",
                                        "--tool=callgrind",
                                        "--vgdb=no",
                                        "--trace-children=yes",
                                        "--compress-strings=no",
                                        "--compress-pos=no",
                                        "--toggle-collect=*_renew",
                                        "--collect-atstart=yes",
                                        "--callgrind-out-file={rundir}/callgrind.out.%p",
                                        NULL};
static const char *const strace[] = {
    "strace", "--follow-forks", "--quiet=all", "--summary-only", "--output={rundir}/strace.out",
    NULL};

/* A program that is named below the manifest's folder stays there when it is no longer argv[0]. */
static char *below_dir(const char *program)
{
    bool relative = program[0] != '/' && program[0] != '{' && strchr(program, '/');
    return relative ? xasprintf("{dir}/%s", program) : xstrdup(program);
}

/* The server's start command under the tool. */
static void make_start(struct strings *to, const struct gate_count_wish *w, enum tool tool)
{
    const char *const *first = tool == TOOL_CALLGRIND ? callgrind : strace;
    for (size_t i = 0; first[i]; i++)
        strings_add(to, first[i]);
    strings_take(to, below_dir(w->manifest->start.item[0]));
    for (size_t i = 1; i < w->manifest->start.n; i++)
        strings_add(to, w->manifest->start.item[i]);
    for (const char *p = w->arguments ? w->arguments : ""; *(p += strspn(p, " \t"));) {
        size_t len = strcspn(p, " \t");
        strings_take(to, xstrndup(p, len));
        p += len;
    }
}

static char *make_request(const struct route *r)
{
    char *type = r->request_body ? xasprintf("Content-Type: %s\r\nContent-Length: %zu\r\n",
                                             r->request_type, strlen(r->request_body))
                                 : xstrdup("");
    char *text = xasprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n%s", r->method, r->path,
                           type, r->request_body ? r->request_body : "");
    free(type);
    return text;
}

/* Sends n requests to a route, adds the bytes of their answers. */
static int ask(struct client *c, enum route_id route, size_t n, double *bytes, struct err *e)
{
    const struct route *r = route_get(route);
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    char *request = make_request(r);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct answer a = {0};
        enum client_end end = client_ask(c, request, &a);
        if (stop_asked())
            rc = err_set(e, (enum exit_code)(128 + stop_asked()), "interrupted while counting");
        else if (end != CLIENT_OK)
            rc = err_set(e, EXIT_FAIL, "%s: request %zu got no answer: %s", r->name, i + 1,
                         c->problem);
        else if (a.status != 200 || a.body_len != r->body_len)
            rc = err_set(e, EXIT_FAIL, "%s: answered with status %d and %zu bytes, not 200 and %zu",
                         r->name, a.status, a.body_len, r->body_len);
        *bytes += rc == 0 ? (double)a.wire_len : 0;
        answer_fini(&a);
        nanosleep(&pause, NULL);
    }
    free(request);
    return rc;
}

/* All requests of a run, on one connection; extra = the route that gets MORE, or -1. */
static int load(const struct server *s, const struct gate_count_wish *w, int extra, double *bytes,
                struct err *e)
{
    struct client c;
    int rc = 0;
    if (client_open(&c, &s->address, ANSWER_MS) < 0)
        rc = err_set(e, EXIT_FAIL, "can't connect: %s", c.problem);
    for (size_t i = 0; i < w->routes_n && rc == 0; i++)
        rc = ask(&c, w->routes[i], COMMON, bytes, e);
    if (rc == 0 && extra >= 0)
        rc = ask(&c, (enum route_id)extra, MORE, bytes, e);
    client_close(&c);
    return rc;
}

static bool read_callgrind(const char *path, struct tally *t)
{
    char *text = file_read(path, NULL, NULL);
    bool whole = text && gate_tools_callgrind(text, &t->count[COUNT_INSTRUCTIONS],
                                              &t->count[COUNT_ALLOCATIONS]);
    free(text);
    return whole;
}

/* One file a process. */
static bool read_all_callgrind(const char *dir, struct tally *t)
{
    DIR *d = opendir(dir);
    size_t whole = 0;
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char *path = xasprintf("%s/%s", dir, entry->d_name);
        if (strncmp(entry->d_name, "callgrind.out.", 14) == 0)
            whole += read_callgrind(path, t);
        free(path);
    }
    if (d)
        closedir(d);
    return whole > 0;
}

static bool read_strace(const char *dir, struct tally *t)
{
    char *path = xasprintf("%s/strace.out", dir), *text = file_read(path, NULL, NULL);
    bool whole = text && gate_tools_strace(text, &t->count[COUNT_SYSTEM_CALLS]);
    free(text);
    free(path);
    return whole;
}

/* Runs the server once under a tool. */
static int run_once(struct tally *t, const struct gate_count_wish *w, enum tool tool, int extra,
                    struct err *e)
{
    struct manifest under = *w->manifest; /* shares all but its start command */
    struct server s;
    under.start = (struct strings){0};
    make_start(&under.start, w, tool);
    *t = (struct tally){0};
    int rc = server_start(&s, &under, w->setup, READY_MS, e);
    if (rc == 0) {
        char *dir = xstrdup(s.run_dir);
        rc = load(&s, w, extra, &t->count[COUNT_BYTES], e);
        if (server_stop(&s, true, e) < 0)
            rc = -1;
        if (rc == 0 && !(tool == TOOL_CALLGRIND ? read_all_callgrind(dir, t) : read_strace(dir, t)))
            rc = err_set(e, EXIT_MACHINE, "%s left no counts",
                         tool == TOOL_CALLGRIND ? "valgrind" : "strace");
        file_remove_tree(dir, NULL);
        free(dir);
    }
    strings_fini(&under.start);
    return rc;
}

static void take(struct counts *c, enum route_id route, enum tool tool, const struct tally *base,
                 const struct tally *all)
{
    for (int k = 0; k < COUNT_KINDS; k++)
        if ((k == COUNT_SYSTEM_CALLS) == (tool == TOOL_STRACE) || k == COUNT_BYTES)
            c->per_request[route][k] = (all->count[k] - base->count[k]) / MORE;
    c->counted[route] = true;
}

static void lacking(struct counts *c, enum tool tool, const char *why)
{
    for (int k = 0; k < COUNT_KINDS; k++)
        if (k != COUNT_BYTES && (k == COUNT_SYSTEM_CALLS) == (tool == TOOL_STRACE) &&
            !c->why_not[k])
            c->why_not[k] = xstrdup(why);
}

static void stage(const struct gate_count_wish *w, enum tool tool, const char *route)
{
    char *text = xasprintf("count %s of %s%s%s",
                           tool == TOOL_STRACE ? "system calls" : "instructions and allocations",
                           w->manifest->name, route ? ": " : "", route ? route : "");
    if (w->on_stage)
        w->on_stage(w->arg, text);
    free(text);
}

static int count_with(struct counts *c, const struct gate_count_wish *w, enum tool tool,
                      struct err *e)
{
    const char *name = tool == TOOL_CALLGRIND ? "valgrind" : "strace";
    char *found = program_find(name);
    struct tally base, all;
    if (!found) {
        char *why = xasprintf("%s is not installed (scripts/deps test)", name);
        lacking(c, tool, why);
        free(why);
        return 0;
    }
    free(found);
    stage(w, tool, NULL);
    int rc = run_once(&base, w, tool, -1, e);
    for (size_t i = 0; i < w->routes_n && rc == 0; i++) {
        stage(w, tool, route_get(w->routes[i])->name);
        rc = run_once(&all, w, tool, (int)w->routes[i], e);
        if (rc == 0)
            take(c, w->routes[i], tool, &base, &all);
    }
    return rc;
}

/* What the server does without a tool decides whose fault it is that it doesn't work under one. */
static int works_alone(struct counts *c, const struct gate_count_wish *w, struct err *e)
{
    struct server s;
    struct err own = {0};
    int rc = 0;
    if (server_start(&s, w->manifest, w->setup, READY_MS, &own) < 0)
        return err_set(e, EXIT_FAIL, "%s did not come up: %s", w->manifest->name, own.text);
    for (size_t i = 0; i < w->routes_n && rc == 0; i++) {
        double bytes = 0;
        struct client client;
        rc = client_open(&client, &s.address, ANSWER_MS) < 0
                 ? err_set(e, EXIT_FAIL, "can't connect: %s", client.problem)
                 : ask(&client, w->routes[i], 1, &bytes, e);
        client_close(&client);
        c->counted[w->routes[i]] = rc == 0;
        c->per_request[w->routes[i]][COUNT_BYTES] = bytes;
    }
    if (server_stop(&s, false, e) < 0)
        rc = -1;
    return rc;
}

int gate_count(struct counts *c, const struct gate_count_wish *w, struct err *e)
{
    *c = (struct counts){.server = xstrdup(w->manifest->name),
                         .arguments = w->arguments ? xstrdup(w->arguments) : NULL};
    for (int route = 0; route < ROUTE_COUNT; route++)
        for (int k = 0; k < COUNT_KINDS; k++)
            c->per_request[route][k] = NAN;
    if (works_alone(c, w, e) < 0)
        return -1;
    for (enum tool tool = TOOL_CALLGRIND; tool <= TOOL_STRACE; tool++) {
        struct err own = {0};
        if (count_with(c, w, tool, &own) == 0)
            continue;
        if (stop_asked())
            return err_set(e, (enum exit_code)own.code, "%s", own.text);
        lacking(c, tool, own.text);
    }
    return 0;
}
