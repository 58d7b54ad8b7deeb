/* copy: one coding of a file, ready to be sent: from the shared memory, or else from its
   descriptor. */
#ifndef LEAR_COPY_H
#define LEAR_COPY_H

#include "lear/store.h"

struct copy {
    struct file file;
    struct store *store;
    struct place place;
    char *map; /* the bytes in shared memory; NULL: not there, or none */
    bool shared;
};

/* What copies are made for. */
struct copy_rules {
    struct head_style style;
    uint64_t file_max; /* bytes; longer files stay on the disk */
    bool gzip;
    int gzip_level;
    uint64_t gzip_min, gzip_max; /* bytes that are worth compressing, and not too many */
};

/* Is the file one that is offered compressed too? */
bool copy_has_gzip(const struct copy_rules *rules, struct str path, uint64_t size);

/* The file at fd as it is. Takes fd. Where the shared memory can't have it (for the moment), shared
   is false and it is sent from fd. It has one user, whom file_release(&copy->file) frees. */
struct copy *copy_plain(const struct copy_rules *rules, struct store *store, struct str path,
                        int fd, const struct stat *st);

/* The same compressed; without a map if that isn't worth it. NULL: it can't be had for the moment,
   which sets *later. */
struct copy *copy_gzip(const struct copy_rules *rules, const struct copy *plain, struct str path,
                       const struct file_state *state, bool *later);

#endif
