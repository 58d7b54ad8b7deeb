/* remarks: see remarks.h. */
#include "present/remarks.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void remarks_add(struct remarks *m, const char *why, bool drawn, size_t server, size_t level)
{
    struct remark *one = xgrow(&m->item, &m->n, sizeof *one);
    *one = (struct remark){xstrdup(why), drawn, server, level};
}

void remarks_fini(struct remarks *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->item[i].why);
    free(m->item);
    *m = (struct remarks){0};
}

static bool is_first(const struct remarks *m, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (m->item[i].drawn == m->item[at].drawn && strcmp(m->item[i].why, m->item[at].why) == 0)
            return false;
    return true;
}

bool remarks_write(FILE *to, const struct remarks *m, bool drawn, const struct panel *p,
                   const struct result *r)
{
    bool wrote = false;
    for (size_t i = 0; i < m->n; i++) {
        size_t server = SIZE_MAX;
        if (m->item[i].drawn != drawn || !is_first(m, i))
            continue;
        fputs(wrote ? "; " : "", to);
        for (size_t k = i; k < m->n; k++) {
            const struct remark *one = &m->item[k];
            if (one->drawn != drawn || strcmp(one->why, m->item[i].why) != 0)
                continue;
            if (one->server != server)
                fprintf(to, "%s%s", server == SIZE_MAX ? "" : ", ",
                        r->plan.servers[one->server].name);
            fprintf(to, " %u", p->levels[one->level]);
            server = one->server;
        }
        fprintf(to, " (%s)", m->item[i].why);
        wrote = true;
    }
    return wrote;
}
