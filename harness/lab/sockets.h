/* sockets: TCP listeners of this machine and whose they are. */
#ifndef LAB_SOCKETS_H
#define LAB_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct listener {
    unsigned port;
    bool local; /* takes connections to 127.0.0.1: bound to it or to any address */
    uint64_t inode;
    uid_t uid;
};

/* Adds the listeners in the text of /proc/net/tcp or tcp6 (v6 says which) to a list; a line that
   can't be read is skipped. */
void sockets_parse(struct listener **list, size_t *n, const char *text, bool v6);

/* Listeners now that a client of 127.0.0.1:port reaches, IPv4 and IPv6; port 0 = on any port. The
   caller frees. */
struct listener *sockets_listeners(unsigned port, size_t *n);

/* Does this process have that socket open? Of another user's process only root sees it. */
bool sockets_held_by(uint64_t inode, pid_t pid);

/* The first process that has it open; 0 = none that we may see. */
pid_t sockets_owner(uint64_t inode);

/* Effective backlog of the listener on 127.0.0.1:port or any address (the smallest of several),
   from the kernel's socket diagnosis (sock_diag(7)); -1 = not known. */
int sockets_backlog(unsigned port);

#endif
