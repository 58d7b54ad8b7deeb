/* published_plan: rows whose generator had the same flags are measured in one run, as cells of one
   suite: the published generator once, as its authors did, and volley in blocks for the ratio. What
   the suite's cross product has beyond the rows is skipped. See published_plan.h. */
#include "model/published_plan.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Six blocks are the fewest with a 95 % interval (stats/signed_rank.h); ten make it narrower than
   the range of all blocks. */
static const struct shape {
    unsigned blocks;
    double volley_s[PUBLISHED_WEIGHTS]; /* of each server in a block, by the part's weight */
    double generator_s, warmup_s;
} quick_shape = {6, {0.2, 0.4, 1}, 0.4, 0.05}, faithful_shape = {10, {1, 1, 3}, 5, 0.5};

enum {
    MANY = 1000 /* connections */
};

static const char *const volley = "volley";

/* What is under way when a slice ends takes long where answers are large or many: longer slices. */
static enum published_weight weight_of(const struct published_row *row)
{
    return row->cell.route == ROUTE_LARGE  ? PUBLISHED_LARGE
           : row->cell.connections >= MANY ? PUBLISHED_MANY
                                           : PUBLISHED_USUAL;
}

static struct published_part *find_part(struct published_plan *p, const struct published_row *row)
{
    enum published_weight own = weight_of(row), base = weight_of(&p->document->rows[row->base]);
    enum published_weight weight = own > base ? own : base; /* they are measured side by side */
    const struct published_table *t = &p->document->tables[row->table];
    double seconds = p->quick || isnan(t->duration_s) ? 0 : t->duration_s;
    uint64_t requests = p->quick || !isnan(t->duration_s) ? 0 : row->requests;
    for (size_t i = 0; i < p->parts_n; i++) {
        struct published_part *x = &p->parts[i];
        bool same = p->quick || (x->threads == t->threads && x->requests == requests &&
                                 (requests || x->duration_s == seconds));
        if (strcmp(x->generator, t->generator) == 0 && x->weight == weight && same)
            return x;
    }
    struct published_part *x = xgrow(&p->parts, &p->parts_n, sizeof *x);
    *x = (struct published_part){.generator = xstrdup(t->generator), .threads = t->threads};
    x->requests = requests;
    x->weight = weight;
    x->duration_s = seconds > 0 ? seconds
                    : p->quick  ? quick_shape.generator_s
                                : faithful_shape.generator_s; /* its warm-up's measure */
    static const char *const names[] = {"", "-many", "-large"};
    const char *more = names[weight];
    x->name = p->quick   ? xasprintf("%s%s", t->generator, more)
              : requests ? xasprintf("%s-%llu%s", t->generator, (unsigned long long)requests, more)
                         : xasprintf("%s-%.0fs%s", t->generator, seconds, more);
    return x;
}

static bool has_cell(const struct published_part *x, const struct published_cell *cell)
{
    for (size_t i = 0; i < x->cells_n; i++)
        if (published_same_cell(&x->cells[i], cell))
            return true;
    return false;
}

static void add_cell(struct published_part *x, const struct published_cell *cell)
{
    if (has_cell(x, cell))
        return;
    struct published_cell *new = xgrow(&x->cells, &x->cells_n, sizeof *new);
    *new = *cell;
}

static void place_rows(struct published_plan *p)
{
    for (size_t i = 0; i < p->document->rows_n; i++) {
        struct published_part *x = find_part(p, &p->document->rows[i]);
        p->part_of_row[i] = (size_t)(x - p->parts);
        add_cell(x, &p->document->rows[i].cell);
    }
    /* A ratio to a row of another part has its base measured in its own part as well. */
    for (size_t i = 0; i < p->document->rows_n; i++)
        add_cell(&p->parts[p->part_of_row[i]], &p->document->rows[p->document->rows[i].base].cell);
}

/* Where both cells are, or else the first of them, or the generator. */
static size_t part_of_claim(const struct published_plan *p, const struct published_claim *c)
{
    size_t best = p->parts_n, points = 0;
    for (size_t i = 0; i < p->parts_n && c->kind != CLAIM_MEMORY; i++) {
        const struct published_part *x = &p->parts[i];
        if (c->generator && strcmp(c->generator, x->generator) != 0)
            continue;
        size_t here = 1 + 2 * (size_t)has_cell(x, &c->of) + (size_t)has_cell(x, &c->to);
        if (here > points) {
            points = here;
            best = i;
        }
    }
    return best;
}

static void place_claims(struct published_plan *p)
{
    for (size_t i = 0; i < p->document->claims_n; i++) {
        const struct published_claim *c = &p->document->claims[i];
        size_t part = p->part_of_claim[i] = part_of_claim(p, c);
        if (part == p->parts_n)
            continue;
        add_cell(&p->parts[part], &c->of);
        add_cell(&p->parts[part], &c->to);
        static char ceiling[] = PUBLISHED_CEILING;
        struct published_cell limit = c->of;
        limit.server = ceiling;
        if (c->kind == CLAIM_CEILING)
            add_cell(&p->parts[part], &limit);
    }
}

