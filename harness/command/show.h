/* show: what a command tells while it runs, on stderr: one line redrawn on a terminal, plain lines
   when piped. The text is present/progress's. */
#ifndef COMMAND_SHOW_H
#define COMMAND_SHOW_H

#include "run/schedule.h"

#include <stdbool.h>
#include <stddef.h>

struct plan;
struct run;

struct show {
    struct run *run; /* once known */
    bool terminal;
    unsigned width;
    bool line_open;   /* an unfinished line stands on the terminal */
    size_t servers_n; /* to check */
    size_t server;
};

void show_open(struct show *s, const struct plan *p);
void show_start(struct show *s, struct run *run); /* prints what will be done, and warnings */
void show_server(void *show, const char *name);   /* for contracts_check */
void show_event(void *show, const struct schedule_event *event); /* for schedule_run */
void show_note(struct show *s, const char *text);
void show_paths(struct show *s, const char *out);
void show_close(struct show *s);

/* --dry-run: the plan, its order and its time, on stdout. */
void show_plan(const struct plan *p);

/* Columns of stdout's terminal, 0 = not a terminal; and whether colour is wanted (NO_COLOR, TERM).
 */
unsigned show_width(void);
bool show_color(void);

#endif
