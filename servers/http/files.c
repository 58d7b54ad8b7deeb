/* files: the open-file cache. A file is opened once and then answered from its descriptor, or, when
   small, from memory in the same send as its head. Revalidation: at most once in check_ns an entry
   that is used is opened anew and replaced if inode, size or ctime differ; a file that has gone is
   dropped.

   Nothing outside the root is ever opened: openat2 with RESOLVE_BENEATH does the whole resolution
   in the kernel, symbolic links included (openat2(2)); without it each component is opened by
   itself and links aren't followed at all. */
#include "http/files.h"

#include "http/err.h"
#include "http/mime.h"
#include "http/site.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS       512 /* files kept open; a power of two */
#define CONTENT_MAX 16384

struct files {
    int root_fd;
    bool beneath; /* openat2 works here */
    uint64_t check_ns;
    struct file *slots[SLOTS]; /* by hash of the path; a newcomer takes its slot */
};

static int open_beneath(const struct files *files, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, files->root_fd, path, &how, sizeof how);
}

/* Without openat2: one component after the other, none of them a symbolic link. */
static int open_stepwise(const struct files *files, const char *path)
{
    int at = files->root_fd;
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
        if (at != files->root_fd)
            close(at);
        if (fd < 0 || !slash)
            return fd;
        at = fd;
        path = slash + 1;
    }
}

static int open_file(const struct files *files, struct str path)
{
    const char *below = path.n > 1 ? path.p + 1 : "."; /* NUL-terminated: see files_find() */
    return files->beneath ? open_beneath(files, below) : open_stepwise(files, below);
}

struct files *files_open(const char *docroot, uint64_t check_ns, struct err *err)
{
    int fd = open(docroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        err_set(err, "can't open the document root %s: %s", docroot, strerror(errno));
        return NULL;
    }
    struct files *files = mem_get(sizeof *files);
    *files = (struct files){.root_fd = fd, .check_ns = check_ns, .beneath = true};
    int probe = open_file(files, STR("/"));
    if (probe < 0 && (errno == ENOSYS || errno == EPERM)) { /* old kernel; or a filter */
        files->beneath = false;
        probe = open_file(files, STR("/"));
    }
    if (probe < 0) {
        int error = errno;
        const struct passwd *user = getpwuid(geteuid());
        err_set(err,
                "can't read the document root %s as user %s: %s (make it readable, or see --user)",
                docroot, user ? user->pw_name : "without a name", strerror(error));
        files_close(files);
        return NULL;
    }
    close(probe);
    return files;
}

void files_close(struct files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        if (files->slots[i])
            file_release(files->slots[i]);
    close(files->root_fd);
    free(files);
}

void file_use(struct file *f)
{
    f->users++;
}

void file_release(void *file)
{
    struct file *f = file;
    if (--f->users > 0)
        return;
    if (f->fd >= 0)
        close(f->fd);
    free(f->content);
    free((char *)f->path.p);
    free(f);
}

/* All of a small file, or NULL: then it is sent from its descriptor. */
static char *read_content(int fd, size_t size)
{
    if (size == 0 || size > CONTENT_MAX)
        return NULL;
    char *content = mem_get(size);
    if (pread(fd, content, size, 0) == (ssize_t)size)
        return content;
    free(content);
    return NULL;
}

static void make_heads(struct file *f, const struct site *site)
{
    char modified[DATE_LEN + 1];
    date_format((time_t)f->modified_s, modified);
    snprintf(f->etag, sizeof f->etag, "\"%llx-%llx\"", (unsigned long long)f->changed_ns,
             (unsigned long long)f->size);
    struct head *heads[] = {&f->ok, &f->partial, &f->unchanged};
    const int statuses[] = {200, 206, 304};
    for (int i = 0; i < 3; i++) {
        head_start(heads[i], &site->style, statuses[i]);
        if (statuses[i] != 304)
            head_add(heads[i], "Content-Type", mime_type(f->path));
        head_add(heads[i], "Last-Modified", modified);
        head_add(heads[i], "ETag", f->etag);
        head_add(heads[i], "Accept-Ranges", "bytes");
    }
    head_add_length(&f->ok, f->size);
}

static uint64_t changed_ns(const struct stat *st)
{
    return (uint64_t)st->st_ctim.tv_sec * 1000000000ULL + (uint64_t)st->st_ctim.tv_nsec;
}

static struct file *make_file(int fd, const struct stat *st, struct str path,
                              const struct site *site)
{
    struct file *f = mem_get(sizeof *f);
    char *name = mem_get(path.n + 1);
    memcpy(name, path.p, path.n);
    name[path.n] = '\0';
    *f = (struct file){.path = {name, path.n},
                       .fd = fd,
                       .users = 1,
                       .size = (uint64_t)st->st_size,
                       .inode = st->st_ino,
                       .changed_ns = changed_ns(st),
                       .modified_s = st->st_mtime,
                       .content = read_content(fd, (size_t)st->st_size)};
    if (f->content) {
        close(fd);
        f->fd = -1;
    }
    make_heads(f, site);
    return f;
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

static bool same_file(const struct file *f, const struct stat *st)
{
    return f->inode == st->st_ino && f->size == (uint64_t)st->st_size &&
           f->changed_ns == changed_ns(st);
}

/* What is on the disk at path now: a descriptor, or -1 and *status. */
static int look(const struct files *files, struct str path, struct stat *st, int *status)
{
    int fd = open_file(files, path);
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

/* Fills the slot from the disk; keeps an entry that is still right. */
static struct file *load(struct files *files, struct file **slot, struct str path,
                         const struct site *site, int *status)
{
    struct stat st;
    struct file *old = *slot;
    bool same_path = old && str_is(old->path, path);
    int fd = look(files, path, &st, status);
    if (fd >= 0 && same_path && same_file(old, &st)) {
        close(fd);
        return old;
    }
    if (old && (fd >= 0 || same_path)) {
        file_release(old);
        *slot = NULL;
    }
    if (fd < 0)
        return NULL;
    return *slot = make_file(fd, &st, path, site);
}

static size_t hash(struct str path) /* FNV-1a */
{
    uint64_t h = 14695981039346656037ULL;
    for (size_t i = 0; i < path.n; i++)
        h = (h ^ (unsigned char)path.p[i]) * 1099511628211ULL;
    return (size_t)(h ^ h >> 32) % SLOTS;
}

struct file *files_cached(struct files *files, struct str path, uint64_t now_ns)
{
    struct file *f = files->slots[hash(path)];
    bool good = f && now_ns - f->checked_ns < files->check_ns && str_is(f->path, path);
    return good ? f : NULL;
}

struct file *files_find(struct files *files, struct str path, const struct site *site, int *status)
{
    struct file *f = files_cached(files, path, site->now_ns);
    if (f)
        return f;
    f = load(files, &files->slots[hash(path)], path, site, status);
    if (f)
        f->checked_ns = site->now_ns;
    return f;
}
