/* line: walks through a tool's report line by line and word by word; copies nothing. */
#ifndef LOAD_LINE_H
#define LOAD_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* A view into the report's text, valid as long as that text. Never has blanks at its ends. */
struct line {
    const char *at;
    size_t len;
};

/* The next line of a NUL-terminated text, without the blanks at its ends. Moves the cursor behind
   it. Returns false at the end of the text. */
bool line_next(const char **cursor, struct line *to);

/* Takes the first word off the line. Returns false when none is left. */
bool line_word(struct line *rest, struct line *word);

/* Takes a prefix off the line when it starts with it, else leaves it alone and returns false. */
bool line_skip(struct line *rest, const char *prefix);

bool line_is(const struct line *l, const char *text);
bool line_has(const struct line *l, const char *text); /* text somewhere in it */

#endif
