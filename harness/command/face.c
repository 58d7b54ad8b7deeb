/* face: see face.h. */
#include "command/face.h"

#include "present/duel.h"
#include "present/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

void face_end_line(struct face *f)
{
    if (f->line_open)
        fputs(progress_erase(), stderr);
    f->line_open = false;
}

void face_stage(void *arg, const char *text)
{
    struct face *f = arg;
    face_end_line(f);
    fprintf(stderr, f->terminal ? "\r\033[K%.*s" : "%.*s\n", (int)f->width - 1, text);
    f->line_open = f->terminal;
    fflush(stderr);
}

void face_note(void *arg, const char *text)
{
    face_end_line(arg);
    fprintf(stderr, "note: %s\n", text);
}

void face_block(void *arg, const struct duel *d, double left_s)
{
    char text[300];
    const struct duel_block *b = &d->blocks[d->blocks_n - 1];
    if (b->dropped[0]) {
        snprintf(text, sizeof text, "block %u dropped: %s", b->index + 1, b->dropped);
        face_note(arg, text);
    }
    duel_write_line(text, sizeof text, d, left_s);
    face_stage(arg, text);
}

struct face face_open(void)
{
    struct winsize w = {0};
    struct face f = {.terminal = isatty(STDERR_FILENO), .width = 300};
    if (f.terminal)
        f.width = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col : 80;
    return f;
}
