/* table_fairness: `parity check`'s table. The first server that has a value shows it; the others
   show "=" where they equal it. See table.h. */
#include "present/table.h"

#include "base/alloc.h"
#include "present/figure.h"
#include "present/grid.h"

#include <stdlib.h>
#include <string.h>

static const char *first_value(const struct fairness_item *item, size_t servers, size_t *at)
{
    for (*at = 0; *at < servers; (*at)++)
        if (item->value[*at])
            return item->value[*at];
    return NULL;
}

static bool differs(const struct fairness_item *item, size_t servers)
{
    size_t at;
    const char *first = first_value(item, servers, &at);
    for (size_t i = at; i < servers; i++)
        if (item->value[i] && strcmp(item->value[i], first) != 0)
            return true;
    return false;
}

static bool has_reason(const struct fairness_item *item, size_t servers)
{
    for (size_t i = 0; i < servers; i++)
        if (item->reason[i])
            return true;
    return false;
}

static void add_item(struct grid *g, const struct fairness_item *item, size_t servers,
                     unsigned mark)
{
    size_t at;
    const char *first = first_value(item, servers, &at);
    grid_row(g);
    grid_set(g, 0, xstrdup(item->name), item->broken ? TONE_BAD : TONE_PLAIN);
    for (size_t i = 0; i < servers; i++) {
        const char *value = item->value[i];
        bool same = value && i != at && strcmp(value, first) == 0;
        grid_set(g, i + 1,
                 xstrdup(!value ? "-"
                         : same ? "="
                                : value),
                 value && !same && i != at ? TONE_WARN : TONE_PLAIN);
    }
    if (item->broken)
        grid_set(g, servers + 1, xstrdup("BROKEN"), TONE_BAD);
    if (mark)
        grid_set(g, servers + 1, xasprintf("%s[%u]", item->broken ? "BROKEN " : "", mark),
                 item->broken ? TONE_BAD : TONE_DIM);
}

static void fit(struct grid *g, unsigned width)
{
    for (size_t most = 40; width && most >= 8 && grid_width(g) > width; most--)
        for (size_t c = 0; c + 1 < g->columns; c++)
            grid_shorten(g, c, c == 0 ? most + 8 : most);
}

static void write_reasons(FILE *to, const struct result *r, const struct fairness_item *item,
                          unsigned mark, unsigned width)
{
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        if (!item->reason[i])
            continue;
        char *lead = xasprintf("[%u] ", mark);
        char *text = xasprintf("%s, %s: %s", item->name, r->plan.servers[i].name, item->reason[i]);
        grid_wrap(to, lead, text, width);
        free(text);
        free(lead);
    }
}

/* The values of a broken item in full, since the table may have cut them. */
static void write_broken(FILE *to, const struct result *r, const struct fairness_item *item,
                         unsigned width)
{
    for (size_t i = 0; i < r->plan.servers_n; i++) {
        if (!item->value[i] || item->reason[i])
            continue;
        char *text =
            xasprintf("BROKEN %s, %s: %s", item->name, r->plan.servers[i].name, item->value[i]);
        grid_wrap(to, "", text, width);
        free(text);
    }
}

static void write_summary(FILE *to, const struct result *r)
{
    size_t broken = 0, different = 0;
    for (size_t i = 0; i < r->fairness_n; i++) {
        broken += r->fairness[i].broken;
        different += !r->fairness[i].broken && differs(&r->fairness[i], r->plan.servers_n);
    }
    fprintf(to, "%s: %zu equal, %zu different with a written reason, %zu broken\n",
            figure_many(r->fairness_n, "item").text, r->fairness_n - different - broken, different,
            broken);
}

void table_fairness(FILE *to, const struct result *r, unsigned width, bool color)
{
    struct grid g;
    size_t servers = r->plan.servers_n;
    unsigned mark = 0;
    if (servers + 2 > GRID_COLUMNS_MAX)
        servers = GRID_COLUMNS_MAX - 2; /* more don't fit on a terminal; result.json has them */
    grid_init(&g, servers + 2);
    grid_row(&g);
    grid_set(&g, 0, xstrdup("item"), TONE_DIM);
    for (size_t i = 0; i < servers; i++)
        grid_set(&g, i + 1, xstrdup(r->plan.servers[i].name), TONE_BOLD);
    for (size_t i = 0; i < r->fairness_n; i++)
        add_item(&g, &r->fairness[i], servers, has_reason(&r->fairness[i], servers) ? ++mark : 0);
    fit(&g, width);
    grid_write(to, &g, color);
    grid_fini(&g);
    fputc('\n', to);
    mark = 0;
    for (size_t i = 0; i < r->fairness_n; i++) {
        if (has_reason(&r->fairness[i], servers))
            write_reasons(to, r, &r->fairness[i], ++mark, width);
        if (r->fairness[i].broken)
            write_broken(to, r, &r->fairness[i], width);
    }
    write_summary(to, r);
}
