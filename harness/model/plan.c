/* plan: suite + manifests -> cells, comparisons and a seeded order. Pure but for reading manifests.
 */
#include "model/plan.h"

#include "base/alloc.h"
#include "base/err.h"
#include "stats/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Boot, check of readiness and stop of one trial, as seen with nginx, lighttpd and the reactor. */
static const double overhead_s = 0.35;
static const double check_s = 2.0; /* contracts of one server, once a run */

static int add_server(struct plan *p, const char *what, struct err *e)
{
    struct manifest *m = xgrow(&p->servers, &p->servers_n, sizeof *m);
    if (manifest_resolve(m, what, e) < 0)
        return -1;
    for (size_t i = 0; i + 1 < p->servers_n; i++)
        if (strcmp(p->servers[i].name, m->name) == 0)
            return err_set(e, EXIT_USAGE,
                           "two servers are named \"%s\" (%s and %s); change \"name\" in one "
                           "manifest",
                           m->name, p->servers[i].path, m->path);
    return 0;
}

/* The reference may be given by name or as it is listed. It joins when it is not listed. */
static int find_reference(struct plan *p, struct err *e)
{
    const struct suite *s = &p->suite;
    for (size_t i = 0; i < p->servers_n; i++) {
        bool listed = i < s->servers.n && strcmp(s->servers.item[i], s->reference) == 0;
        if (listed || strcmp(p->servers[i].name, s->reference) == 0) {
            p->reference = i;
            return 0;
        }
    }
    if (add_server(p, s->reference, e) < 0)
        return err_prefix(e, "reference");
    p->reference = p->servers_n - 1;
    return 0;
}

static void add_comparison(struct plan *p, enum route_id route, size_t generator, unsigned level,
                           bool keepalive)
{
    struct comparison *c = xgrow(&p->comparisons, &p->comparisons_n, sizeof *c);
    *c = (struct comparison){.first = p->cells_n, .n = p->servers_n};
    for (size_t i = 0; i < p->servers_n; i++) {
        const struct manifest *m = &p->servers[i];
        struct cell *cell = xgrow(&p->cells, &p->cells_n, sizeof *cell);
        *cell = (struct cell){.server = i,
                              .route = route,
                              .generator = generator,
                              .connections = level,
                              .keepalive = keepalive,
                              .comparison = p->comparisons_n - 1};
        if (!m->routes[route])
            cell->skipped = xstrdup(m->lacks[route] ? m->lacks[route]
                                                    : "the server's manifest doesn't offer this "
                                                      "route");
    }
}

int plan_make(struct plan *p, struct suite *s, struct err *e)
{
    *p = (struct plan){.suite = *s};
    *s = (struct suite){0};
    s = &p->suite;
    if (suite_check(s, e) < 0)
        return -1;
    for (size_t i = 0; i < s->servers.n; i++)
        if (add_server(p, s->servers.item[i], e) < 0)
            return -1;
    if (find_reference(p, e) < 0)
        return -1;
    for (size_t r = 0; r < s->routes_n; r++)
        for (size_t g = 0; g < s->generators.n; g++)
            for (int mode = 0; mode < 2; mode++)
                for (size_t l = 0; l < s->connections_n; l++)
                    if (mode == 0 ? s->keepalive : s->close)
                        add_comparison(p, s->routes[r], g, s->connections[l], mode == 0);
    return 0;
}

void plan_skip(struct plan *p, size_t cell, const char *reason)
{
    if (!p->cells[cell].skipped)
        p->cells[cell].skipped = xstrdup(reason);
}

static size_t *numbers(size_t n)
{
    size_t *order = xcalloc(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    return order;
}

void plan_schedule(struct plan *p)
{
    struct random r;
    size_t *comparisons = numbers(p->comparisons_n), *servers = numbers(p->servers_n);
    free(p->steps);
    p->steps = NULL;
    p->steps_n = 0;
    random_seed(&r, p->suite.seed);
    for (unsigned block = 0; block < suite_blocks_most(&p->suite); block++) {
        random_shuffle(&r, comparisons, p->comparisons_n);
        for (size_t c = 0; c < p->comparisons_n; c++) {
            unsigned position = 0;
            random_shuffle(&r, servers, p->servers_n);
            for (size_t i = 0; i < p->servers_n; i++) {
                size_t cell = p->comparisons[comparisons[c]].first + servers[i];
                if (p->cells[cell].skipped ||
                    block >= suite_blocks(&p->suite, p->cells[cell].generator))
                    continue;
                struct step *step = xgrow(&p->steps, &p->steps_n, sizeof *step);
                *step = (struct step){.cell = cell, .block = block, .position = position};
                position++;
            }
        }
    }
    free(comparisons);
    free(servers);
}

double plan_seconds(const struct plan *p)
{
    double s = check_s * (double)p->servers_n;
    for (size_t i = 0; i < p->steps_n; i++)
        s += suite_duration(&p->suite, p->cells[p->steps[i].cell].generator) + p->suite.warmup_s +
             overhead_s;
    return s;
}

const char *cell_title(const struct plan *p, const struct cell *c)
{
    static char text[120];
    snprintf(text, sizeof text, "%s %s c=%u %s", route_get(c->route)->name,
             p->suite.generators.item[c->generator], c->connections,
             c->keepalive ? "keep-alive" : "close");
    return text;
}

void plan_fini(struct plan *p)
{
    for (size_t i = 0; i < p->servers_n; i++)
        manifest_fini(&p->servers[i]);
    for (size_t i = 0; i < p->cells_n; i++)
        free(p->cells[i].skipped);
    free(p->servers);
    free(p->cells);
    free(p->comparisons);
    free(p->steps);
    suite_fini(&p->suite);
    *p = (struct plan){0};
}
