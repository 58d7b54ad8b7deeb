/* cache: a worker's table of what it has mapped, by path. */
#ifndef LEAR_CACHE_H
#define LEAR_CACHE_H

#include "lear/copy.h"

struct cache;

/* A path's file. Valid until the next call; what is being sent lives on by itself. */
struct entry {
    struct str path; /* decoded and canonical, below the root */
    struct file_state state;
    struct copy *plain; /* NULL: the entry is free */
    struct copy *gzip;  /* NULL, or without a map: there is none */
    bool later;         /* what shared memory couldn't have is to be tried again */
    uint64_t checked_ns;
    uint64_t used_ns;
};

struct cache_rules {
    const char *root;
    uint64_t check_ns; /* an entry is served so long without a look at the disk */
    uint64_t idle_ns;  /* one unused so long is unmapped by cache_sweep() */
    struct copy_rules copy;
};

/* The store must outlive it. NULL with err set: no such root. */
struct cache *cache_open(const struct cache_rules *rules, struct store *store, struct err *err);
void cache_close(struct cache *c);

/* The entry of a path that needs no look at the disk, or NULL. */
struct entry *cache_get(struct cache *c, struct str path, uint64_t now_ns);

/* The entry of a canonical, NUL-terminated path, brought in if need be. NULL: *status says why
   (403, 404, 503; 301: a folder). */
struct entry *cache_find(struct cache *c, struct str path, uint64_t now_ns, int *status);

/* Unmaps what wasn't used for the idle time. */
void cache_sweep(struct cache *c, uint64_t now_ns);

#endif
