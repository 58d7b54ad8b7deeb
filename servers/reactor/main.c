/* reactor: the reference server. Options in, a site and the connection layer put together, run. */
#include "http/conn.h"
#include "http/err.h"
#include "http/files.h"
#include "http/handicap.h"
#include "http/scan.h"
#include "http/server.h"
#include "http/site.h"
#include "reactor/routes.h"

#include <stdlib.h>

#define MS_NS 1000000ULL

static void set_limits(struct site *site, const struct options *o)
{
    site->limits =
        (struct http1_limits){.line = o->max_line, .head = o->max_head, .fields = o->max_fields};
    site->max_body = o->max_body;
    site->header_timeout_ns = o->header_timeout_ms * MS_NS;
    site->body_timeout_ns = o->body_timeout_ms * MS_NS;
    site->idle_timeout_ns = o->idle_timeout_ms * MS_NS;
    site->linger_timeout_ns = o->linger_timeout_ms * MS_NS;
    site->style = (struct head_style){.server = !o->no_server_header, .date = !o->no_date};
}

static void site_close(void *context)
{
    struct site *site = context;
    files_close(site->files);
    free(site->routes);
    free(site);
}

static void *site_open(const struct options *o, struct counters_board *board, unsigned worker,
                       struct err *err)
{
    struct site *site = mem_get(sizeof *site);
    *site = (struct site){.counters = &board->of[worker], .board = board};
    set_limits(site, o);
    routes_add(site, o);
    site_init(site);
    if (o->docroot && !(site->files = files_open(o->docroot, o->file_check_ms * MS_NS, err))) {
        site_close(site);
        return NULL;
    }
    if (o->handicap_pct > 0) {
        handicap_set(o->handicap_pct / 100 * (double)o->handicap_base_ns);
        site->before_answer = handicap_spin;
    }
    scan_choose();
    return site;
}

static void finish(struct engine *e, void *context)
{
    conn_finish_all(e, context);
}

int main(int argc, char **argv)
{
    static const struct service service = {
        .user = &conn_user, .open = site_open, .close = site_close, .finish = finish};
    return server_main(argc, argv, "reactor", &service);
}
