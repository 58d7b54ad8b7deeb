/* files: files below a document root, kept open. */
#ifndef HTTP_FILES_H
#define HTTP_FILES_H

#include "http/reply.h"

#include <stdint.h>

struct err;
struct files;
struct request;
struct site;

/* Opens the document root. An entry is compared with the disk again when it is used and its last
   check is at least check_ns ago: until then a changed file may be served as it was. NULL with err
   set. */
struct files *files_open(const char *docroot, uint64_t check_ns, struct err *err);
void files_close(struct files *files); /* NULL is allowed; entries still being sent live on */

/* Answers GET or HEAD: the file, a range of it, 304, 301 to a folder's slash, or a refusal. */
void files_answer(struct site *site, const struct request *request, struct reply *reply);

/* A file as it was when last checked. */
struct file {
    struct str path; /* decoded and canonical, below the root */
    int fd;          /* -1 when content is there */
    unsigned users;  /* the table is one of them, and each answer under way */
    uint64_t size;
    uint64_t inode;
    uint64_t changed_ns; /* ctime: moves with content, size and mtime */
    int64_t modified_s;  /* mtime */
    uint64_t checked_ns;
    char *content; /* small files: all of it; else NULL */
    char etag[44]; /* quoted, strong */
    struct head ok, partial, unchanged;
};

/* The entry of a path if it is in the cache and needs no check yet, or NULL. Entries of both calls
   are valid until the next call; file_use() keeps them. */
struct file *files_cached(struct files *files, struct str path, uint64_t now_ns);

/* The entry of a canonical, NUL-terminated path, opened if need be. NULL: *status says why (403,
   404, 503; 301: a folder). */
struct file *files_find(struct files *files, struct str path, const struct site *site, int *status);

void file_use(struct file *f);
void file_release(void *file);

#endif
