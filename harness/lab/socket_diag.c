/* socket_diag: one dump of the kernel's socket table per family. See socket_diag.h. */
#include "lab/socket_diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

typedef void on_socket(void *arg, const struct inet_diag_msg *m);

static int ask(int fd, int family, unsigned states)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } request = {.head = {.nlmsg_len = sizeof request,
                          .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                 .body = {.sdiag_family = (uint8_t)family,
                          .sdiag_protocol = IPPROTO_TCP,
                          .idiag_states = states}};
    return send(fd, &request, sizeof request, 0) == sizeof request ? 0 : -1;
}

/* One datagram of the answer. Returns 1 = more come, 0 = that was the last, -1 = refused. */
static int take(int fd, on_socket *on, void *arg)
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
        on(arg, NLMSG_DATA(h));
    }
    return 1;
}

int socket_diag_each(unsigned states, on_socket *on, void *arg)
{
    static const int families[] = {AF_INET, AF_INET6};
    struct timeval limit = {.tv_sec = 5};
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        int more = -1, fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
        if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
            ask(fd, families[i], states) == 0)
            while ((more = take(fd, on, arg)) > 0)
                ;
        if (fd >= 0)
            close(fd);
        rc = more < 0 ? -1 : rc;
    }
    return rc;
}

struct tally_of_port {
    unsigned port;
    long n;
};

/* Of an open connection both ends are in the table, of a closed one only the end that closed first.
 */
static void count(void *arg, const struct inet_diag_msg *m)
{
    struct tally_of_port *t = arg;
    int server_end = ntohs(m->id.idiag_sport) == t->port;
    int client_end = ntohs(m->id.idiag_dport) == t->port;
    t->n += server_end || (client_end && m->idiag_state == TCP_TIME_WAIT);
}

long socket_diag_connections(unsigned server_port)
{
    struct tally_of_port t = {.port = server_port};
    unsigned states = 1u << TCP_ESTABLISHED | 1u << TCP_TIME_WAIT | 1u << TCP_FIN_WAIT1 |
                      1u << TCP_FIN_WAIT2 | 1u << TCP_CLOSE_WAIT | 1u << TCP_LAST_ACK;
    return socket_diag_each(states, count, &t) == 0 ? t.n : -1;
}
