/* scratch: a folder of one test program's own, with files in it. Include cmocka.h first. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char scratch_dir[200];

static inline int scratch_setup(void **state)
{
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(scratch_dir, sizeof scratch_dir, "%.150s/parity-test-XXXXXX", root ? root : "/tmp");
    return mkdtemp(scratch_dir) ? 0 : -1;
}

static inline int scratch_teardown(void **state)
{
    (void)state;
    return file_remove_tree(scratch_dir, NULL);
}

/* The path of name in the folder; the caller frees. */
static inline char *scratch_path(const char *name)
{
    return xasprintf("%s/%s", scratch_dir, name);
}

/* Writes a file there (its folder must exist); returns its path, which the caller frees. */
static inline char *scratch_bytes(const char *name, const void *data, size_t len)
{
    char *path = scratch_path(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
    return path;
}

static inline char *scratch_text(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

/* Ends a test that can't be had here. cmocka's skip() prints "not ok", which prove counts as
 * failed. */
#define skip_because(why)                                                                          \
    do {                                                                                           \
        print_message("# skipped: %s\n", (why));                                                   \
        return;                                                                                    \
    } while (0)

/* Fails unless the error has this code and all of its text begins with start and has part. */
#define assert_err(e, wanted, start, part)                                                         \
    err_check((e), (wanted), (start), (part), __FILE__, __LINE__)

static inline void err_check(const struct err *e, int code, const char *start, const char *part,
                             const char *file, int line)
{
    if (e->code == code && strncmp(e->text, start, strlen(start)) == 0 && strstr(e->text, part))
        return;
    print_error("error %d \"%s\" should be %d \"%s...%s...\"\n", e->code, e->text, code, start,
                part);
    _fail(file, line);
}

#endif
