/* tls: starts and ends the thread of a worker that stands before its engine (front.c). The engine,
   its connections and their timeouts know nothing of it, and the two share no memory but two flags:
   connections reach the engine as numbers of descriptors, through a pipe that it "listens" on. */
#include "lear/tls.h"

#include "http/err.h"
#include "lear/certificate.h"
#include "lear/front.h"
#include "lear/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS_NS            1000000ULL
#define DESCRIPTORS_KEPT 64 /* not for clients, each of which takes three */

struct tls {
    uint64_t connections; /* at once; 0: what descriptors allow */
    struct front front;
    pthread_t thread;
    bool running;
};

int tls_open(struct tls **to, const struct settings *s, struct err *err)
{
    *to = NULL;
    if (!s->tls_certificate)
        return 0;
    SSL_CTX *ctx = certificate_use(s, err);
    if (!ctx)
        return -1;
    *to = mem_get(sizeof **to);
    **to = (struct tls){.connections = s->options.max_connections,
                        .front = {.ctx = ctx,
                                  .greet_ns = s->options.header_timeout_ms * MS_NS,
                                  .leave_ns = s->options.write_timeout_ms * MS_NS,
                                  .grace_ns = s->options.grace_ms * MS_NS}};
    return 0;
}

void tls_close(struct tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->front.ctx);
    free(t);
}

void tls_hide(const struct tls *t)
{
#ifndef __SANITIZE_ADDRESS__ /* whose search for leaks looks into us from another process */
    if (t)
        prctl(PR_SET_DUMPABLE, 0);
#else
    (void)t;
#endif
}

static uint64_t max_tunnels(const struct tls *t)
{
    struct rlimit limit = {0};
    if (t->connections)
        return t->connections;
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 2 * DESCRIPTORS_KEPT ? (limit.rlim_cur - DESCRIPTORS_KEPT) / 3 : 16;
}

/* Without the option the kernel takes megabytes for a slow client, and while it does, nothing
   leaves the engine's socket, which would look to the engine as if the client took nothing.
   Inherited by what is accepted. */
static void limit_unsent(int listen_fd)
{
    const int unsent = 16384;
    setsockopt(listen_fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
}

/* Returns the engine's copy of the queue. */
static int prepare(struct front *f)
{
    f->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    f->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (f->epoll_fd < 0 || f->wake_fd < 0 || pipe2(f->queue, O_NONBLOCK | O_CLOEXEC) != 0 ||
        front_prepare(f) != 0)
        return -1;
    return fcntl(f->queue[0], F_DUPFD_CLOEXEC, 0);
}

int tls_start(struct tls *t, int listen_fd, struct err *err)
{
    if (!t)
        return listen_fd;
    t->front.listen_fd = listen_fd;
    t->front.max = max_tunnels(t);
    limit_unsent(listen_fd);
    int queue = prepare(&t->front);
    if (queue < 0)
        return err_set(err, "TLS can't start: %s", strerror(errno));
    int error = pthread_create(&t->thread, NULL, front_run, &t->front);
    if (error)
        return err_set(err, "TLS can't start: pthread_create: %s", strerror(error));
    t->running = true;
    return queue;
}

int tls_accept(int fd)
{
    int end;
    return read(fd, &end, sizeof end) == sizeof end ? end : -1;
}

static void wake(const struct front *f)
{
    const uint64_t once = 1;
    ssize_t n = write(f->wake_fd, &once, sizeof once); /* full: then it is awake anyway */
    (void)n;
}

void tls_finish(struct tls *t)
{
    if (!t)
        return;
    atomic_fetch_add(&t->front.asked, 1);
    wake(&t->front);
}

void tls_end(struct tls *t)
{
    if (!t || !t->running)
        return;
    atomic_store(&t->front.engine_end, true);
    wake(&t->front);
    pthread_join(t->thread, NULL);
    t->running = false;
    close(t->front.wake_fd);
    close(t->front.epoll_fd);
    close(t->front.queue[0]);
    close(t->front.queue[1]);
}
