/* symptom: what a tool's own words say about why it failed. Pure. */
#ifndef LOAD_SYMPTOM_H
#define LOAD_SYMPTOM_H

#include "model/trial.h"

#include <stdbool.h>

struct symptom {
    enum verdict verdict;
    int kind;            /* enum error_kind that it counts as, or -1 */
    const char *meaning; /* for people */
    char words[160];     /* the line of the tool */
};

/* Looks for known messages of volley, wrk, ab and the C library in a text. Returns false when there
   is none; then words is the last line that isn't empty, and verdict is TOOL_FAILED. */
bool symptom_find(const char *text, struct symptom *s);

#endif
