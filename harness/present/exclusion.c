/* exclusion: one line per reason instead of one per trial. See exclusion.h. */
#include "present/exclusion.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

const char *exclusion_note(const struct result *r, size_t cell)
{
    const char *skipped = r->plan.cells[cell].skipped;
    return r->cells[cell].verdict == VERDICT_SKIPPED && skipped ? skipped : r->cells[cell].note;
}

static struct exclusion *find_group(struct exclusions *x, enum verdict v, const char *note)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->item[i].verdict == v &&
            (v != VERDICT_SKIPPED || strcmp(x->item[i].evidence, note) == 0))
            return &x->item[i];
    struct exclusion *group = xgrow(&x->item, &x->n, sizeof *x->item);
    group->verdict = v;
    group->evidence = note;
    return group;
}

/* Where qsort leaves equal ones is not defined, so the order of verdicts decides those. */
static int by_size(const void *a, const void *b)
{
    const struct exclusion *x = a, *y = b;
    if (x->cells_n != y->cells_n)
        return x->cells_n < y->cells_n ? 1 : -1;
    return x->cells[0] < y->cells[0] ? -1 : x->cells[0] > y->cells[0];
}

void exclusions_make(struct exclusions *x, const struct result *r)
{
    *x = (struct exclusions){0};
    for (size_t i = 0; i < r->plan.cells_n; i++) {
        if (r->cells[i].verdict == VERDICT_VALID)
            continue;
        struct exclusion *group = find_group(x, r->cells[i].verdict, exclusion_note(r, i));
        group->cells = xrealloc(group->cells, group->cells_n + 1, sizeof *group->cells);
        group->cells[group->cells_n++] = i;
        x->cells_n++;
    }
    if (x->n > 1)
        qsort(x->item, x->n, sizeof *x->item, by_size);
}

void exclusions_fini(struct exclusions *x)
{
    for (size_t i = 0; i < x->n; i++)
        free(x->item[i].cells);
    free(x->item);
    *x = (struct exclusions){0};
}

static bool same_line(const struct cell *a, const struct cell *b)
{
    return a->server == b->server && a->route == b->route && a->generator == b->generator &&
           a->keepalive == b->keepalive;
}

static bool is_first_of_line(const struct exclusion *x, const struct cell *cells, size_t at)
{
    for (size_t k = 0; k < at; k++)
        if (same_line(&cells[x->cells[k]], &cells[x->cells[at]]))
            return false;
    return true;
}

void exclusion_write_cells(FILE *to, const struct exclusion *x, const struct result *r)
{
    const struct cell *cells = r->plan.cells;
    for (size_t i = 0; i < x->cells_n; i++) {
        const struct cell *c = &cells[x->cells[i]];
        if (!is_first_of_line(x, cells, i))
            continue;
        fprintf(to, "%s%s %s by %s%s at", i ? "; " : "", r->plan.servers[c->server].name,
                route_get(c->route)->name, r->plan.suite.generators.item[c->generator],
                c->keepalive ? "" : " (close)");
        for (size_t k = i; k < x->cells_n; k++)
            if (same_line(&cells[x->cells[k]], c))
                fprintf(to, "%s %u", k > i ? "," : "", cells[x->cells[k]].connections);
    }
}
