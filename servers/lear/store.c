/* store: one memory object (memfd_create(2)) and a table of what lies where, both made by the
   master and inherited by its workers. A worker that needs a file first claims a place, fills it in
   and publishes it; all others find it there. Each user is a bit in the table: a worker's first
   claim sets it, its last release clears it, and with the last bit the memory goes back to the
   kernel as a hole in the object (fallocate(2)).

   The object is as long as an object can be and never changes its length: seals see to that
   (fcntl(2), F_SEAL_SHRINK), so no mapping of it can raise SIGBUS. Places are given out upwards and
   never a second time: nobody can find another file's bytes where his own were.

   The lock is held for table work only. A worker that is killed while holding it leaves the table
   in a state that repair() puts right: a slot counts when it has users, and they are written last.
 */
#include "lear/store.h"

#include "http/err.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS 4096
#define PAGE  4096ULL
#define LONG  (INT64_MAX / PAGE * PAGE)

struct slot {
    struct store_key key;
    off_t at;
    size_t n;
    bool ready;
    uint64_t users; /* a bit a worker; 0: free */
};

struct table {
    pthread_mutex_t lock;
    uint64_t most; /* bytes */
    uint64_t held;
    off_t next;
    struct slot slots[SLOTS];
};

struct store {
    struct table *table; /* shared */
    int fd;
    unsigned worker;
    uint16_t claims[SLOTS]; /* of this worker: two names may lead to one file */
};

static size_t pages(size_t n)
{
    return (n + PAGE - 1) / PAGE * PAGE;
}

static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t kind;
    int failed = pthread_mutexattr_init(&kind);
    failed |= pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    failed |= pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    failed |= pthread_mutex_init(lock, &kind);
    failed |= pthread_mutexattr_destroy(&kind);
    assert(!failed);
}

static int open_object(struct err *err)
{
    signal(SIGXFSZ, SIG_IGN); /* beyond ulimit -f: an error, not the end (ftruncate(2)) */
    int fd = memfd_create("lear", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)LONG) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return fd;
    err_set(err, "can't make the shared memory of the cache: %s%s", strerror(errno),
            errno == EFBIG ? " (raise ulimit -f)" : "");
    if (fd >= 0)
        close(fd);
    return -1;
}

struct store *store_open(uint64_t bytes, struct err *err)
{
    int fd = open_object(err);
    if (fd < 0)
        return NULL;
    struct table *table =
        mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) {
        err_set(err, "can't make the shared table of the cache: %s", strerror(errno));
        close(fd);
        return NULL;
    }
    init_lock(&table->lock);
    table->most = bytes;
    struct store *s = mem_get(sizeof *s);
    *s = (struct store){.table = table, .fd = fd};
    return s;
}

void store_close(struct store *s)
{
    munmap(s->table, sizeof *s->table);
    close(s->fd);
    free(s);
}

/* Nobody uses the slot any more. A hole that can't be made costs memory, nothing else. */
static void empty(const struct store *s, struct slot *slot)
{
    if (slot->n > 0)
        (void)!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, slot->at,
                         (off_t)pages(slot->n));
    *slot = (struct slot){0};
}

static void repair(const struct store *s)
{
    struct table *t = s->table;
    t->held = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        if (t->slots[i].users)
            t->held += pages(t->slots[i].n);
        else
            empty(s, &t->slots[i]);
    }
}

static void lock(const struct store *s)
{
    int error = pthread_mutex_lock(&s->table->lock);
    assert(error == 0 || error == EOWNERDEAD);
    if (error != EOWNERDEAD)
        return;
    repair(s);
    error = pthread_mutex_consistent(&s->table->lock);
    assert(!error);
}

static void unlock(const struct store *s)
{
    int error = pthread_mutex_unlock(&s->table->lock);
    assert(!error);
    (void)error;
}

static void drop_user(const struct store *s, struct slot *slot)
{
    slot->users &= ~(1ULL << s->worker);
    if (slot->users)
        return;
    s->table->held -= pages(slot->n);
    empty(s, slot);
}

void store_enter(struct store *s, unsigned worker)
{
    assert(worker < STORE_WORKERS);
    s->worker = worker;
    memset(s->claims, 0, sizeof s->claims);
    lock(s);
    for (size_t i = 0; i < SLOTS; i++)
        if (s->table->slots[i].users >> worker & 1)
            drop_user(s, &s->table->slots[i]);
    unlock(s);
}

static bool same_key(const struct store_key *a, const struct store_key *b)
{
    return a->gzip == b->gzip && file_state_is(&a->state, &b->state);
}

/* The slot of key, else a free one, else NULL. */
static struct slot *find(struct table *t, const struct store_key *key)
{
    struct slot *free_one = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &t->slots[i];
        if (!slot->users)
            free_one = slot;
        else if (same_key(&slot->key, key))
            return slot;
    }
    return free_one;
}

static enum store_claim take(const struct store *s, struct slot *slot, const struct store_key *key,
                             size_t n)
{
    struct table *t = s->table;
    uint64_t bit = 1ULL << s->worker;
    if (slot->users) {
        if (slot->ready)
            slot->users |= bit;
        return slot->ready ? STORE_READY : STORE_NONE;
    }
    if (pages(n) > t->most - t->held)
        return STORE_NONE;
    *slot = (struct slot){.key = *key, .at = t->next, .n = n};
    t->next += (off_t)pages(n);
    t->held += pages(n);
    slot->users = bit;
    return STORE_NEW;
}

enum store_claim store_claim(struct store *s, const struct store_key *key, size_t n,
                             struct place *place)
{
    enum store_claim claim = STORE_NONE;
    lock(s);
    struct slot *slot = find(s->table, key);
    if (slot)
        claim = take(s, slot, key, n);
    if (claim != STORE_NONE) {
        *place = (struct place){slot->at, slot->n, (unsigned)(slot - s->table->slots)};
        s->claims[place->slot]++;
    }
    unlock(s);
    return claim;
}

void store_publish(struct store *s, struct place *place, size_t n)
{
    struct slot *slot = &s->table->slots[place->slot];
    assert(n <= place->n);
    lock(s);
    size_t spare = pages(slot->n) - pages(n);
    if (spare > 0)
        (void)!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                         slot->at + (off_t)pages(n), (off_t)spare);
    s->table->held -= spare;
    slot->n = place->n = n;
    slot->ready = true;
    unlock(s);
}

void store_release(struct store *s, const struct place *place)
{
    assert(s->claims[place->slot] > 0);
    if (--s->claims[place->slot] > 0)
        return;
    lock(s);
    drop_user(s, &s->table->slots[place->slot]);
    unlock(s);
}

char *store_map(const struct store *s, const struct place *place, bool writable)
{
    if (writable && fallocate(s->fd, FALLOC_FL_KEEP_SIZE, place->at, (off_t)pages(place->n)) != 0)
        return NULL; /* now, not as a fault while it is filled in */
    char *p = mmap(NULL, place->n, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, s->fd,
                   place->at);
    return p == MAP_FAILED ? NULL : p;
}

void store_unmap(char *p, size_t n)
{
    int failed = munmap(p, n);
    assert(!failed);
    (void)failed;
}

int store_seal(char *p, size_t n)
{
    return mprotect(p, n, PROT_READ);
}

int store_fd(const struct store *s)
{
    return s->fd;
}

uint64_t store_held(struct store *s)
{
    lock(s);
    uint64_t held = s->table->held;
    unlock(s);
    return held;
}
