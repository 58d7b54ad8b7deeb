/* store: the bytes of files, once, in memory that all workers share. */
#ifndef LEAR_STORE_H
#define LEAR_STORE_H

#include "http/file.h"

struct err;
struct store;

#define STORE_WORKERS 64

/* Whose bytes: a file in one state, as it is or compressed. */
struct store_key {
    struct file_state state;
    bool gzip;
};

/* Where bytes lie in the memory object. */
struct place {
    off_t at;
    size_t n;
    unsigned slot;
};

enum store_claim {
    STORE_READY, /* the bytes are there */
    STORE_NEW,   /* they are this worker's to fill in: store_publish() or store_release() follows */
    STORE_NONE   /* another worker is filling them in, or there is no room */
};

/* For at most bytes of content. Before fork(); workers inherit it. NULL with err set. */
struct store *store_open(uint64_t bytes, struct err *err);
void store_close(struct store *s);

/* This process is the worker from now on. What its predecessor held when it died is given back. */
void store_enter(struct store *s, unsigned worker);

/* Asks for the bytes of key; n is how many they are, or may be. All but STORE_NONE must be released
   once. */
enum store_claim store_claim(struct store *s, const struct store_key *key, size_t n,
                             struct place *place);

/* The first n bytes have been filled in; the rest of the place is given up. */
void store_publish(struct store *s, struct place *place, size_t n);

/* The last release of the last worker gives the memory back. */
void store_release(struct store *s, const struct place *place);

/* Maps a place; NULL: errno says why. Writable only for whom it is STORE_NEW, until store_seal().
 */
char *store_map(const struct store *s, const struct place *place, bool writable);
void store_unmap(char *p, size_t n);
int store_seal(char *p, size_t n);

int store_fd(const struct store *s);
uint64_t store_held(struct store *s); /* bytes of content, in whole pages */

#endif
