/* docroot: nothing outside the root is ever opened: openat2 with RESOLVE_BENEATH does the whole
   resolution in the kernel, symbolic links included (openat2(2)); without it each component is
   opened by itself and links aren't followed at all. */
#include "http/docroot.h"

#include "http/err.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_beneath(const struct docroot *d, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, d->fd, path, &how, sizeof how);
}

/* Without openat2: one component after the other, none of them a symbolic link. */
static int open_stepwise(const struct docroot *d, const char *path)
{
    int at = d->fd;
    for (;;) {
        const char *slash = strchr(path, '/');
        char name[256];
        size_t n = slash ? (size_t)(slash - path) : strlen(path);
        if (n >= sizeof name)
            errno = ENAMETOOLONG;
        int fd = -1;
        if (n < sizeof name) {
            memcpy(name, path, n);
            name[n] = '\0';
            fd = openat(at, n > 0 ? name : ".",
                        O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW |
                            (slash ? O_DIRECTORY : 0));
        }
        if (at != d->fd)
            close(at);
        if (fd < 0 || !slash)
            return fd;
        at = fd;
        path = slash + 1;
    }
}

static int open_file(const struct docroot *d, struct str path)
{
    const char *below = path.n > 1 ? path.p + 1 : ".";
    return d->beneath ? open_beneath(d, below) : open_stepwise(d, below);
}

int docroot_open(struct docroot *d, const char *path, struct err *err)
{
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, "can't open the document root %s: %s", path, strerror(errno));
    *d = (struct docroot){.fd = fd, .beneath = true};
    int probe = open_file(d, STR("/"));
    if (probe < 0 && (errno == ENOSYS || errno == EPERM)) { /* old kernel; or a filter */
        d->beneath = false;
        probe = open_file(d, STR("/"));
    }
    if (probe >= 0) {
        close(probe);
        return 0;
    }
    int error = errno;
    const struct passwd *user = getpwuid(geteuid());
    docroot_close(d);
    return err_set(err,
                   "can't read the document root %s as user %s: %s (make it readable for it, or "
                   "choose another user)",
                   path, user ? user->pw_name : "without a name", strerror(error));
}

void docroot_close(struct docroot *d)
{
    close(d->fd);
}

static int status_of(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
    case ELOOP:
    case EXDEV: return 403; /* EXDEV: the path leaves the root */
    case EMFILE:
    case ENFILE: return 503;
    default: return 404;
    }
}

int docroot_look(const struct docroot *d, struct str path, struct stat *st, int *status)
{
    int fd = open_file(d, path);
    if (fd < 0) {
        *status = status_of(errno);
        return -1;
    }
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
        return fd;
    *status = S_ISDIR(st->st_mode) ? 301 : 403;
    close(fd);
    return -1;
}
