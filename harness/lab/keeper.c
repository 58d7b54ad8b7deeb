/* keeper: why nothing is left behind, whoever is killed with SIGKILL.

   A parent-death signal reaches the direct child only, and a process group forgets whoever calls
   setsid(): neither ends nginx's workers when their master was killed, nor a server that made
   itself a daemon. So each program gets a keeper, its parent and the subreaper (prctl(2)) of all
   that descends from it:

       parity ---socket--- keeper --- program --- its workers ...

   Orphans come to the keeper, so "no child left" (ECHILD) proves that everything is gone. When the
   socket closes, parity has died and the keeper kills all. When the keeper itself is killed, the
   program has its parent-death signal and orphans go to parity, a subreaper too (process.c).
   A keeper sleeps in poll() while the program runs: it costs nothing during a measurement. */
#include "lab/keeper.h"

#include "base/clock.h"
#include "lab/account.h"
#include "lab/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CONTROL_FD = 3, /* after arrange_descriptors */
    KILL_EVERY_MS = 10,
    GIVE_UP_MS = 10000 /* something in uninterruptible sleep: say so rather than wait for ever */
};

struct keeper {
    pid_t pid; /* the program */
    int child_fd;
    bool ended, empty, orphaned, ending;
    uint64_t kill_ns, give_up_ns;
};

static void tell(const struct keeper *k, struct keeper_news *news)
{
    if (!k->orphaned)
        send(CONTROL_FD, news, sizeof *news, MSG_NOSIGNAL);
}

static int raise_limit(uint64_t fds)
{
    struct rlimit limit;
    if (!fds || getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= fds)
        return 0;
    limit.rlim_cur = fds;
    if (limit.rlim_max < fds)
        limit.rlim_max = fds; /* root may */
    return setrlimit(RLIMIT_NOFILE, &limit);
}

