/* lock: flock(2) on a file in /tmp. The file stays when the lock is dropped (removing it would let
   two runs lock two files) and can be locked by every user; its content, the pid, is for people. */
#include "lab/lock.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not in $TMPDIR, which may be the user's own: the CPUs are everybody's. */
static const char *lock_path(void)
{
    const char *set = getenv("PARITY_LOCK");
    return set && *set ? set : "/tmp/parity.lock";
}

/* Opened without O_CREAT first: in a sticky folder that flag is refused for another user's file
   (fs.protected_regular, proc_sys_fs(5)), to root as well. */
static int open_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0)
        fchmod(fd, 0666); /* whatever the umask */
    else if (errno == EEXIST)
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return fd;
}

static void read_holder(int fd, char *to, size_t size)
{
    ssize_t n = pread(fd, to, size - 1, 0);
    to[n > 0 ? n : 0] = '\0';
    to[strspn(to, "0123456789")] = '\0';
}

static void write_holder(int fd)
{
    char pid[16];
    int len = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
    if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, (size_t)len, 0) != len)
        return; /* the lock holds without its name */
}

int lock_take(char **busy)
{
    const char *path = lock_path();
    char pid[16];
    struct stat st;
    *busy = NULL;
    int fd = open_file(path);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        *busy = xasprintf("can't tell whether another run measures now: %s: %s", path,
                          fd < 0 ? strerror(errno) : "not a regular file");
    } else if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        write_holder(fd);
        return fd;
    } else if (errno == EWOULDBLOCK) {
        read_holder(fd, pid, sizeof pid);
        *busy = xasprintf("another run of parity (process %s) measures on this machine now: both "
                          "disturb each other, their figures are of no use",
                          *pid ? pid : "unknown");
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

void lock_release(int fd)
{
    if (fd < 0)
        return;
    if (ftruncate(fd, 0) == 0)
        flock(fd, LOCK_UN);
    close(fd);
}
