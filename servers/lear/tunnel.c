/* tunnel: decrypts one way, encrypts the other. Each way has at most one record (16 KiB) in hand,
   and reads no more before it has been written: whoever is slow slows the other side down, and
   memory is bounded. What ends is passed on as an end: the client's close_notify shuts the engine's
   socket down in that direction, the engine's end becomes a close_notify and a FIN. A client whose
   FIN comes without a close_notify is broken (RFC 8446 6.1).

   SSL_read of a whole record leaves nothing behind in OpenSSL (no read-ahead), so what is left is
   in the socket, where a level-triggered epoll sees it. */
#include "lear/tunnel.h"

#include "http/err.h"

#include <errno.h>
#include <stdlib.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECORD 16384 /* the longest (RFC 8446 5.1) */
#define ROUNDS 16    /* in a row, so that the others have their turn */

enum step {
    STEP_ON,
    STEP_WAIT,
    STEP_BROKEN
};

struct tunnel *tunnel_new(SSL_CTX *ctx, int client)
{
    SSL *ssl = SSL_new(ctx);
    if (!ssl || SSL_set_fd(ssl, client) != 1) {
        SSL_free(ssl);
        close(client);
        return NULL;
    }
    SSL_set_accept_state(ssl);
    struct tunnel *t = mem_get(sizeof *t);
    *t = (struct tunnel){.ssl = ssl, .client = client, .plain = -1};
    return t;
}

void tunnel_free(struct tunnel *t, bool reset)
{
    const struct linger linger = {.l_onoff = 1, .l_linger = 0};
    if (reset)
        setsockopt(t->client, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    SSL_free(t->ssl);
    close(t->client);
    if (t->plain >= 0)
        close(t->plain);
    free(t->in.p);
    free(t->out.p);
    free(t);
}

int tunnel_connect(struct tunnel *t)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    t->plain = ends[0];
    return ends[1];
}

static char *flow_room(struct flow *f)
{
    if (!f->p)
        f->p = mem_get(RECORD);
    f->at = 0;
    return f->p;
}

static void flow_take(struct flow *f, size_t n)
{
    f->at += n;
    f->n -= n;
}

/* An idle connection keeps no memory. */
static void flow_settle(struct flow *f)
{
    if (f->n > 0)
        return;
    free(f->p);
    f->p = NULL;
}

/* What OpenSSL waits for after a call that returned this; STEP_BROKEN: nothing can help. */
static enum step await_client(struct tunnel *t, int returned)
{
    switch (SSL_get_error(t->ssl, returned)) {
    case SSL_ERROR_WANT_READ: t->client_wants |= EPOLLIN; return STEP_WAIT;
    case SSL_ERROR_WANT_WRITE: t->client_wants |= EPOLLOUT; return STEP_WAIT;
    default: return STEP_BROKEN;
    }
}

static enum step from_client(struct tunnel *t)
{
    if (t->in_ended || t->served)
        return STEP_WAIT;
    ERR_clear_error();
    int n = SSL_read(t->ssl, flow_room(&t->in), RECORD);
    if (n > 0) {
        t->in.n = (size_t)n;
        return STEP_ON;
    }
    if (SSL_get_error(t->ssl, n) != SSL_ERROR_ZERO_RETURN)
        return await_client(t, n);
    t->in_ended = true;
    shutdown(t->plain, SHUT_WR);
    return STEP_WAIT;
}

static enum step to_plain(struct tunnel *t)
{
    ssize_t n = send(t->plain, t->in.p + t->in.at, t->in.n, MSG_NOSIGNAL);
    if (n >= 0) {
        flow_take(&t->in, (size_t)n);
        return STEP_ON;
    }
    if (errno == EAGAIN || errno == EINTR) {
        t->plain_wants |= EPOLLOUT;
        return STEP_WAIT;
    }
    t->served = true; /* nobody listens any more; its last answer may still be on the way */
    t->in.n = 0;
    return STEP_WAIT;
}

/* The engine's close with bytes unread shows as ECONNRESET, behind all that it had sent. */
static enum step from_plain(struct tunnel *t)
{
    ssize_t n = recv(t->plain, flow_room(&t->out), RECORD, 0);
    if (n > 0) {
        t->out.n = (size_t)n;
        return STEP_ON;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR) && !t->served) {
        t->plain_wants |= EPOLLIN;
        return STEP_WAIT;
    }
    t->plain_ended = true;
    return STEP_ON;
}

static enum step to_client(struct tunnel *t)
{
    ERR_clear_error();
    int n = SSL_write(t->ssl, t->out.p + t->out.at, (int)t->out.n);
    if (n <= 0)
        return await_client(t, n);
    flow_take(&t->out, (size_t)n);
    return STEP_ON;
}

/* close_notify and FIN: our direction has ended, the client's goes on. */
static enum step end_client(struct tunnel *t)
{
    ERR_clear_error();
    int done = SSL_shutdown(t->ssl);
    if (done < 0)
        return await_client(t, done);
    t->out_ended = true;
    shutdown(t->client, SHUT_WR);
    return STEP_WAIT;
}

static enum step inward(struct tunnel *t)
{
    enum step step = STEP_ON;
    for (int i = 0; i < ROUNDS && step == STEP_ON; i++)
        step = t->in.n > 0 ? to_plain(t) : from_client(t);
    if (step == STEP_ON) /* more next time */
        *(t->in.n > 0 ? &t->plain_wants : &t->client_wants) |= t->in.n > 0 ? EPOLLOUT : EPOLLIN;
    flow_settle(&t->in);
    return step;
}

static enum step outward(struct tunnel *t)
{
    enum step step = t->out_ended ? STEP_WAIT : STEP_ON;
    for (int i = 0; i < ROUNDS && step == STEP_ON; i++) {
        if (t->out.n > 0)
            step = to_client(t);
        else
            step = t->plain_ended ? end_client(t) : from_plain(t);
    }
    if (step == STEP_ON) /* more next time: plain may no longer be watched, the client always is */
        t->client_wants |= EPOLLOUT;
    flow_settle(&t->out);
    return step;
}

static enum tunnel_state greet(struct tunnel *t)
{
    ERR_clear_error();
    int done = SSL_do_handshake(t->ssl);
    if (done == 1)
        return TUNNEL_GREETED;
    return await_client(t, done) == STEP_WAIT ? TUNNEL_GOES_ON : TUNNEL_OVER;
}

enum tunnel_state tunnel_work(struct tunnel *t)
{
    t->client_wants = t->plain_wants = 0;
    if (t->plain < 0)
        return greet(t);
    if (inward(t) == STEP_BROKEN || outward(t) == STEP_BROKEN)
        return TUNNEL_OVER;
    return t->out_ended && (t->served || t->in_ended) ? TUNNEL_OVER : TUNNEL_GOES_ON;
}
