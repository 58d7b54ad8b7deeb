/* gate: a gate's outcome for people: on a terminal, and as Markdown for a job's summary. Pure. */
#ifndef PRESENT_GATE_H
#define PRESENT_GATE_H

#include "model/gate.h"

#include <stdio.h>

/* Verdict, reason, table of checks, chart of what was measured, notes. color = ANSI allowed;
   width: of the terminal, 0 = no limit. */
void gate_write(FILE *to, const struct gate *g, unsigned width, bool color);

/* The same as Markdown: nothing that a server or a commit says is markup in it (the caller frees).
 */
char *gate_summary(const struct gate *g);

/* Changes with their intervals as lines of text, the worst first; "" when nothing was measured with
   an interval (the caller frees). No line is longer than 78 columns. */
char *gate_chart(const struct gate *g);

/* What a check found in a few words: "2.91 % worse (2.10 to 3.70)", "3 -> 4", "-". */
char *gate_change(const struct gate_check *c);

/* Whether a check is told in the table of a terminal: what passed without news is only counted. */
bool gate_is_news(const struct gate_check *c);

#endif
