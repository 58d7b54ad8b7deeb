/* reactor: the reference server: the published site on our engines. */
#include "http/conn.h"
#include "http/published.h"
#include "http/server.h"

static void *open_site(const struct options *o, struct counters_board *board, unsigned worker,
                       struct err *err)
{
    return published_open(o, &board->of[worker], board, err);
}

static void close_site(void *context)
{
    published_close(context);
}

static void finish(struct engine *e, void *context)
{
    conn_finish_all(e, context);
}

int main(int argc, char **argv)
{
    static const struct service service = {
        .user = &conn_user, .open = open_site, .close = close_site, .finish = finish};
    return server_main(argc, argv, "reactor", &service);
}
