/* gate_counts: exact counts against those before. Any more than before is a FAIL: they don't depend
   on the machine's load. See judge/gate.h. */
#include "judge/gate.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static char *series_name(enum route_id route, enum count kind)
{
    return xasprintf("%s %s", route_get(route)->name, count_title(kind));
}

/* Never a percentage of nothing: from zero allocations to one is no ratio. */
static void set_figures(struct gate_check *c, enum count kind, double before, double now)
{
    c->before = before;
    c->now = now;
    c->worse = before > 0 ? -gate_direction(count_name(kind)) * (now - before) / before * 100 : NAN;
    c->allowed = 0;
}

static void compare_known(struct gate *g, const struct gate_counts_input *in, enum route_id route,
                          enum count kind)
{
    double before = in->before->per_request[route][kind];
    double now = in->now->per_request[route][kind];
    double worse = -gate_direction(count_name(kind)) * (now - before);
    const char *advice = in->renewable ? "; if it is meant: parity gate --accept, and commit the "
                                         "baseline saying why"
                                       : "";
    enum gate_outcome outcome = GATE_PASS;
    char *words;
    if (fabs(worse) < count_resolution(kind)) {
        words = xasprintf("as in %s", in->source);
    } else if (worse > 0) {
        outcome = GATE_FAIL;
        words = xasprintf("%.6g a request, %.6g in %s%s", now, before, in->source, advice);
    } else {
        outcome = GATE_IMPROVED;
        words = xasprintf("%.6g a request, %.6g in %s%s", now, before, in->source,
                          in->renewable ? "; parity gate --accept guards the new level" : "");
    }
    struct gate_check *c = gate_add(g, GATE_COUNTS, outcome, series_name(route, kind), words);
    set_figures(c, kind, before, now);
}

static void compare(struct gate *g, const struct gate_counts_input *in, enum route_id route,
                    enum count kind)
{
    double before = in->before->per_request[route][kind];
    double now = in->now->per_request[route][kind];
    struct gate_check *c = NULL;
    if (!isfinite(now))
        c = gate_add(g, GATE_COUNTS, GATE_NOT_COMPARED, series_name(route, kind),
                     xasprintf("not counted: %s", in->now->why_not[kind] ? in->now->why_not[kind]
                                                                         : "no reason known"));
    else if (kind == COUNT_INSTRUCTIONS && in->instructions_differ)
        c = gate_add(g, GATE_COUNTS, GATE_NOT_COMPARED, series_name(route, kind),
                     xasprintf("%s was counted elsewhere, so not compared: %s", in->source,
                               in->instructions_differ));
    else if (!isfinite(before))
        c = gate_add(g, GATE_COUNTS, GATE_NEW, series_name(route, kind),
                     xasprintf("not in %s yet", in->source));
    if (!c) {
        compare_known(g, in, route, kind);
        return;
    }
    c->before = before;
    c->now = now;
}

/* A route that only one side has. */
static void add_lonely(struct gate *g, const struct gate_counts_input *in, enum route_id route)
{
    char *series = xasprintf("%s counts", route_get(route)->name);
    if (in->now->counted[route])
        gate_add(g, GATE_COUNTS, GATE_NEW, series,
                 xasprintf("the route is not in %s yet", in->source));
    else if (in->before->counted[route])
        gate_add(g, GATE_COUNTS, in->routes_chosen ? GATE_NOTE : GATE_MISSING, series,
                 xasprintf("the route is in %s and was not counted now", in->source));
    else
        free(series);
}

void gate_judge_counts(struct gate *g, const struct gate_counts_input *in)
{
    for (enum route_id route = 0; route < ROUTE_COUNT; route++) {
        if (!in->now->counted[route] || !in->before->counted[route]) {
            add_lonely(g, in, route);
            continue;
        }
        for (enum count kind = 0; kind < COUNT_KINDS; kind++)
            compare(g, in, route, kind);
    }
}
