/* routes: see routes.h. */
#include "command/routes.h"

#include "base/err.h"
#include "model/strings.h"

#include <stdbool.h>

int routes_parse(const struct strings *names, enum route_id *routes, size_t *n, struct err *e)
{
    for (size_t i = 0; i < names->n; i++) {
        int id = route_find(names->item[i]);
        bool again = false;
        for (size_t k = 0; k < *n; k++)
            again |= (int)routes[k] == id;
        if (id < 0 || again)
            return err_set(e, EXIT_USAGE,
                           "--route %s: routes are health, json, echo, small, large, each once",
                           names->item[i]);
        routes[(*n)++] = (enum route_id)id;
    }
    return 0;
}
