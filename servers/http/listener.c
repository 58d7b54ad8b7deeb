/* listener: SO_REUSEPORT would let a second server of the same user share a port without a word,
   each getting half of the clients; so the port is first bound without it, which fails if anybody
   listens. */
#include "http/listener.h"

#include "http/err.h"
#include "http/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int resolve(const struct options *o, struct addrinfo **found, struct err *err)
{
    char port[8];
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    snprintf(port, sizeof port, "%u", (unsigned)o->port);
    int code = getaddrinfo(o->host, port, &hints, found);
    if (code)
        return err_set(err, "--host: '%s': %s", o->host, gai_strerror(code));
    return 0;
}

/* TCP_NODELAY on the listener is inherited by what it accepts (Linux). */
static int open_one(const struct addrinfo *a, const struct options *o, bool shared)
{
    const int on = 1;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (a->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if ((!shared || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) &&
        bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, (int)o->backlog) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* A port lies at the same place in the addresses of IPv4 and IPv6. */
static void set_port(struct sockaddr *address, int port)
{
    ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons((in_port_t)port);
}

static int bound_port(int fd)
{
    struct sockaddr_in6 address = {0};
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return -1;
    return ntohs(address.sin6_port);
}

_Static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port),
               "see set_port()");

static int open_all(struct addrinfo *a, const struct options *o, int *fds)
{
    bool shared = o->workers > 1;
    if (shared && o->port != 0) { /* is anybody there? */
        int probe = open_one(a, o, false);
        if (probe < 0)
            return -1;
        close(probe);
    }
    for (uint64_t i = 0; i < o->workers; i++) {
        fds[i] = open_one(a, o, shared);
        if (fds[i] < 0)
            return -1;
        if (i == 0) /* the others take the port that the first was given */
            set_port(a->ai_addr, bound_port(fds[0]));
    }
    return bound_port(fds[0]);
}

static void warn_of_somaxconn(const struct options *o)
{
    unsigned long most = 0;
    FILE *f = fopen("/proc/sys/net/core/somaxconn", "re");
    if (f && fscanf(f, "%lu", &most) == 1 && most < o->backlog)
        log_line("backlog %lu is cut to %lu by net.core.somaxconn", (unsigned long)o->backlog,
                 most);
    if (f)
        fclose(f);
}

int listener_open_all(const struct options *o, int *fds, struct err *err)
{
    struct addrinfo *found;
    if (resolve(o, &found, err) != 0)
        return -1;
    int port = open_all(found, o, fds);
    if (port < 0)
        err_set(err, "can't listen on %s port %u: %s%s", o->host, (unsigned)o->port,
                strerror(errno), errno == EADDRINUSE ? " (see who: ss -ltnp)" : "");
    freeaddrinfo(found);
    warn_of_somaxconn(o);
    return port;
}
