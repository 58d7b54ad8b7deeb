/* slice_file: one JSON line per slice, written as it ends. */
#ifndef VOLLEY_SLICE_FILE_H
#define VOLLEY_SLICE_FILE_H

#include "volley/session.h"

#include <stdio.h>

struct err;

struct slice_file {
    const char *path; /* NULL: slices are not wanted; "-": standard output */
    bool open_loop;
    FILE *file;
};

/* Opens f->path, before anything is measured. Returns 0, or -1 with err set (EXIT_USAGE). */
int slice_file_open(struct slice_file *f, struct err *e);

/* A session_on_slice whose context is a struct slice_file. */
void slice_file_write(void *context, const struct session_slice *slice);

/* Closes it. Returns 0, or -1 with err set (EXIT_MACHINE): not everything was written. */
int slice_file_close(struct slice_file *f, struct err *e);

#endif
