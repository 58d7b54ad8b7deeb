/* process: parity's side of a kept child. The work is done by its keeper (keeper.c); this file
   forks keepers, gives them orders and reads what they tell. */
#include "lab/process.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "lab/account.h"
#include "lab/keeper.h"
#include "lab/leftovers.h"
#include "lab/program.h"
#include "lab/stop.h"
#include "model/strings.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    KEEPER_ANSWERS_MS = 15000, /* longer than the keeper itself tries (keeper.c) */
    CAPTURE_MAX = 1 << 20
};

int process_keep_children(struct err *e)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return err_set(e, EXIT_MACHINE, "cannot become a subreaper: %s", strerror(errno));
    return 0;
}

/* Opens a file for output, so that the user it runs as can open it again (/dev/stderr). */
static int open_output(const char *path, uid_t uid, struct err *e)
{
    const char *name = path ? path : "/dev/null";
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return err_set(e, EXIT_MACHINE, "cannot write %s: %s", name, strerror(errno));
    if (path && uid && fchown(fd, uid, account_group(uid)) < 0) {
        err_set(e, EXIT_MACHINE, "cannot give %s to user %u: %s", name, (unsigned)uid,
                strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

static bool overridden(const char *entry, const struct strings *env)
{
    size_t len = strcspn(entry, "=");
    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->item[i], entry, len) == 0 && env->item[i][len] == '=')
            return true;
    return false;
}

/* The program's environment: what the spec adds, else a fixed locale (numbers with a point,
   messages that can be recognized), the mark by which leftovers are known, and the rest of ours. */
static void make_env(struct strings *env, const struct process_spec *spec, bool other_user)
{
    for (size_t i = 0; spec->env && spec->env[i]; i++)
        strings_add(env, spec->env[i]);
    if (!overridden("LC_ALL=C", env))
        strings_add(env, "LC_ALL=C");
    strings_take(env, xasprintf("%s=%s", LEFTOVERS_VARIABLE, leftovers_mark()));
    if (other_user)
        strings_add(env, "HOME=/"); /* root's is closed to it */
    for (char **entry = environ; *entry; entry++)
        if (!overridden(*entry, env))
            strings_add(env, *entry);
}

static int fork_keeper(struct process *p, const struct keeper_job *job, struct err *e)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(e, EXIT_MACHINE, "cannot make a socket: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        keeper_run(pair[1], job);
    int saved = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return err_set(e, EXIT_MACHINE, "cannot fork: %s", strerror(saved));
    }
    p->keeper = pid;
    p->control = pair[0];
    return 0;
}

static void wait_pid(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
}

static void end_keeper(struct process *p)
{
    int rc = close(p->control);
    assert(rc == 0);
    wait_pid(p->keeper, NULL);
    p->keeper = 0;
    if (p->pid)
        leftovers_forget(p->pid);
}

static void close_pidfd(struct process *p)
{
    if (p->pidfd >= 0)
        close(p->pidfd);
    p->pidfd = -1;
}

/* The keeper is gone without a word. When it was killed, the program dies by its parent-death
   signal; it and its orphans are our children now, since we are a subreaper. The group's number
   can't name others while a child of ours is in it. */
