/* duel_session: see duel_session.h. Everything but the verdict goes to stderr: one line redrawn on
   a terminal, plain lines when piped. */
#include "command/duel_session.h"

#include "base/err.h"
#include "command/show.h"
#include "lab/stop.h"
#include "present/duel.h"
#include "present/progress.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct face {
    bool terminal, line_open;
    unsigned width;
};

static void end_line(struct face *f)
{
    if (f->line_open)
        fputs(progress_erase(), stderr);
    f->line_open = false;
}

static void on_stage(void *arg, const char *text)
{
    struct face *f = arg;
    end_line(f);
    fprintf(stderr, f->terminal ? "\r\033[K%.*s" : "%.*s\n", (int)f->width - 1, text);
    f->line_open = f->terminal;
    fflush(stderr);
}

static void on_note(void *arg, const char *text)
{
    end_line(arg);
    fprintf(stderr, "note: %s\n", text);
}

static void on_block(void *arg, const struct duel *d, double left_s)
{
    char text[300];
    const struct duel_block *b = &d->blocks[d->blocks_n - 1];
    if (b->dropped[0]) {
        snprintf(text, sizeof text, "block %u dropped: %s", b->index + 1, b->dropped);
        on_note(arg, text);
    }
    duel_write_line(text, sizeof text, d, left_s);
    on_stage(arg, text);
}

static struct face open_face(void)
{
    struct winsize w = {0};
    struct face f = {.terminal = isatty(STDERR_FILENO), .width = 300};
    if (f.terminal)
        f.width = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col : 80;
    return f;
}

static int exit_code(const struct duel *d)
{
    if (stop_asked() && d->state == RUN_INTERRUPTED)
        return 128 + stop_asked();
    return d->verdict == DUEL_PASS   ? EXIT_DONE
           : d->verdict == DUEL_FAIL ? EXIT_FAIL
                                     : EXIT_INCONCLUSIVE;
}

static void print(const struct duel_run *r, bool json)
{
    if (json) {
        char *text = duel_to_json(&r->duel);
        puts(text);
        free(text);
        return;
    }
    duel_write_verdict(stdout, &r->duel, show_color());
    fflush(stdout);
}

int duel_session(const struct duel_wish *wish, bool json, struct duel_outcome *outcome,
                 struct err *e)
{
    struct duel_run r;
    struct face face = open_face();
    struct duel_watch watch = {
        .arg = &face, .on_stage = on_stage, .on_block = on_block, .on_note = on_note};
    struct err drawing = {0};
    int rc = duel_run_open(&r, wish, &watch, e);
    if (rc == 0)
        rc = duel_run_measure(&r, e);
    end_line(&face);
    if (rc == 0) {
        print(&r, json);
        if (duel_run_draw(&r, &drawing) < 0)
            on_note(&face, drawing.text);
        if (r.out)
            fprintf(stderr, "result: %s/duel.json\n", r.out);
        rc = exit_code(&r.duel);
        if (outcome)
            *outcome = (struct duel_outcome){
                r.duel.verdict,
                duel_median(&r.duel, 0, DUEL_A,
                            offsetof(struct duel_side_figures, cpu_ns_per_request))};
    } else if (stop_asked()) {
        rc = 128 + stop_asked(); /* before there was anything to say */
    }
    duel_run_close(&r);
    return rc;
}
