/* supervise: keeps as many workers as there are listeners. A dead one is replaced on the same
   listener, whose queue of clients outlives it, and why it died is logged. One that dies young is
   replaced only after a pause, so that a fault at start doesn't become a storm of forks. */
#include "http/worker.h"

#include "http/err.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_S       1 /* dying within so long of its start earns a pause as long */
#define KILL_MARGIN_S 2 /* after the grace time, before SIGKILL */

struct child {
    pid_t pid; /* 0: none */
    time_t started;
    int listen_fd;
};

struct keeper {
    const struct options *options;
    const struct service *service;
    struct counters_board *board;
    struct child *children;
    sigset_t signals;
    time_t kill_at; /* 0: not stopping */
};

static time_t now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* The worker's side of fork(): never returns. */
static void become_worker(struct keeper *k, unsigned index, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a supervisor that was killed leaves no workers behind */
    if (getppid() != parent)
        _exit(0);
    for (unsigned i = 0; i < k->options->workers; i++)
        if (i != index)
            close(k->children[i].listen_fd);
    struct seat seat = {k->board, index, k->children[index].listen_fd};
    free(k->children);
    struct err err = {0};
    int failed = worker_run(k->options, k->service, &seat, &err);
    if (failed)
        log_line("worker %u: %s", index, err.text);
    exit(failed ? 1 : 0);
}

static void start(struct keeper *k, unsigned index)
{
    pid_t parent = getpid();
    struct child *c = &k->children[index];
    c->started = now_s();
    c->pid = fork();
    if (c->pid == 0)
        become_worker(k, index, parent);
    if (c->pid < 0) {
        log_line("can't start worker %u: fork: %s", index, strerror(errno));
        c->pid = 0;
    }
}

static void say_why(unsigned index, pid_t pid, int status)
{
    if (WIFSIGNALED(status))
        log_line("worker %u (pid %d) died: signal %d (%s)%s", index, (int)pid, WTERMSIG(status),
                 strsignal(WTERMSIG(status)), WCOREDUMP(status) ? ", core dumped" : "");
    else
        log_line("worker %u (pid %d) died: exit status %d", index, (int)pid, WEXITSTATUS(status));
}

/* Connections of a dead worker are gone with it. */
static void settle_counters(struct counters *c)
{
    c->closed = c->accepted;
    c->pid = 0;
}

static void reap(struct keeper *k)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (unsigned i = 0; i < k->options->workers; i++) {
            if (k->children[i].pid != pid)
                continue;
            k->children[i].pid = 0;
            settle_counters(&k->board->of[i]);
            if (!k->kill_at || status)
                say_why(i, pid, status);
        }
    }
}

/* Starts what is missing. Returns whether some must wait. */
static bool replace(struct keeper *k)
{
    bool waiting = false;
    for (unsigned i = 0; i < k->options->workers; i++) {
        struct child *c = &k->children[i];
        if (c->pid)
            continue;
        if (now_s() - c->started <= YOUNG_S) {
            waiting = true;
            continue;
        }
        start(k, i);
        k->board->restarts++;
        log_line("worker %u replaced by pid %d", i, (int)c->pid);
    }
    return waiting;
}

static void signal_all(const struct keeper *k, int signal)
{
    for (unsigned i = 0; i < k->options->workers; i++)
        if (k->children[i].pid)
            kill(k->children[i].pid, signal);
}

static bool any_left(const struct keeper *k)
{
    for (unsigned i = 0; i < k->options->workers; i++)
        if (k->children[i].pid)
            return true;
    return false;
}

/* The listeners go first: a connection that no worker will take must not be queued. */
static void begin_end(struct keeper *k)
{
    if (k->kill_at) { /* asked twice: at once */
        signal_all(k, SIGKILL);
        return;
    }
    for (unsigned i = 0; i < k->options->workers; i++)
        close(k->children[i].listen_fd);
    k->kill_at = now_s() + (time_t)(k->options->grace_ms / 1000) + KILL_MARGIN_S;
    signal_all(k, SIGTERM);
}

static void watch(struct keeper *k)
{
    bool waiting = false;
    while (!k->kill_at || any_left(k)) {
        struct timespec pause = {.tv_sec = 1};
        bool timed = waiting || k->kill_at;
        int signal =
            timed ? sigtimedwait(&k->signals, NULL, &pause) : sigwaitinfo(&k->signals, NULL);
        if (signal == SIGTERM || signal == SIGINT)
            begin_end(k);
        reap(k);
        if (!k->kill_at)
            waiting = replace(k);
        else if (now_s() >= k->kill_at)
            signal_all(k, SIGKILL);
    }
}

int supervise(const struct options *o, const struct service *service, struct counters_board *board,
              const int *listen_fds)
{
    struct keeper k = {.options = o, .service = service, .board = board};
    k.children = mem_get(o->workers * sizeof *k.children);
    sigemptyset(&k.signals);
    sigaddset(&k.signals, SIGCHLD);
    sigaddset(&k.signals, SIGTERM);
    sigaddset(&k.signals, SIGINT);
    sigprocmask(SIG_BLOCK, &k.signals, NULL);
    for (unsigned i = 0; i < o->workers; i++)
        k.children[i] = (struct child){.listen_fd = listen_fds[i]};
    for (unsigned i = 0; i < o->workers; i++)
        start(&k, i);
    watch(&k);
    free(k.children);
    return 0;
}
