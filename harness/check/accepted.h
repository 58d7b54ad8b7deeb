/* accepted: the server's ends of its connections, to see which worker took them. */
#ifndef CHECK_ACCEPTED_H
#define CHECK_ACCEPTED_H

#include <stddef.h>
#include <stdint.h>

struct accepted {
    struct accepted_end {
        uint64_t inode;
        unsigned client_port;
    } * end;
    size_t n;
};

/* Reads the established connections to a port, IPv4 and IPv6; none when the kernel doesn't say. */
void accepted_read(struct accepted *a, unsigned server_port);
void accepted_fini(struct accepted *a);

/* Inode of the server's end of the connection from that client port; 0 = not among them. */
uint64_t accepted_inode(const struct accepted *a, unsigned client_port);

#endif
