/* docroot: a folder, and the opening of files below it and of nothing else. */
#ifndef HTTP_DOCROOT_H
#define HTTP_DOCROOT_H

#include "http/str.h"

#include <sys/stat.h>

struct err;

struct docroot {
    int fd;
    bool beneath; /* openat2 works here */
};

/* Opens the folder. -1 with err set: it isn't there, is none, or can't be read. */
int docroot_open(struct docroot *d, const char *path, struct err *err);
void docroot_close(struct docroot *d);

/* Opens a canonical, NUL-terminated path ("/a/b") for reading. The descriptor of a regular file
 *with st filled, or -1: *status says why (403, 404, 503; 301: a folder). */
int docroot_look(const struct docroot *d, struct str path, struct stat *st, int *status);

#endif
