/* published: finds a published comparison, frees it, and says what its figures say of themselves.
   The reading is in published_read.c. */
#include "model/published.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/home.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void published_names(struct strings *names)
{
    struct dirent **list;
    char *dir = home_path("configs/published");
    int n = scandir(dir, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *dot = strrchr(list[i]->d_name, '.');
        if (dot && dot > list[i]->d_name && strcmp(dot, ".json") == 0)
            strings_take(names, xstrndup(list[i]->d_name, (size_t)(dot - list[i]->d_name)));
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    free(dir);
}

int published_resolve(struct published *p, const char *name, struct err *e)
{
    struct strings names = {0};
    char all[200] = "";
    *p = (struct published){0};
    if (strchr(name, '/'))
        return published_load(p, name, e);
    published_names(&names);
    bool known = strings_has(&names, name);
    for (size_t i = 0; i < names.n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", names.item[i]);
    strings_fini(&names);
    if (!known)
        return err_set(e, EXIT_USAGE,
                       "there is no published comparison \"%s\"; give a file's path or one of:%s",
                       name, all);
    char *below = xasprintf("configs/published/%s.json", name), *path = home_path(below);
    int rc = published_load(p, path, e);
    free(below);
    free(path);
    return rc;
}

struct published_range published_ratio(const struct published *p, size_t row, double *ratio)
{
    const struct published_row *a = &p->rows[row], *b = &p->rows[a->base];
    double off_a = a->resolution / 2, off_b = b->resolution / 2;
    *ratio = a->requests_per_s / b->requests_per_s;
    if (a == b)
        return (struct published_range){1, 1, true};
    return (struct published_range){(a->requests_per_s - off_a) / (b->requests_per_s + off_b),
                                    (a->requests_per_s + off_a) / (b->requests_per_s - off_b),
                                    true};
}

bool published_same_cell(const struct published_cell *a, const struct published_cell *b)
{
    return strcmp(a->server, b->server) == 0 && a->route == b->route &&
           a->connections == b->connections && a->keepalive == b->keepalive;
}

void published_fini(struct published *p)
{
    for (size_t i = 0; i < p->tables_n; i++) {
        free(p->tables[i].id);
        free(p->tables[i].host);
        free(p->tables[i].note);
        free(p->tables[i].generator);
    }
    for (size_t i = 0; i < p->rows_n; i++) {
        free(p->rows[i].server);
        free(p->rows[i].page);
        free(p->rows[i].cell.server);
    }
    for (size_t i = 0; i < p->claims_n; i++) {
        free(p->claims[i].id);
        free(p->claims[i].of.server);
        free(p->claims[i].to.server);
        free(p->claims[i].generator);
        free(p->claims[i].said);
        free(p->claims[i].data);
    }
    strings_fini(&p->adaptations);
    free(p->tables);
    free(p->rows);
    free(p->claims);
    free(p->id);
    free(p->title);
    free(p->host);
    free(p->source);
    *p = (struct published){0};
}
