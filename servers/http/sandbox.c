/* sandbox: root is given up when nothing needs it any more, and with --seccomp all system calls but
   those that serving needs: a mistake in the parser can then not start a program or open a socket.
 */
#include "http/sandbox.h"

#include "http/err.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int sandbox_drop_root(const char *user, struct err *err)
{
    if (geteuid() != 0)
        return 0;
    errno = 0;
    const struct passwd *entry = getpwnam(user);
    if (!entry)
        return err_set(err, "--user: there is no user '%s'; name one that exists", user);
    if (entry->pw_uid == 0)
        return 0; /* asked for by name */
    if (setgroups(0, NULL) != 0 || setgid(entry->pw_gid) != 0 || setuid(entry->pw_uid) != 0)
        return err_set(err, "--user: can't become '%s': %s", user, strerror(errno));
    prctl(PR_SET_DUMPABLE, 1); /* nothing secret in here: let its user trace it and see its cores */
    return 0;
}

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

static const int allowed[] = {
    /* serving */
    SYS_accept4, SYS_recvfrom, SYS_sendto, SYS_sendfile, SYS_shutdown, SYS_close, SYS_setsockopt,
    SYS_ioctl, SYS_getsockopt, SYS_epoll_pwait, SYS_epoll_ctl, SYS_io_uring_enter,
    SYS_io_uring_register,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
    /* files */
    SYS_openat, SYS_openat2, SYS_fstat, SYS_newfstatat, SYS_pread64, SYS_read,
    /* time, memory, the log, the end */
    SYS_clock_gettime, SYS_mmap, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_write, SYS_futex,
    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_getpid, SYS_gettid, SYS_tgkill, SYS_exit,
    SYS_exit_group, SYS_restart_syscall};

#define ALLOWED (sizeof allowed / sizeof *allowed)

int sandbox_enter(struct err *err)
{
    tzset(); /* the first date would read the time zone's file, with calls that aren't allowed */
#ifdef FILTER_ARCH
    struct sock_filter filter[4 + ALLOWED + 2];
    size_t n = 0;
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ALLOWED; i++) /* a match jumps over the rest and the kill */
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i],
                                                   (unsigned char)(ALLOWED - i), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        return 0;
    return err_set(err, "--seccomp: the kernel refuses the filter: %s", strerror(errno));
#else
    return err_set(err, "--seccomp: no filter for this processor");
#endif
}
