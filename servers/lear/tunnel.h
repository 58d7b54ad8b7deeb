/* tunnel: one TLS client and the socket on which the engine serves it in the clear. */
#ifndef LEAR_TUNNEL_H
#define LEAR_TUNNEL_H

#include <openssl/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* Bytes that have been read and not yet written. */
struct flow {
    char *p; /* NULL while there are none */
    size_t at, n;
};

TAILQ_HEAD(tunnels, tunnel);

struct tunnel {
    SSL *ssl;
    int client;
    int plain; /* our end of the pair whose other one is the engine's; -1 until the handshake is
                  over */
    struct flow in, out; /* to the engine, to the client */
    bool in_ended;       /* the client has ended its direction, the engine knows */
    bool plain_ended;    /* the engine has ended its direction */
    bool out_ended;      /* and the client knows */
    bool served;         /* the engine has closed: set by whoever sees EPOLLHUP on plain, too */
    uint32_t client_wants, plain_wants; /* events for epoll, level-triggered, after tunnel_work() */
    uint32_t client_has, plain_has;     /* the owner's: what epoll was told */
    uint64_t deadline_ns;               /* the owner's, as list and place */
    struct tunnels *list;
    TAILQ_ENTRY(tunnel) place;
};

enum tunnel_state {
    TUNNEL_GOES_ON, /* when what it wants has come */
    TUNNEL_GREETED, /* the handshake is over: tunnel_connect(), then work again */
    TUNNEL_OVER     /* all is said, or it is broken */
};

/* Takes client, a non-blocking socket; NULL, with client closed: no memory. */
struct tunnel *tunnel_new(SSL_CTX *ctx, int client);

/* Closes and frees. reset: so that the client can't take what it has for the whole. */
void tunnel_free(struct tunnel *t, bool reset);

/* Makes the pair. Returns the engine's end, the caller's; -1 with errno set. */
int tunnel_connect(struct tunnel *t);

/* Moves what can be moved, up to some number of rounds, both ways. */
enum tunnel_state tunnel_work(struct tunnel *t);

#endif