static void take_over(struct process *p)
{
    siginfo_t info;
    end_keeper(p);
    if (waitid(P_PGID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        kill(-p->pid, SIGKILL);
    while (waitpid(-p->pid, NULL, 0) > 0 || errno == EINTR) {
    }
    if (!p->ended)
        p->status = SIGKILL;
    p->ended = true;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void take_news(struct process *p, const struct keeper_news *news)
{
    if (news->kind == KEEPER_ENDED) {
        p->ended = true;
        p->status = news->status;
        p->user_s = seconds(news->usage.ru_utime);
        p->system_s = seconds(news->usage.ru_stime);
        p->peak_rss_kib = news->usage.ru_maxrss;
    }
    if (news->kind == KEEPER_EMPTY || (news->kind == KEEPER_ENDED && news->last))
        end_keeper(p);
}

/* Waits for the keeper's next message. 1 = taken, 0 = none in time or interrupted, -1 = the keeper
   is gone. fd -1 = only the keeper. */
static int next_news(struct process *p, struct keeper_news *news, int fd, int timeout_ms)
{
    struct pollfd wait[] = {{.fd = p->control, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    if (poll(wait, 2, timeout_ms) <= 0 || !wait[0].revents)
        return 0;
    ssize_t n = recv(p->control, news, sizeof *news, MSG_DONTWAIT);
    /* A keeper that ended while an order was under way: that is said once, before its last words.
     */
    if (n < 0 && errno == ECONNRESET)
        n = recv(p->control, news, sizeof *news, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return n == sizeof *news ? 1 : -1;
}

static int explain_failure(const struct keeper_news *news, const char *name,
                           const struct process_spec *spec, struct err *e)
{
    const char *why = strerror(news->error);
    char user[64];
    account_name(spec->uid, user, sizeof user);
    switch (news->step) {
    case KEEPER_LIMIT:
        return err_set(e, EXIT_MACHINE,
                       "cannot start %s with %llu open files: %s; raise the hard limit "
                       "(ulimit -Hn) or use fewer connections",
                       name, (unsigned long long)spec->fds, why);
    case KEEPER_CPUS: return err_set(e, EXIT_MACHINE, "cannot bind %s to its CPUs: %s", name, why);
    case KEEPER_USER:
        return err_set(e, EXIT_MACHINE, "cannot run %s as user %s: %s", name, user, why);
    case KEEPER_CHDIR:
        return err_set(e, EXIT_MACHINE, "cannot start %s in folder %s: %s", name, spec->cwd, why);
    case KEEPER_EXEC:
        if (spec->uid && news->error == EACCES)
            return err_set(e, EXIT_MACHINE,
                           "user %s may not execute %s (%s): make it and the folders above it "
                           "accessible to that user",
                           user, name, why);
        return err_set(e, EXIT_MACHINE, "cannot execute %s: %s", name, why);
    case KEEPER_FORK: break;
    }
    return err_set(e, EXIT_MACHINE, "cannot start %s: %s", name, why);
}

static int await_start(struct process *p, const char *name, const struct process_spec *spec,
                       struct err *e)
{
    struct keeper_news news;
    int got;
    do
        got = next_news(p, &news, -1, KEEPER_ANSWERS_MS);
    while (got == 0);
    if (got < 0 || news.kind != KEEPER_STARTED) {
        if (got < 0)
            err_set(e, EXIT_MACHINE, "cannot start %s: its keeper was killed", name);
        else
            explain_failure(&news, name, spec, e);
        end_keeper(p);
        return -1;
    }
    p->pid = news.pid;
    p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    leftovers_note(p->pid);
    return 0;
}

/* out_fd -1 = the files of the spec. */
static int start(struct process *p, const struct process_spec *spec, int out_fd, struct err *e)
{
    uid_t uid = geteuid() == 0 ? spec->uid : 0;
    char *path = program_find(spec->argv[0]);
    struct strings env = {0};
    int rc = -1, out = out_fd, err = -1;
    *p = (struct process){.pidfd = -1};
    if (!path) {
        const char *why = strchr(spec->argv[0], '/') ? "no such executable file"
                                                     : "it is not installed (not in PATH)";
        return err_set(e, EXIT_MACHINE, "cannot execute %s: %s", spec->argv[0], why);
    }
    if (out < 0 && (out = open_output(spec->out_path, uid, e)) < 0)
        goto out;
    if (spec->err_path && (err = open_output(spec->err_path, uid, e)) < 0)
        goto out;
    make_env(&env, spec, uid != 0);
    struct keeper_job job = {.path = path,
                             .argv = spec->argv,
                             .env = env.item,
                             .cwd = spec->cwd,
                             .out_fd = out,
                             .err_fd = err < 0 ? out : err,
                             .cpus = spec->cpus,
                             .fds = spec->fds,
                             .uid = uid,
                             .gid = uid ? account_group(uid) : 0};
    rc = fork_keeper(p, &job, e);
    if (rc == 0)
        rc = await_start(p, path, spec, e);
out:
    if (out >= 0 && out != out_fd)
        close(out);
    if (err >= 0)
        close(err);
    strings_fini(&env);
    free(path);
    return rc;
}

int process_start(struct process *p, const struct process_spec *spec, struct err *e)
{
    return start(p, spec, -1, e);
}

static bool pidfd_says_ended(const struct process *p)
{
    struct pollfd look = {.fd = p->pidfd, .events = POLLIN};
    return poll(&look, 1, 0) > 0;
}

bool process_wait(struct process *p, unsigned timeout_ms)
{
    uint64_t end_ns = clock_ns() + (uint64_t)timeout_ms * 1000000;
    while (p->keeper && !p->ended) {
        struct keeper_news news;
        uint64_t now_ns = clock_ns();
        int left_ms = now_ns < end_ns ? (int)((end_ns - now_ns + 999999) / 1000000) : 0;
        /* Dead for sure: the keeper says at once how it died, and is waited for. */
        bool dead = pidfd_says_ended(p);
        int got = next_news(p, &news, dead ? -1 : stop_fd(), dead ? KEEPER_ANSWERS_MS : left_ms);
        if (got > 0)
            take_news(p, &news);
        else if (got < 0)
            take_over(p);
        else if (!dead && (stop_asked() || clock_ns() >= end_ns))
            return false;
    }
    if (p->ended)
        close_pidfd(p);
    return p->ended;
}

static void order(struct process *p, int sig, bool end, unsigned grace_ms)
{
    struct keeper_order message = {.sig = sig, .end = end, .grace_ms = grace_ms};
    send(p->control, &message, sizeof message, MSG_NOSIGNAL); /* a dead keeper is noticed below */
}

void process_signal(struct process *p, int sig)
{
    if (p->keeper)
        order(p, sig, false, 0);
}

int process_stop(struct process *p, int sig, unsigned grace_ms, struct err *e)
{
    if (p->keeper)
        order(p, sig, true, grace_ms);
    uint64_t end_ns = clock_ns() + (uint64_t)(grace_ms + KEEPER_ANSWERS_MS) * 1000000;
    int stops = stop_count(), rc = 0;
    while (p->keeper) {
        struct keeper_news news = {.kind = KEEPER_ENDED};
        int got = next_news(p, &news, -1, 100);
        if (got > 0)
            take_news(p, &news);
        else if (got < 0)
            take_over(p);
        else if (stop_count() > stops) {
            stops = stop_count();
            order(p, 0, true, 0);
        }
        if (p->keeper && (news.kind == KEEPER_STUCK || clock_ns() > end_ns)) {
            kill(p->keeper, SIGKILL);
            rc = err_set(e, EXIT_MACHINE,
                         "process %d can't be ended; look at it with ps -o stat,wchan",
                         (int)news.pid);
            end_keeper(p);
        }
    }
    if (p->pid)
        close_pidfd(p);
    return rc;
}

void process_explain(const struct process *p, char *to, size_t size)
{
    if (!WIFSIGNALED(p->status)) {
        snprintf(to, size, "exited with status %d", WEXITSTATUS(p->status));
        return;
    }
    const char *name = sigabbrev_np(WTERMSIG(p->status));
    if (name)
        snprintf(to, size, "killed by SIG%s", name);
    else
        snprintf(to, size, "killed by signal %d", WTERMSIG(p->status));
}

static char *read_memory(int fd)
{
    struct stat st;
    int rc = fstat(fd, &st);
    assert(rc == 0);
    size_t room = (size_t)(st.st_size < CAPTURE_MAX ? st.st_size : CAPTURE_MAX);
    char *text = xcalloc(room + 1, 1);
    ssize_t n = pread(fd, text, room, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

char *process_capture(char *const *argv, unsigned timeout_ms, int *status, struct err *e)
{
    struct process_spec spec = {.argv = argv};
    struct process p;
    char *text = NULL;
    /* A file, not a pipe: it takes any amount while nobody reads. */
    int fd = memfd_create("capture", MFD_CLOEXEC);
    if (fd < 0) {
        err_set(e, EXIT_MACHINE, "cannot make a memory file: %s", strerror(errno));
        return NULL;
    }
    if (start(&p, &spec, fd, e) == 0) {
        bool ended = process_wait(&p, timeout_ms);
        process_stop(&p, SIGKILL, 0, NULL);
        if (ended)
            text = read_memory(fd);
        else if (stop_asked())
            err_set(e, (enum exit_code)(128 + stop_asked()), "interrupted while %s ran", argv[0]);
        else
            err_set(e, EXIT_MACHINE, "%s did not end within %u ms", argv[0], timeout_ms);
        if (ended && status)
            *status = p.status;
    }
    close(fd);
    return text;
}
