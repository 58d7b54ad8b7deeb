/* cache: entries lie in sets by the hash of their path; a newcomer takes the place of the one of
   its set that wasn't used for longest. At most once in check_ns an entry that is used is compared
   with the disk, and brought in anew if its file has changed. */
#include "lear/cache.h"

#include "http/docroot.h"
#include "http/err.h"

#include <stdlib.h>
#include <unistd.h>

#define SETS 256 /* a power of two */
#define WAYS 4

struct cache {
    struct cache_rules rules;
    struct store *store;
    struct docroot root;
    struct entry entries[SETS * WAYS]; /* a set's are neighbours */
};

struct cache *cache_open(const struct cache_rules *rules, struct store *store, struct err *err)
{
    struct docroot root;
    if (docroot_open(&root, rules->root, err) != 0)
        return NULL;
    struct cache *c = mem_get(sizeof *c);
    memset(c, 0, sizeof *c);
    c->rules = *rules;
    c->store = store;
    c->root = root;
    return c;
}

static void release(struct copy *copy)
{
    if (copy)
        file_release(&copy->file);
}

static void forget(struct entry *e)
{
    release(e->plain);
    release(e->gzip);
    free((char *)e->path.p);
    *e = (struct entry){0};
}

void cache_close(struct cache *c)
{
    for (size_t i = 0; i < SETS * WAYS; i++)
        forget(&c->entries[i]);
    docroot_close(&c->root);
    free(c);
}

static struct entry *set_of(struct cache *c, struct str path) /* FNV-1a */
{
    uint64_t h = 14695981039346656037ULL;
    for (size_t i = 0; i < path.n; i++)
        h = (h ^ (unsigned char)path.p[i]) * 1099511628211ULL;
    return &c->entries[(h ^ h >> 32) % SETS * WAYS];
}

static struct entry *find(struct entry *set, struct str path)
{
    for (size_t i = 0; i < WAYS; i++)
        if (set[i].plain && str_is(set[i].path, path))
            return &set[i];
    return NULL;
}

/* Free ones were used at 0. */
static struct entry *oldest(struct entry *set)
{
    struct entry *found = set;
    for (size_t i = 1; i < WAYS; i++)
        if (set[i].used_ns < found->used_ns)
            found = &set[i];
    return found;
}

struct entry *cache_get(struct cache *c, struct str path, uint64_t now_ns)
{
    struct entry *e = find(set_of(c, path), path);
    if (!e || now_ns - e->checked_ns >= c->rules.check_ns)
        return NULL;
    e->used_ns = now_ns;
    return e;
}

static void bring_in(struct cache *c, struct entry *e, struct str path, int fd,
                     const struct stat *st)
{
    const struct copy_rules *rules = &c->rules.copy;
    char *name = mem_get(path.n + 1);
    memcpy(name, path.p, path.n);
    name[path.n] = '\0';
    *e = (struct entry){.path = {name, path.n}, .state = file_state(st)};
    e->plain = copy_plain(rules, c->store, path, fd, st);
    e->later =
        !e->plain->shared && e->plain->file.size > 0 && e->plain->file.size <= rules->file_max;
    if (copy_has_gzip(rules, path, e->plain->file.size))
        e->gzip = copy_gzip(rules, e->plain, path, &e->state, &e->later);
}

/* Compares with the disk. The entry, old or new, or NULL. */
static struct entry *load(struct cache *c, struct str path, int *status)
{
    struct stat st;
    struct entry *set = set_of(c, path), *old = find(set, path);
    int fd = docroot_look(&c->root, path, &st, status);
    if (fd < 0) {
        if (old)
            forget(old);
        return NULL;
    }
    struct file_state state = file_state(&st);
    if (old && !old->later && file_state_is(&old->state, &state)) {
        close(fd);
        return old;
    }
    if (!old)
        old = oldest(set);
    forget(old);
    bring_in(c, old, path, fd, &st);
    return old;
}

struct entry *cache_find(struct cache *c, struct str path, uint64_t now_ns, int *status)
{
    struct entry *e = cache_get(c, path, now_ns);
    if (e)
        return e;
    e = load(c, path, status);
    if (e)
        e->checked_ns = e->used_ns = now_ns;
    return e;
}

void cache_sweep(struct cache *c, uint64_t now_ns)
{
    for (size_t i = 0; i < SETS * WAYS; i++) {
        struct entry *e = &c->entries[i];
        if (e->plain && now_ns - e->used_ns >= c->rules.idle_ns)
            forget(e);
    }
}
