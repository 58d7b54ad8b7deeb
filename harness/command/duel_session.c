/* duel_session: see duel_session.h. Everything but the verdict goes to stderr: one line redrawn on
   a terminal, plain lines when piped. */
#include "command/duel_session.h"

#include "base/err.h"
#include "command/face.h"
#include "command/show.h"
#include "lab/stop.h"
#include "present/duel.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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
    struct face face = face_open();
    struct duel_watch watch = {
        .arg = &face, .on_stage = face_stage, .on_block = face_block, .on_note = face_note};
    struct err drawing = {0};
    int rc = duel_run_open(&r, wish, &watch, e);
    if (rc == 0)
        rc = duel_run_measure(&r, e);
    face_end_line(&face);
    if (rc == 0) {
        print(&r, json);
        if (duel_run_draw(&r, &drawing) < 0)
            face_note(&face, drawing.text);
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
