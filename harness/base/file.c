/* file: reading whole files and replacing them so that a reader never sees half of one. See file.h.
 */
#include "base/file.h"

#include "base/alloc.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_all(int fd, size_t *len)
{
    size_t size = 0, room = 16384;
    char *data = xcalloc(room + 1, 1);
    for (;;) {
        ssize_t n = read(fd, data + size, room - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            free(data);
            return NULL;
        }
        if (n == 0)
            break;
        size += (size_t)n;
        if (size == room) {
            room *= 2;
            data = xrealloc(data, room + 1, 1);
        }
    }
    data[size] = '\0';
    if (len)
        *len = size;
    return data;
}

char *file_read(const char *path, size_t *len, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data = fd < 0 ? NULL : read_all(fd, len);
    if (!data)
        err_set(e, EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return data;
}

static int write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

/* A pipe or a terminal has nothing to flush: fsync(2) says EINVAL. */
static int flush(int fd)
{
    return fsync(fd) < 0 && errno != EINVAL ? -1 : 0;
}

/* Writes, flushes and closes fd. Returns 0 or -1 with errno of the first failure. */
static int write_and_close(int fd, const void *data, size_t len)
{
    int failed = write_all(fd, data, len) < 0 || flush(fd) < 0;
    int saved = errno;
    if (close(fd) < 0 && !failed)
        return -1;
    errno = saved;
    return failed ? -1 : 0;
}

int file_replace(const char *path, const void *data, size_t len, struct err *e)
{
    struct stat st;
    /* A device (/dev/full, /dev/stdout) is written, never replaced by a file. */
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || write_and_close(fd, data, len) < 0)
            return err_set(e, EXIT_MACHINE, "cannot write %s: %s", path, strerror(errno));
        return 0;
    }
    char *tmp = xasprintf("%s.tmp.%d", path, (int)getpid());
    int rc = 0;
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write_and_close(fd, data, len) < 0 || rename(tmp, path) < 0) {
        rc = err_set(e, EXIT_MACHINE, "cannot write %s: %s; its previous content is untouched",
                     path, strerror(errno));
        unlink(tmp);
    }
    free(tmp);
    return rc;
}

int file_make_dir(const char *path, struct err *e)
{
    char *copy = xstrdup(path);
    int rc = 0;
    for (char *p = copy; rc == 0 && *p; p++) {
        if (*p != '/' || p == copy)
            continue;
        *p = '\0';
        rc = mkdir(copy, 0755) < 0 && errno != EEXIST ? -1 : 0;
        *p = '/';
    }
    struct stat st;
    if (rc == 0 && mkdir(copy, 0755) < 0)
        rc = errno == EEXIST && stat(copy, &st) == 0 && S_ISDIR(st.st_mode) ? 0 : -1;
    if (rc < 0)
        err_set(e, EXIT_MACHINE, "cannot make the folder %s: %s", path, strerror(errno));
    free(copy);
    return rc;
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    /* Somebody else may remove below the same folder: what is gone needs no removal. */
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int file_remove_tree(const char *path, struct err *e)
{
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
        return err_set(e, EXIT_MACHINE, "cannot remove %s: %s", path, strerror(errno));
    return 0;
}