/* The flags of the published generator that can't be had, or aren't, and why. */
static void tell_adaptations(struct published_plan *p, struct published_part *x,
                             unsigned client_cpus)
{
    if (x->threads > client_cpus)
        strings_take(&x->adapted,
                     xasprintf("%s -t%u: %u thread%s here, one for each CPU that generators have",
                               x->generator, x->threads, client_cpus, client_cpus == 1 ? "" : "s"));
    if (p->quick)
        strings_take(&x->adapted,
                     xasprintf("%s: one trial of %g s instead of its published length (quick)",
                               x->generator, x->duration_s));
}

void published_plan_make(struct published_plan *p, const struct published *document, bool quick,
                         unsigned client_cpus)
{
    *p = (struct published_plan){.document = document,
                                 .quick = quick,
                                 .part_of_row = xcalloc(document->rows_n, sizeof *p->part_of_row),
                                 .part_of_claim =
                                     xcalloc(document->claims_n, sizeof *p->part_of_claim)};
    place_rows(p);
    place_claims(p);
    for (size_t i = 0; i < p->parts_n; i++)
        tell_adaptations(p, &p->parts[i], client_cpus);
}

void published_plan_fini(struct published_plan *p)
{
    for (size_t i = 0; i < p->parts_n; i++) {
        free(p->parts[i].name);
        free(p->parts[i].generator);
        free(p->parts[i].cells);
        strings_fini(&p->parts[i].adapted);
    }
    free(p->parts);
    free(p->part_of_row);
    free(p->part_of_claim);
    *p = (struct published_plan){0};
}

static void add_level(struct suite *s, unsigned level)
{
    for (size_t i = 0; i < s->connections_n; i++)
        if (s->connections[i] == level)
            return;
    if (s->connections_n < SUITE_LEVELS_MAX)
        s->connections[s->connections_n++] = level;
}

static void add_route(struct suite *s, enum route_id route)
{
    for (size_t i = 0; i < s->routes_n; i++)
        if (s->routes[i] == route)
            return;
    s->routes[s->routes_n++] = route;
}

void published_plan_suite(const struct published_plan *p, size_t part,
                          const struct strings *servers, uint64_t seed, struct suite *s)
{
    const struct published_part *x = &p->parts[part];
    *s =
        (struct suite){.name = xasprintf("%s-%s", p->document->id, x->name),
                       .title = xasprintf("%s: what %s measured", p->document->title, x->generator),
                       .path = xstrdup(""),
                       .reference = xstrdup(servers->n ? servers->item[0] : "nginx"),
                       .workers = 1,
                       .blocks = p->quick ? quick_shape.blocks : faithful_shape.blocks,
                       .duration_s = (p->quick ? quick_shape : faithful_shape).volley_s[x->weight],
                       .warmup_s = p->quick ? quick_shape.warmup_s : faithful_shape.warmup_s,
                       .requests = x->requests,
                       .seed = seed};
    for (size_t i = 0; i < servers->n; i++)
        strings_add(&s->servers, servers->item[i]);
    strings_add(&s->generators, volley);
    strings_add(&s->generators, x->generator);
    strings_add(&s->blocks_of, x->generator);
    s->blocks_of_n[0] = 1;
    strings_add(&s->duration_of, x->generator);
    s->duration_of_s[0] = x->duration_s;
    for (size_t i = 0; i < x->cells_n; i++) {
        if (!strings_has(servers, x->cells[i].server))
            continue;
        add_level(s, x->cells[i].connections);
        add_route(s, x->cells[i].route);
        s->keepalive |= x->cells[i].keepalive;
        s->close |= !x->cells[i].keepalive;
    }
}

/* As the suite lists it; the reference is the first of them. */
static bool is_named(const struct plan *plan, size_t server, const char *name)
{
    return server < plan->suite.servers.n && strcmp(plan->suite.servers.item[server], name) == 0;
}

static bool is_cell(const struct plan *plan, const struct cell *c, const struct published_cell *x)
{
    return is_named(plan, c->server, x->server) && c->route == x->route &&
           c->connections == x->connections && c->keepalive == x->keepalive;
}

void published_plan_skip(const struct published_plan *p, size_t part, struct plan *plan)
{
    const struct published_part *x = &p->parts[part];
    for (size_t i = 0; i < plan->cells_n; i++) {
        const struct cell *c = &plan->cells[i];
        bool by_volley = strcmp(plan->suite.generators.item[c->generator], volley) == 0;
        bool wanted = false;
        for (size_t k = 0; k < x->cells_n; k++)
            wanted |= is_cell(plan, c, &x->cells[k]);
        if (!wanted)
            plan_skip(plan, i, "nothing was published of it");
        else if (by_volley && is_named(plan, c->server, PUBLISHED_CEILING))
            plan_skip(plan, i, "only the published generator's limit is asked for");
    }
}

size_t published_plan_find(const struct plan *plan, const struct published_cell *cell,
                           const char *generator)
{
    for (size_t i = 0; i < plan->cells_n; i++)
        if (is_cell(plan, &plan->cells[i], cell) &&
            strcmp(plan->suite.generators.item[plan->cells[i].generator], generator) == 0)
            return i;
    return plan->cells_n;
}
