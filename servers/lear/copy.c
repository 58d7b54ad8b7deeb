/* copy: brings bytes into the shared memory and heads before them. What is sent later is either
   this snapshot, which nobody can change or shorten any more, or what sendfile(2) finds in the
   file; never a mapping of the file itself, whose end may move under us. */
#include "lear/copy.h"

#include "http/err.h"
#include "http/mime.h"
#include "lear/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A file changed so recently may change again within the same tick of its ctime. */
#define SETTLED_NS 100000000LL

bool copy_has_gzip(const struct copy_rules *rules, struct str path, uint64_t size)
{
    return rules->gzip && size >= rules->gzip_min && size <= rules->gzip_max &&
           size <= rules->file_max && gzip_suits(mime_type(path));
}

static void gone(void *file)
{
    struct copy *c = file;
    if (c->map)
        store_unmap(c->map, c->place.n);
    if (c->shared)
        store_release(c->store, &c->place);
    else if (c->file.fd >= 0)
        close(c->file.fd);
    free(c);
}

static bool settled(const struct stat *st)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age_ns = (int64_t)(now.tv_sec - st->st_ctim.tv_sec) * 1000000000LL + now.tv_nsec -
                     st->st_ctim.tv_nsec;
    return age_ns > SETTLED_NS || age_ns < -SETTLED_NS;
}

/* All of the file into memory; false: it isn't (any more) what st says. */
static bool read_all(int fd, char *to, const struct stat *st)
{
    size_t n = (size_t)st->st_size;
    for (size_t at = 0; at < n;) {
        ssize_t got = pread(fd, to + at, n - at, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    struct stat now;
    struct file_state before = file_state(st), after;
    if (fstat(fd, &now) != 0)
        return false;
    after = file_state(&now);
    return file_state_is(&before, &after);
}

/* The place is ours to fill. Leaves its map, or NULL. */
static char *fill(const struct store *store, const struct place *place, int fd,
                  const struct stat *st)
{
    char *map = store_map(store, place, true);
    if (map && (!read_all(fd, map, st) || store_seal(map, place->n) != 0)) {
        store_unmap(map, place->n);
        return NULL;
    }
    return map;
}

/* Puts the file into shared memory, or finds it there. false: it can't be had there now. */
static bool share(struct copy *c, int fd, const struct stat *st)
{
    struct store_key key = {.state = file_state(st)};
    enum store_claim claim = store_claim(c->store, &key, (size_t)st->st_size, &c->place);
    if (claim == STORE_NONE)
        return false;
    c->map = claim == STORE_NEW ? fill(c->store, &c->place, fd, st)
                                : store_map(c->store, &c->place, false);
    if (c->map && claim == STORE_NEW)
        store_publish(c->store, &c->place, c->place.n);
    if (!c->map)
        store_release(c->store, &c->place);
    return c->map != NULL;
}

/* Small bodies are copied behind their head, larger ones leave with sendfile: the memory object is
   a file too. */
static void set_source(struct copy *c)
{
    c->shared = true;
    c->file.content = c->place.n <= REPLY_COPY_MAX ? c->map : NULL;
    c->file.fd = store_fd(c->store);
    c->file.base = c->place.at;
}

static struct copy *new_copy(struct store *store, uint64_t size, int64_t modified_s)
{
    struct copy *c = mem_get(sizeof *c);
    *c = (struct copy){
        .store = store,
        .file = {.fd = -1, .users = 1, .size = size, .modified_s = modified_s, .gone = gone}};
    return c;
}

struct copy *copy_plain(const struct copy_rules *rules, struct store *store, struct str path,
                        int fd, const struct stat *st)
{
    struct copy *c = new_copy(store, (uint64_t)st->st_size, st->st_mtime);
    struct file_state state = file_state(st);
    c->file.fd = fd;
    if (c->file.size > 0 && c->file.size <= rules->file_max && settled(st) && share(c, fd, st)) {
        close(fd);
        set_source(c);
    }
    bool has_gzip = copy_has_gzip(rules, path, c->file.size);
    file_make_heads(&c->file, &rules->style, path, &state, has_gzip ? FILE_PLAIN : FILE_ONLY);
    return c;
}

/* Compresses into the place. What isn't worth it is published as a place of length 0, so that no
   other worker tries. */
static void pack(struct copy *c, const struct copy *plain, int level)
{
    size_t n = 0, room = c->place.n;
    char *map = store_map(c->store, &c->place, true);
    if (map)
        n = gzip_pack((struct str){plain->map, plain->place.n}, map, room, level);
    store_publish(c->store, &c->place, n);
    if (map)
        store_unmap(map, room);
}

/* Compressed it must be shorter by a tenth, or it isn't worth the client's work. */
static size_t most_packed(size_t n)
{
    return n - n / 10;
}

struct copy *copy_gzip(const struct copy_rules *rules, const struct copy *plain, struct str path,
                       const struct file_state *state, bool *later)
{
    struct store_key key = {.state = *state, .gzip = true};
    struct copy *c = new_copy(plain->store, 0, plain->file.modified_s);
    enum store_claim claim = STORE_NONE;
    if (plain->map)
        claim = store_claim(c->store, &key, most_packed(plain->place.n), &c->place);
    if (claim == STORE_NONE) {
        *later = true;
        free(c);
        return NULL;
    }
    if (claim == STORE_NEW)
        pack(c, plain, rules->gzip_level);
    if (c->place.n > 0)
        c->map = store_map(c->store, &c->place, false);
    c->file.size = c->place.n;
    set_source(c);
    file_make_heads(&c->file, &rules->style, path, state, FILE_GZIP);
    return c;
}
