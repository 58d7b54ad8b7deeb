/* socket_diag: asks the kernel for its TCP sockets by sock_diag(7). /proc/net/tcp says the same,
   but as text, and after a trial that closes each connection it has tens of thousands of lines. */
#ifndef LAB_SOCKET_DIAG_H
#define LAB_SOCKET_DIAG_H

struct inet_diag_msg;

/* Calls on for each TCP socket, IPv4 and IPv6, in one of the states (bits 1 << TCP_ESTABLISHED and
   so on of netinet/tcp.h). Returns 0, or -1 when the kernel wouldn't say. */
int socket_diag_each(unsigned states, void (*on)(void *arg, const struct inet_diag_msg *m),
                     void *arg);

/* Connections to a server's port that are open or were closed less than a minute ago (TIME_WAIT),
   each counted once. A connection that was reset leaves no trace. -1 = not known. */
long socket_diag_connections(unsigned server_port);

#endif
