/* accepted: asks sock_diag(7) and not /proc/net/tcp, whose text also lists every socket in
   TIME_WAIT: after a trial that closes each connection there are tens of thousands. */
#include "check/accepted.h"

#include "base/alloc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int ask_dump(int fd, int family)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 what;
    } ask = {
        .head = {.nlmsg_len = sizeof ask,
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .what = {.sdiag_family = (uint8_t)family,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = 1U << TCP_ESTABLISHED},
    };
    return send(fd, &ask, sizeof ask, 0) == sizeof ask ? 0 : -1;
}

static void note(struct accepted *a, const struct inet_diag_msg *m, unsigned server_port)
{
    if (ntohs(m->id.idiag_sport) != server_port)
        return;
    struct accepted_end *end = xgrow(&a->end, &a->n, sizeof *end);
    end->inode = m->idiag_inode;
    end->client_port = ntohs(m->id.idiag_dport);
}

/* Takes one datagram of the dump. Returns 1 = more come, 0 = that was the last, -1 = refused. */
static int take_dump(int fd, struct accepted *a, unsigned server_port)
{
    union {
        struct nlmsghdr head;
        char bytes[32768];
    } in;
    ssize_t got = recv(fd, &in, sizeof in, 0);
    if (got <= 0)
        return got < 0 && errno == EINTR ? 1 : -1;
    unsigned n = (unsigned)got;
    for (struct nlmsghdr *h = &in.head; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
        if (h->nlmsg_type == NLMSG_DONE)
            return 0;
        if (h->nlmsg_type == NLMSG_ERROR)
            return -1;
        note(a, NLMSG_DATA(h), server_port);
    }
    return 1;
}

static void dump(struct accepted *a, unsigned server_port, int family)
{
    struct timeval wait = {.tv_sec = 2};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0 &&
        ask_dump(fd, family) == 0)
        while (take_dump(fd, a, server_port) > 0)
            ;
    close(fd);
}

void accepted_read(struct accepted *a, unsigned server_port)
{
    *a = (struct accepted){0};
    dump(a, server_port, AF_INET);
    dump(a, server_port, AF_INET6);
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
