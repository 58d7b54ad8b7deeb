/* source: addresses to connect from. A pair of addresses has some 28000 ports; with a connection
   per request they run out in seconds, each closed one staying taken for a minute (TIME-WAIT, RFC
   9293 section 3.6). */
#ifndef VOLLEY_SOURCE_H
#define VOLLEY_SOURCE_H

#include <sys/socket.h>

struct err;

enum {
    SOURCE_MAX = 64
};

/* Reads "auto" (127.0.0.2 to 127.0.0.17) or "ADDR,ADDR..."; family: that of the targets. Returns
   how many were written to list, or -1 with err set (EXIT_USAGE). */
int source_parse(const char *text, int family, struct sockaddr_storage list[SOURCE_MAX],
                 struct err *e);

#endif
