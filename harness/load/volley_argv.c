/* volley_argv: see volley_argv.h. */
#include "load/volley_argv.h"

#include "base/alloc.h"
#include "model/strings.h"

#include <stdlib.h>

void volley_argv_add(struct strings *argv, const char *option, char *value_taken)
{
    strings_add(argv, option);
    strings_take(argv, value_taken);
}

void volley_argv_request(struct strings *argv, enum route_id id, bool keepalive)
{
    const struct route *route = route_get(id);
    volley_argv_add(argv, "--method", xstrdup(route->method));
    if (route->request_body)
        volley_argv_add(argv, "--body", xstrdup(route->request_body));
    if (route->request_type)
        volley_argv_add(argv, "--header", xasprintf("Content-Type: %s", route->request_type));
    volley_argv_add(argv, "--expect-status", xstrdup("200"));
    if (route->body)
        volley_argv_add(argv, "--expect-body", xstrdup(route->body));
    if (!keepalive)
        strings_add(argv, "--close");
}

/* "1=4711,4712" */
void volley_argv_pids(struct strings *argv, size_t index, const pid_t *pids, size_t n)
{
    char *text = xasprintf("%zu=", index);
    for (size_t i = 0; i < n; i++) {
        char *more = xasprintf("%s%s%ld", text, i ? "," : "", (long)pids[i]);
        free(text);
        text = more;
    }
    if (n)
        volley_argv_add(argv, "--pid", xstrdup(text));
    free(text);
}
