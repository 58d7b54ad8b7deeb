/* file: whole files, read and replaced safely. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

struct err;

/* Reads a whole file (also from /proc, whose sizes are 0), NUL-terminated; len may be NULL.
   Returns memory that the caller frees, or NULL with err set (EXIT_USAGE). */
char *file_read(const char *path, size_t *len, struct err *e);

/* Replaces path with len bytes: temporary file in the same folder, fsync, rename. The old file
   stays whole whatever happens. Returns 0, or -1 with err set (EXIT_MACHINE; names the errno). */
int file_replace(const char *path, const void *data, size_t len, struct err *e);

/* Makes a folder and the missing ones above it. Returns 0 or -1 with err set. */
int file_make_dir(const char *path, struct err *e);

/* Removes a file or a folder with everything below it; what is not there is no error. */
int file_remove_tree(const char *path, struct err *e);

#endif
