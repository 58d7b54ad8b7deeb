/* file: a file as it is answered with: its bytes, its validators, its heads, and the rules of
   conditions and ranges. Where the bytes come from is its maker's business. */
#ifndef HTTP_FILE_H
#define HTTP_FILE_H

#include "http/reply.h"

#include <stdint.h>
#include <sys/stat.h>

struct request;
struct site;

struct file {
    const char *content; /* all of it in memory; NULL: in fd */
    int fd;
    off_t base;     /* of its first byte in fd */
    unsigned users; /* its maker's table is one of them, and each answer under way */
    uint64_t size;
    int64_t modified_s;       /* mtime */
    void (*gone)(void *file); /* the last user has gone: frees it */
    char etag[56];            /* quoted, strong */
    struct head ok, partial, unchanged;
};

/* What tells two states of a file apart. ctime moves with content, size and mtime. */
struct file_state {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    uint64_t changed_ns;
};

struct file_state file_state(const struct stat *st);
bool file_state_is(const struct file_state *a, const struct file_state *b);

/* Is there another coding of it to choose from (RFC 9110 12.5.3), and is this the other one? */
enum file_coding {
    FILE_ONLY,
    FILE_PLAIN,
    FILE_GZIP
};

/* Makes the ETag and the heads; size and modified_s must be set. path says the type. */
void file_make_heads(struct file *f, const struct head_style *style, struct str path,
                     const struct file_state *state, enum file_coding coding);

/* Answers GET or HEAD with the file: conditions (RFC 9110 13), then a range (14), then the whole.
 */
void file_answer(struct site *site, const struct request *request, struct file *f,
                 struct reply *reply);

/* Hands bytes of the file over as a reply's body. */
void file_attach(struct file *f, off_t at, size_t n, struct reply *reply);

/* Answers a folder's name without its slash: 301 to the one with it. */
void file_redirect(struct site *site, const struct request *request, struct reply *reply);

void file_use(struct file *f);
void file_release(void *file);

#endif
