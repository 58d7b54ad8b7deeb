/* fairness: the servers' check lists side by side. Items are matched by name. What is equal says
   nothing; what differs needs a written reason, from the manifest of the server that is unlike the
   reference. A broken contract, or workers that differ, makes an item broken: then no ratio may be
   taken. With a written reason it is a known difference instead, which is not broken, but what it
   blocks (check_blocks) stays blocked. */
#include "check/contract.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct check_item *find(const struct check_list *list, const char *name)
{
    for (size_t k = 0; k < list->n; k++)
        if (strcmp(list->item[k].name, name) == 0)
            return &list->item[k];
    return NULL;
}

/* "small head bytes" -> ROUTE_SMALL, and rest "head bytes"; -1 when it is not of a route. */
static int route_of(const char *name, const char **rest)
{
    for (int r = 0; r < ROUTE_COUNT; r++) {
        const char *route = route_get((enum route_id)r)->name;
        size_t n = strlen(route);
        if (strncmp(name, route, n) == 0 && name[n] == ' ') {
            *rest = name + n + 1;
            return r;
        }
    }
    return -1;
}

/* The manifest's reason for an item: by its name, by its name without the route, or why the route
   is not offered. */
static const char *written_reason(const struct manifest *m, const char *name)
{
    const char *rest = NULL, *reason = manifest_reason(m, name);
    int route = route_of(name, &rest);
    if (reason || route < 0)
        return reason;
    if (!m->routes[route])
        return m->lacks[route];
    return manifest_reason(m, rest);
}

static bool equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool known(const char *value)
{
    return value && strcmp(value, "unknown") != 0;
}

/* What others are compared with: the reference's value, or the first that could be seen. */
static const char *usual_value(const struct result *r, const struct fairness_item *f)
{
    if (known(f->value[r->plan.reference]))
        return f->value[r->plan.reference];
    for (size_t k = 0; k < r->plan.servers_n; k++)
        if (known(f->value[k]))
            return f->value[k];
    return NULL;
}

/* What doesn't apply to a server (NULL) is no difference. */
static bool all_equal(const struct result *r, const struct fairness_item *f)
{
    const char *usual = usual_value(r, f);
    for (size_t k = 0; k < r->plan.servers_n; k++)
        if (f->value[k] && !equal(usual, f->value[k]))
            return false;
    return true;
}

static void give_reasons(const struct result *r, struct fairness_item *f)
{
    const char *usual = usual_value(r, f);
    for (size_t k = 0; k < r->plan.servers_n; k++) {
        const char *reason = written_reason(&r->plan.servers[k], f->name);
        if (f->reason[k] || !f->value[k])
            continue;
        if (!known(f->value[k]))
            reason = "could not be seen";
        else if (!reason && !equal(usual, f->value[k]))
            reason = "differs, no reason written";
        f->reason[k] = reason ? xstrdup(reason) : NULL;
    }
}

static bool is_unexplained(const struct result *r, const struct fairness_item *f)
{
    const char *usual = usual_value(r, f);
    for (size_t k = 0; k < r->plan.servers_n; k++)
        if (known(f->value[k]) && !equal(usual, f->value[k]) &&
            !written_reason(&r->plan.servers[k], f->name))
            return true;
    return false;
}

/* What is wrong in words; known, where the manifest has a reason for it. NULL when nothing is. */
static char *explain(const struct check_item *i, const char *known)
{
    if (!i->problem)
        return NULL;
    return known ? xasprintf("known: %s", known) : xstrdup(i->problem);
}

static void compare_item(struct result *r, const struct check_list *lists,
                         const struct check_item *like)
{
    size_t n = r->plan.servers_n;
    struct fairness_item *f = xgrow(&r->fairness, &r->fairness_n, sizeof *f);
    f->name = xstrdup(like->name);
    f->value = xcalloc(n, sizeof *f->value);
    f->reason = xcalloc(n, sizeof *f->reason);
    for (size_t k = 0; k < n; k++) {
        const struct check_item *i = find(&lists[k], f->name);
        if (i && i->value)
            f->value[k] = xstrdup(i->value);
        if (!i)
            continue;
        const char *reason = written_reason(&r->plan.servers[k], f->name);
        f->reason[k] = explain(i, reason);
        f->broken = f->broken || (i->contract && !i->ok && !reason);
    }
    if (like->varies || all_equal(r, f))
        return;
    give_reasons(r, f);
    if (strcmp(f->name, "workers") == 0 && is_unexplained(r, f))
        f->broken = true;
}

static void forget(struct result *r)
{
    for (size_t i = 0; i < r->fairness_n; i++) {
        struct fairness_item *f = &r->fairness[i];
        for (size_t k = 0; k < r->plan.servers_n; k++) {
            free(f->value[k]);
            free(f->reason[k]);
        }
        free(f->name);
        free(f->value);
        free(f->reason);
    }
    free(r->fairness);
    r->fairness = NULL;
    r->fairness_n = 0;
}

void check_compare(struct result *r, const struct check_list *lists)
{
    forget(r);
    if (r->plan.servers_n == 0)
        return;
    const struct check_list *like = lists;
    while (like < lists + r->plan.servers_n - 1 && like->n == 0)
        like++;
    for (size_t k = 0; k < like->n; k++)
        compare_item(r, lists, &like->item[k]);
}
