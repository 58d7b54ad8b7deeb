/* limits: what this machine allows a generator: file descriptors and ephemeral ports. */
#ifndef LOAD_LIMITS_H
#define LOAD_LIMITS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct load;

enum {
    LIMITS_FDS_RESERVE = 64 /* a generator's own: libraries, epoll and event descriptors, files */
};

struct limits {
    uint64_t fds_hard; /* hard RLIMIT_NOFILE */
    int64_t ports;     /* ephemeral ports towards one address; -1 = not known */
    double reuse_s;    /* until a port in TIME_WAIT can be used again */
};

/* proc_root is "/proc", in tests a copy of it. */
void limits_read(struct limits *l, const char *proc_root);

/* Why so many connections can't be opened at once, or NULL (caller frees). */
char *limits_refuse(const struct limits *l, const struct load *load);

/* Requests that surely find a port in duration_s with a connection each, even when the generator
   always closes first and so keeps the port in TIME_WAIT. Beyond it they may not; -1 = not known.
 */
int64_t load_close_requests_limit(const struct limits *l, double duration_s);

/* Our ports in TIME_WAIT towards an address; -1 = not known. */
int64_t limits_waiting_ports(const char *proc_root, const struct sockaddr_in *to);

/* Waits until at least half of the ports towards the load's address are free, at most as long as a
   TIME_WAIT lasts. Returns at once where TIME_WAIT ports are reused, and when a stop is asked. */
void limits_settle(const struct limits *l, const struct load *load);

#endif
