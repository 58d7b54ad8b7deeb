/* port: picks ports by trying to bind them, and tells our listeners from foreign ones by inode. */
#include "lab/port.h"

#include "base/err.h"
#include "base/file.h"
#include "lab/account.h"
#include "lab/procfs.h"
#include "lab/sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    UNPRIVILEGED = 1024,
    COMFORTABLE = 10000, /* well-known services live below */
    LAST = 65535,
    ENOUGH = 500,
    TRIES = 200
};

bool port_candidates(const char *range_text, unsigned *first, unsigned *last)
{
    unsigned low = 32768, high = 60999; /* the kernel's defaults (ip(7)) */
    if (range_text)
        sscanf(range_text, "%u %u", &low, &high);
    *first = UNPRIVILEGED;
    *last = LAST;
    if (low >= UNPRIVILEGED + ENOUGH) {
        *first = low >= COMFORTABLE + ENOUGH ? COMFORTABLE : UNPRIVILEGED;
        *last = low - 1;
        return true;
    }
    if (high + ENOUGH > LAST)
        return false;
    *first = high + 1;
    return true;
}

static int bind_port(unsigned port, int family, bool reuse)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0)
        return family == AF_INET6 ? 0 : -1; /* a kernel without IPv6 has no IPv6 listener */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, reuse ? sizeof on : 0);
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, family == AF_INET6 ? sizeof on : 0);
    int rc = family == AF_INET6 ? bind(fd, (struct sockaddr *)&v6, sizeof v6)
                                : bind(fd, (struct sockaddr *)&v4, sizeof v4);
    if (rc < 0 && family == AF_INET6 && errno == EADDRNOTAVAIL)
        rc = 0; /* IPv6 is switched off */
    int saved = errno;
    close(fd);
    errno = saved;
    return rc;
}

int port_pick(struct err *e)
{
    unsigned first, last, seed;
    char *range = file_read("/proc/sys/net/ipv4/ip_local_port_range", NULL, NULL);
    port_candidates(range, &first, &last);
    free(range);
    for (int i = 0; i < TRIES; i++) {
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
            seed = (unsigned)getpid() * 2654435761u + (unsigned)i;
        unsigned port = first + seed % (last - first + 1);
        if (bind_port(port, AF_INET, false) == 0 && bind_port(port, AF_INET6, false) == 0)
            return (int)port;
    }
    return err_set(e, EXIT_MACHINE, "no free port found between %u and %u: %s", first, last,
                   strerror(errno));
}

static void name_process(pid_t pid, uid_t uid, char *to, size_t size)
{
    struct procfs_stat s;
    char user[64];
    account_name(uid, user, sizeof user);
    if (pid && procfs_read(&s, pid))
        snprintf(to, size, "%s (process %d of user %s)", s.name, (int)pid, user);
    else
        snprintf(to, size, "a process of user %s that we may not see", user);
}

bool port_has_listener(unsigned port, char *who, size_t size)
{
    size_t n;
    struct listener *l = sockets_listeners(port, &n);
    if (n)
        name_process(sockets_owner(l->inode), l->uid, who, size);
    free(l);
    return n > 0;
}

bool port_is_free(unsigned port, char *why, size_t size)
{
    if (port_has_listener(port, why, size))
        return false;
    if (bind_port(port, AF_INET, true) == 0)
        return true;
    snprintf(why, size, "%s", errno == EADDRINUSE ? "an outgoing connection" : strerror(errno));
    return false;
}

static bool is_held(uint64_t inode, const struct procfs_stat *tree, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sockets_held_by(inode, tree[i].pid))
            return true;
    return false;
}

int port_is_ours(unsigned port, pid_t root, char *who, size_t size)
{
    size_t n, tree_n;
    int ours = -1;
    struct listener *l = sockets_listeners(port, &n);
    struct procfs_stat *tree = procfs_tree(root, &tree_n);
    for (size_t i = 0; i < n && ours != 0; i++) {
        ours = is_held(l[i].inode, tree, tree_n);
        if (!ours)
            name_process(sockets_owner(l[i].inode), l[i].uid, who, size);
    }
    free(tree);
    free(l);
    return ours;
}

void port_list_ours(pid_t root, char *to, size_t size)
{
    size_t n, tree_n, used = 0;
    struct listener *l = sockets_listeners(0, &n);
    struct procfs_stat *tree = procfs_tree(root, &tree_n);
    *to = '\0';
    for (size_t i = 0; i < n && used < size; i++) {
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known = known || l[j].port == l[i].port;
        if (!known && is_held(l[i].inode, tree, tree_n))
            used += (size_t)snprintf(to + used, size - used, "%s%u", used ? ", " : "", l[i].port);
    }
    free(tree);
    free(l);
}
