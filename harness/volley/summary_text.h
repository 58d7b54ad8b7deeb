/* summary_text: results for people. */
#ifndef VOLLEY_SUMMARY_TEXT_H
#define VOLLEY_SUMMARY_TEXT_H

#include "volley/summary_json.h"

#include <stdio.h>

/* "Running 10s at URL ...", before a run. */
void summary_text_intro(const struct summary_about *about, FILE *to);

/* The summary, after it. */
void summary_text(const struct session *run, const struct summary_about *about, FILE *to);

#endif
