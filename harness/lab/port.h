/* port: a free port for a server, and whether who listens there is ours. */
#ifndef LAB_PORT_H
#define LAB_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;

/* Ports to choose from: below the range of outgoing connections (text of ip_local_port_range), so
   that none of them holds one by chance; above it where nothing is left below. false = the range
   leaves none, then all unprivileged ports are candidates. */
bool port_candidates(const char *range_text, unsigned *first, unsigned *last);

/* A port that nobody is bound to, also not by a connection in TIME_WAIT; a random one of the
   candidates. Between this and the server's own bind somebody may take it: the server's start is
   then repeated with another. Returns it, or -1 with err set. */
int port_pick(struct err *e);

/* Does anybody listen where a client of 127.0.0.1:port comes? who (size bytes) names him: "nginx
   (process 123 of user root)". */
bool port_has_listener(unsigned port, char *who, size_t size);

/* May a server with SO_REUSEADDR bind this port now? false: why (size bytes) names who holds it. */
bool port_is_free(unsigned port, char *why, size_t size);

/* Are all listeners that a client of 127.0.0.1:port reaches held by root or its descendants?
   1 = yes; 0 = a foreign one, named in who (size bytes); -1 = nobody listens. */
int port_is_ours(unsigned port, pid_t root, char *who, size_t size);

/* Ports that root or its descendants listen on, as "8080, 8081"; "" = none. */
void port_list_ours(pid_t root, char *to, size_t size);

#endif
