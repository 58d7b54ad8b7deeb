/* files: the open-file cache. A file is opened once and then answered from its descriptor, or, when
   small, from memory in the same send as its head. Revalidation: at most once in check_ns an entry
   that is used is opened anew and replaced if its state differs; a file that has gone is dropped.
 */
#include "http/files.h"

#include "http/docroot.h"
#include "http/err.h"
#include "http/file.h"
#include "http/site.h"
#include "http/target.h"

#include <stdlib.h>
#include <unistd.h>

#define SLOTS       512 /* files kept open; a power of two */
#define CONTENT_MAX 16384

struct entry {
    struct file file;
    struct str path; /* decoded and canonical, below the root */
    struct file_state state;
    uint64_t checked_ns;
};

struct files {
    struct docroot root;
    uint64_t check_ns;
    struct entry *slots[SLOTS]; /* by hash of the path; a newcomer takes its slot */
};

struct files *files_open(const char *docroot, uint64_t check_ns, struct err *err)
{
    struct docroot root;
    if (docroot_open(&root, docroot, err) != 0)
        return NULL;
    struct files *files = mem_get(sizeof *files);
    *files = (struct files){.root = root, .check_ns = check_ns};
    return files;
}

void files_close(struct files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        if (files->slots[i])
            file_release(files->slots[i]);
    docroot_close(&files->root);
    free(files);
}

static void forget(void *file)
{
    struct entry *e = file;
    if (e->file.fd >= 0)
        close(e->file.fd);
    free((char *)e->file.content);
    free((char *)e->path.p);
    free(e);
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

static struct entry *make_entry(int fd, const struct stat *st, struct str path,
                                const struct site *site)
{
    struct entry *e = mem_get(sizeof *e);
    char *name = mem_get(path.n + 1);
    memcpy(name, path.p, path.n);
    name[path.n] = '\0';
    *e = (struct entry){.path = {name, path.n},
                        .state = file_state(st),
                        .file = {.fd = fd,
                                 .users = 1,
                                 .size = (uint64_t)st->st_size,
                                 .modified_s = st->st_mtime,
                                 .content = read_content(fd, (size_t)st->st_size),
                                 .gone = forget}};
    if (e->file.content) {
        close(fd);
        e->file.fd = -1;
    }
    file_make_heads(&e->file, &site->style, e->path, &e->state, FILE_ONLY);
    return e;
}

/* Fills the slot from the disk; keeps an entry that is still right. */
static struct entry *load(struct files *files, struct entry **slot, struct str path,
                          const struct site *site, int *status)
{
    struct stat st;
    struct entry *old = *slot;
    bool same_path = old && str_is(old->path, path);
    int fd = docroot_look(&files->root, path, &st, status);
    struct file_state state = fd >= 0 ? file_state(&st) : (struct file_state){0};
    if (fd >= 0 && same_path && file_state_is(&old->state, &state)) {
        close(fd);
        return old;
    }
    if (old && (fd >= 0 || same_path)) {
        file_release(old);
        *slot = NULL;
    }
    if (fd < 0)
        return NULL;
    return *slot = make_entry(fd, &st, path, site);
}

static size_t hash(struct str path) /* FNV-1a */
{
    uint64_t h = 14695981039346656037ULL;
    for (size_t i = 0; i < path.n; i++)
        h = (h ^ (unsigned char)path.p[i]) * 1099511628211ULL;
    return (size_t)(h ^ h >> 32) % SLOTS;
}

/* The file of a path if it is in the cache and needs no check yet, or NULL. */
static struct file *cached(const struct files *files, struct str path, uint64_t now_ns)
{
    struct entry *e = files->slots[hash(path)];
    bool good = e && now_ns - e->checked_ns < files->check_ns && str_is(e->path, path);
    return good ? &e->file : NULL;
}

/* The file of a canonical, NUL-terminated path, opened if need be. NULL: *status says why. */
static struct file *look(struct files *files, struct str path, const struct site *site, int *status)
{
    struct file *f = cached(files, path, site->now_ns);
    if (f)
        return f;
    struct entry *e = load(files, &files->slots[hash(path)], path, site, status);
    if (!e)
        return NULL;
    e->checked_ns = site->now_ns;
    return &e->file;
}

/* The file is new, wasn't looked at for a while, or isn't there. */
static __attribute__((noinline)) void answer_anew(struct site *site, const struct request *r,
                                                  struct reply *reply)
{
    char decoded[r->path.n + TARGET_INDEX_ROOM]; /* path.n is at most limits.line */
    struct str path;
    bool folder;
    int status = 404;
    if (target_file(r->path, decoded, &path, &folder) != 0) {
        site_refuse(site, 400, reply);
        return;
    }
    struct file *f = look(site->files, path, site, &status);
    if (f)
        file_answer(site, r, f, reply);
    else if (status == 301 && !folder)
        file_redirect(site, r, reply);
    else
        site_refuse(site, status == 301 ? 404 : status, reply); /* a folder named index.html */
}

void files_answer(struct site *site, const struct request *r, struct reply *reply)
{
    bool escaped = memchr(r->path.p, '%', r->path.n) != NULL;
    struct file *f = escaped ? NULL : cached(site->files, r->path, site->now_ns);
    if (f)
        file_answer(site, r, f, reply);
    else
        answer_anew(site, r, reply);
}