/* Becomes the program. Returns only on failure, with errno and the step that failed. */
static enum keeper_step become_program(const struct keeper_job *job, pid_t keeper)
{
    setpgid(0, 0);
    if (raise_limit(job->fds) < 0)
        return KEEPER_LIMIT;
    if (job->cpus && sched_setaffinity(0, sizeof *job->cpus, job->cpus) < 0)
        return KEEPER_CPUS;
    if (job->uid && account_become(job->uid, job->gid) < 0)
        return KEEPER_USER;
    /* After the change of user, which clears it (prctl(2)); the keeper may have died already. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(127);
    if (job->cwd && chdir(job->cwd) < 0)
        return KEEPER_CHDIR;
    umask(022);
    execve(job->path, job->argv, job->env);
    return KEEPER_EXEC;
}

static void default_signals(void)
{
    /* The kernel's own call, for glibc lets nobody touch 32 and 33, which its posix_spawn leaves
       ignored in what make(1) starts. All zero is SIG_DFL without flags; 8 is the size of the
       kernel's set. */
    static const unsigned long by_default[4];
    for (int sig = 1; sig <= 64; sig++)
        syscall(SYS_rt_sigaction, sig, by_default, NULL, 8);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

struct failure {
    enum keeper_step step;
    int error;
};

/* Forks the program and waits until it is executed (the pipe closes) or says what failed. */
static void start_program(struct keeper *k, const struct keeper_job *job)
{
    struct keeper_news news = {.kind = KEEPER_FAILED, .step = KEEPER_FORK};
    struct failure failure;
    int ready[2];
    pid_t keeper = getpid();
    if (pipe2(ready, O_CLOEXEC) < 0 || (k->pid = fork()) < 0) {
        news.error = errno;
        tell(k, &news);
        _exit(1);
    }
    if (k->pid == 0) {
        default_signals();
        failure.step = become_program(job, keeper);
        failure.error = errno;
        ssize_t n = write(ready[1], &failure, sizeof failure);
        _exit(n == sizeof failure ? 127 : 126);
    }
    setpgid(k->pid, k->pid); /* both do it: whoever is first, it is done for both */
    close(ready[1]);
    ssize_t n;
    while ((n = read(ready[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    close(ready[0]);
    if (n == sizeof failure) {
        waitpid(k->pid, NULL, 0);
        news.step = failure.step;
        news.error = failure.error;
        tell(k, &news);
        _exit(0);
    }
    news.kind = KEEPER_STARTED;
    news.pid = k->pid;
    tell(k, &news);
}

static void reap(struct keeper *k)
{
    struct keeper_news news = {.kind = KEEPER_ENDED, .pid = k->pid};
    struct rusage usage;
    bool ended_now = false;
    pid_t pid;
    int status;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
        if (pid == k->pid) {
            ended_now = k->ended = true;
            news.status = status;
            news.usage = usage;
        }
    k->empty = pid < 0 && errno == ECHILD;
    if (!ended_now)
        return;
    news.last = k->empty;
    tell(k, &news);
}

/* To the group while its leader lives, and to each child outside of it. Once the leader is reaped
   its number may name somebody else's group: then to our own children only, whose numbers can't be
   reused before we reap them. Deeper ones come to us as their parents die. */
static void signal_all(const struct keeper *k, int sig, pid_t *survivor)
{
    if (!k->ended)
        kill(-k->pid, sig);
    size_t n;
    pid_t self = getpid();
    struct procfs_stat *all = procfs_all(&n);
    for (size_t i = 0; i < n; i++) {
        if (all[i].parent != self)
            continue;
        *survivor = all[i].pid;
        if (k->ended || all[i].group != k->pid)
            kill(all[i].pid, sig);
    }
    free(all);
}

static void begin_end(struct keeper *k, unsigned grace_ms)
{
    k->kill_ns = clock_ns() + (uint64_t)grace_ms * 1000000;
    k->give_up_ns = k->kill_ns + (uint64_t)GIVE_UP_MS * 1000000;
    k->ending = true;
}

static void take_order(struct keeper *k)
{
    struct keeper_order order;
    pid_t survivor;
    ssize_t n = recv(CONTROL_FD, &order, sizeof order, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n != sizeof order) {
        k->orphaned = true;
        begin_end(k, 0);
        return;
    }
    if (order.sig)
        signal_all(k, order.sig, &survivor);
    if (order.end)
        begin_end(k, order.grace_ms);
}

static void kill_when_due(struct keeper *k)
{
    struct keeper_news news = {.kind = KEEPER_STUCK, .pid = k->pid};
    uint64_t now_ns = clock_ns();
    if (!k->ending || now_ns < k->kill_ns)
        return;
    signal_all(k, SIGKILL, &news.pid);
    k->kill_ns = now_ns + (uint64_t)KILL_EVERY_MS * 1000000;
    if (now_ns < k->give_up_ns)
        return;
    tell(k, &news);
    _exit(1);
}

static int wait_ms(const struct keeper *k)
{
    uint64_t now_ns = clock_ns();
    if (!k->ending)
        return -1;
    return k->kill_ns <= now_ns ? 0 : (int)((k->kill_ns - now_ns + 999999) / 1000000);
}

static void keep(struct keeper *k)
{
    struct keeper_news news = {.kind = KEEPER_EMPTY, .pid = k->pid};
    struct signalfd_siginfo info;
    for (;;) {
        struct pollfd wait[] = {{.fd = k->child_fd, .events = POLLIN},
                                {.fd = k->orphaned ? -1 : CONTROL_FD, .events = POLLIN}};
        poll(wait, 2, wait_ms(k));
        while (read(k->child_fd, &info, sizeof info) > 0) {
        }
        reap(k);
        if (k->empty) {
            if (k->ending)
                tell(k, &news);
            _exit(0);
        }
        if (wait[1].revents)
            take_order(k);
        kill_when_due(k);
    }
}

/* 0 null, 1 and 2 the program's output, 3 the control socket, nothing else: above all no end of
   another keeper's socket, which would hide parity's death from it. */
static void arrange_descriptors(int control, const struct keeper_job *job)
{
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    int from[] = {null_fd, job->out_fd, job->err_fd, control};
    for (int i = 0; i < 4; i++)
        from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 10); /* out of the way of 0 to 3 */
    for (int i = 0; i < 4; i++)
        if (dup3(from[i], i, i == CONTROL_FD ? O_CLOEXEC : 0) < 0)
            _exit(126);
    if (close_range(CONTROL_FD + 1, ~0U, 0) == 0)
        return;
    /* Older container runtimes forbid the system call. */
    for (long fd = CONTROL_FD + 1, end = sysconf(_SC_OPEN_MAX); fd < end; fd++)
        close((int)fd);
}

_Noreturn void keeper_run(int control, const struct keeper_job *job)
{
    struct keeper k = {.pid = 0};
    sigset_t mask;
    /* A session of its own: neither the terminal's Ctrl-C nor a kill of parity's group is meant
       for it. */
    setsid();
    prctl(PR_SET_NAME, "parity-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    arrange_descriptors(control, job);
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGPIPE ? SIG_IGN
                                                                                       : SIG_DFL);
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    k.child_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    start_program(&k, job);
    keep(&k);
    _exit(0);
}
