/* limits: connections of a generator against the machine's descriptors and ports.

   With a connection for each request, who closes first keeps the TIME_WAIT. Seen with 1001 ports
   and tcp_tw_reuse=0: ab (HTTP/1.0, reads until the server closes) made 42000 requests in 2 s
   without a failure, since its ports are free at once and a new SYN replaces the server's TIME_WAIT
   (RFC 6191). wrk closes as soon as the answer is complete and often comes first. So a bound on
   requests would cut good runs short; instead a run waits beforehand until ports are free, and when
   connecting fails beyond the bound, the ports are named as the cause.
   Spreading over 127.0.0.x would need servers that listen on all of 127.0.0.0/8; they don't. */
#include "load/limits.h"

#include "base/alloc.h"
#include "base/file.h"
#include "lab/stop.h"
#include "load/generator.h"
#include "load/line.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const double time_wait_s = 60; /* TCP_TIMEWAIT_LEN of include/net/tcp.h */
static const double reused_s = 1;     /* tcp_tw_reuse, Documentation/networking/ip-sysctl.rst */

static char *read_proc(const char *proc_root, const char *below)
{
    char *path = xasprintf("%s/%s", proc_root, below);
    char *text = file_read(path, NULL, NULL);
    free(path);
    return text;
}

static long read_number(const char *proc_root, const char *below, long otherwise)
{
    char *text = read_proc(proc_root, below);
    long n = text ? strtol(text, NULL, 10) : otherwise;
    free(text);
    return n;
}

/* How many ports of low..high a list like "8080,9000-9010" takes. */
static int64_t reserved(const char *list, long low, long high)
{
    int64_t n = 0;
    while (*list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            break;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        first = first < low ? low : first;
        last = last > high ? high : last;
        n += last >= first ? last - first + 1 : 0;
        list = *end == ',' ? end + 1 : end;
    }
    return n;
}

static int64_t read_ports(const char *proc_root)
{
    char *range = read_proc(proc_root, "sys/net/ipv4/ip_local_port_range");
    char *taken = read_proc(proc_root, "sys/net/ipv4/ip_local_reserved_ports");
    char *end = range;
    long low = range ? strtol(range, &end, 10) : 0;
    long high = range ? strtol(end, NULL, 10) : 0;
    int64_t n = low > 0 && high >= low ? high - low + 1 : -1;
    if (n > 0 && taken)
        n -= reserved(taken, low, high);
    free(range);
    free(taken);
    return n;
}

void limits_read(struct limits *l, const char *proc_root)
{
    struct rlimit fds = {0, 0};
    getrlimit(RLIMIT_NOFILE, &fds);
    l->fds_hard = fds.rlim_max;
    l->ports = read_ports(proc_root);
    /* 1 = everywhere, 2 = on loopback, the default since Linux 4.19; it needs timestamps. */
    bool reused = read_number(proc_root, "sys/net/ipv4/tcp_tw_reuse", 0) > 0 &&
                  read_number(proc_root, "sys/net/ipv4/tcp_timestamps", 1) > 0;
    l->reuse_s = reused ? reused_s : time_wait_s;
}

char *limits_refuse(const struct limits *l, const struct load *load)
{
    uint64_t fds = (uint64_t)load->connections + LIMITS_FDS_RESERVE;
    if (fds > l->fds_hard)
        return xasprintf(
            "fd_limit: %u connections need %llu file descriptors, the hard limit is %llu: raise "
            "it (ulimit -Hn) or use fewer connections",
            load->connections, (unsigned long long)fds, (unsigned long long)l->fds_hard);
    if (l->ports >= 0 && load->connections > l->ports)
        return xasprintf(
            "ports: %u connections to one address need as many ephemeral ports, there are "
            "%lld (net.ipv4.ip_local_port_range)",
            load->connections, (long long)l->ports);
    return NULL;
}

int64_t load_close_requests_limit(const struct limits *l, double duration_s)
{
    return l->ports < 0 ? -1 : l->ports * (1 + (int64_t)floor(duration_s / l->reuse_s));
}

int64_t limits_waiting_ports(const char *proc_root, const struct sockaddr_in *to)
{
    char *text = read_proc(proc_root, "net/tcp");
    const char *cursor = text;
    struct line l;
    int64_t n = 0;
    if (!text)
        return -1;
    while (line_next(&cursor, &l)) {
        unsigned address, port, state;
        /* "0: 0100007F:8000 0100007F:1F90 06 ...": ours, theirs, state (6 = TIME_WAIT); the address
           is printed as a native number, the port in network order (Documentation/.../proc_net_tcp)
         */
        if (sscanf(l.at, "%*u: %*8x:%*4x %8x:%4x %2x", &address, &port, &state) == 3 &&
            state == 6 && address == to->sin_addr.s_addr && port == ntohs(to->sin_port))
            n++;
    }
    free(text);
    return n;
}

void limits_settle(const struct limits *l, const struct load *load)
{
    if (load->keepalive || l->ports < 0 || l->reuse_s <= reused_s)
        return;
    for (int tries = 0; tries < 2 * (int)time_wait_s + 2; tries++)
        if (limits_waiting_ports("/proc", &load->address) <= l->ports / 2 || !stop_sleep_ms(500))
            return;
}
