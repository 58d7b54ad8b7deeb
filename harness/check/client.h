/* client: a raw HTTP/1.x client for the checks. Sends bytes as given, reads whole answers; every
   step is bounded in time and in size. */
#ifndef CHECK_CLIENT_H
#define CHECK_CLIENT_H

#include "check/answer.h"

#include <netinet/in.h>

enum client_end {
    CLIENT_OK,
    CLIENT_CLOSED,   /* the server closed before the answer was whole */
    CLIENT_TIMEOUT,  /* nothing more came in time */
    CLIENT_MALFORMED /* what came is no answer */
};

struct client {
    int fd; /* -1 = closed */
    unsigned timeout_ms;
    char *in; /* received and not yet taken */
    size_t in_len, in_room;
    bool eof;          /* the server has closed its side */
    bool reset;        /* it did so with RST */
    uint64_t sent_ns;  /* when the last client_send began */
    char problem[160]; /* in words, of the last thing that failed */
};

/* Connects within timeout_ms, which also bounds each later step. Returns 0, or -1 with c->problem
   set. client_close frees after either. */
int client_open(struct client *c, const struct sockaddr_in *to, unsigned timeout_ms);
void client_close(struct client *c); /* safe twice */

/* Sends all bytes, reading what comes meanwhile. Returns 0 or -1; an answer may be there in spite
   of a failure (a server may refuse a body early). */
int client_send(struct client *c, const void *data, size_t len);

/* Reads one answer. *a is safe for answer_fini afterwards in any case. */
enum client_end client_receive(struct client *c, bool to_head, struct answer *a);

/* client_send and client_receive of text. */
enum client_end client_ask(struct client *c, const char *request, struct answer *a);

/* Waits up to wait_ms for the first bytes that are not taken yet. true = they are there. */
bool client_await_input(struct client *c, unsigned wait_ms);

/* Waits up to wait_ms for the server to close. 1 = closed with nothing more sent; 0 = still open;
   -1 = it sent bytes that nobody asked for (c->problem). */
int client_await_close(struct client *c, unsigned wait_ms);

/* Asks the kernel to delay its acknowledgements, as it does on connections that are used for
   longer: makes small writes without TCP_NODELAY visible from the first request on (tcp(7)
   TCP_QUICKACK). */
void client_delay_acks(struct client *c);

#endif
