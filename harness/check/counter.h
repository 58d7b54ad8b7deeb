/* counter: how many requests a server says it has answered. */
#ifndef CHECK_COUNTER_H
#define CHECK_COUNTER_H

struct server;

/* Asks as the manifest's counter says. NaN when the server tells nobody, or doesn't answer so. The
   asking is a request too: the difference of two readings has one more than was answered between
   them. */
double counter_read(const struct server *s);

#endif
