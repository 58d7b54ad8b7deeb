/* slice_file: see slice_file.h. Lines are written between slices, when nothing is under way. */
#include "volley/slice_file.h"

#include "base/err.h"
#include "volley/summary_json.h"

#include <errno.h>
#include <string.h>

int slice_file_open(struct slice_file *f, struct err *e)
{
    if (f->path)
        f->file = strcmp(f->path, "-") == 0 ? stdout : fopen(f->path, "we");
    if (f->path && !f->file)
        return err_set(e, EXIT_USAGE, "--slices: cannot write %s: %s", f->path, strerror(errno));
    return 0;
}

void slice_file_write(void *context, const struct session_slice *slice)
{
    struct slice_file *f = context;
    if (!f->file)
        return;
    json_t *line = summary_json_slice(slice, f->open_loop);
    json_dumpf(line, f->file, SUMMARY_JSON_FLAGS);
    fputc('\n', f->file);
    fflush(f->file);
    json_decref(line);
}

int slice_file_close(struct slice_file *f, struct err *e)
{
    FILE *file = f->file;
    f->file = NULL;
    if (!file || file == stdout)
        return 0;
    int bad = ferror(file);
    bad |= fclose(file);
    return bad ? err_set(e, EXIT_MACHINE, "--slices: cannot write all of %s", f->path) : 0;
}
