/* accepted: which socket of the server took which client. See accepted.h. */
#include "check/accepted.h"

#include "base/alloc.h"
#include "lab/socket_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>

struct collecting {
    struct accepted *to;
    unsigned server_port;
};

static void note(void *arg, const struct inet_diag_msg *m)
{
    struct collecting *c = arg;
    if (ntohs(m->id.idiag_sport) != c->server_port)
        return;
    struct accepted_end *end = xgrow(&c->to->end, &c->to->n, sizeof *end);
    end->inode = m->idiag_inode;
    end->client_port = ntohs(m->id.idiag_dport);
}

void accepted_read(struct accepted *a, unsigned server_port)
{
    struct collecting c = {.to = a, .server_port = server_port};
    *a = (struct accepted){0};
    socket_diag_each(1u << TCP_ESTABLISHED, note, &c);
}

void accepted_fini(struct accepted *a)
{
    free(a->end);
    *a = (struct accepted){0};
}

uint64_t accepted_inode(const struct accepted *a, unsigned client_port)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->end[i].client_port == client_port)
            return a->end[i].inode;
    return 0;
}
