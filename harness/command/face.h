/* face: what a duel or a gate tells while it goes on, on stderr: one line redrawn on a terminal,
   plain lines when piped. */
#ifndef COMMAND_FACE_H
#define COMMAND_FACE_H

#include "model/duel.h"

struct face {
    bool terminal, line_open;
    unsigned width;
};

struct face face_open(void);
void face_end_line(struct face *f); /* what follows on stderr starts on a new line */

/* For watchers (run/duel.h, run/gate.h): arg is the face. */
void face_stage(void *arg, const char *text);
void face_note(void *arg, const char *text);
void face_block(void *arg, const struct duel *d, double left_s);

#endif
