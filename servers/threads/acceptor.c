/* acceptor: accepts, blocking, until its listener is shut down. What can't be had just now
   (descriptors, threads) is waited for: the clients wait in the listen queue meanwhile. */
#include "threads/acceptor.h"

#include "http/err.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REST_MS          50 /* before trying again */
#define COMPLAIN_REST_NS 10000000000ULL

static void rest(const char *what, int error)
{
    static _Thread_local uint64_t complained_ns;
    const struct timespec pause = {.tv_nsec = REST_MS * 1000000L};
    uint64_t now_ns = roster_now_ns();
    if (!complained_ns || now_ns - complained_ns > COMPLAIN_REST_NS) {
        complained_ns = now_ns;
        log_line("can't %s: %s; clients wait in the listen queue (raise ulimit -n, -u)", what,
                 strerror(error));
    }
    nanosleep(&pause, NULL);
}

/* The socket goes to a thread. Only a lack of threads can be in the way. */
static void hand_over(struct acceptor *a, int fd)
{
    struct caller *c = roster_take(a->roster, fd);
    if (!c) {
        close(fd);
        return;
    }
    for (int error; (error = caller_start(c, a->stack_size)) != 0;) {
        if (error != EAGAIN || roster_finishing(a->roster)) {
            c->counters.closed++;
            roster_give(c);
            return;
        }
        rest("start a thread", error);
    }
}

static void *run(void *arg)
{
    struct acceptor *a = arg;
    for (;;) {
        int fd = accept4(a->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            hand_over(a, fd);
        else if (errno == EINVAL) /* shut down */
            return NULL;
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            rest("accept", errno);
    }
}

int acceptor_start(struct acceptor *a, struct err *err)
{
    int flags = fcntl(a->listen_fd, F_GETFL);
    if (flags < 0 || fcntl(a->listen_fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
        return err_set(err, "the listener can't be made blocking: fcntl: %s", strerror(errno));
    int error = pthread_create(&a->thread, NULL, run, a);
    if (error)
        return err_set(err, "can't start a thread: %s (raise ulimit -u)", strerror(error));
    return 0;
}

void acceptor_stop(struct acceptor *a)
{
    shutdown(a->listen_fd, SHUT_RDWR);
    pthread_join(a->thread, NULL);
    close(a->listen_fd);
}
